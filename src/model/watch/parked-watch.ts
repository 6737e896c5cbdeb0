import { sayCount } from '../display/counts.ts';
import { ticksFor } from '../display/tick.ts';
import { sayDuration } from '../duration.ts';
import { BabelqError } from '../errors.ts';
import { STATES, sayProblem, type WholeFailure } from '../failure.ts';
import { identityOfFailure } from '../identity.ts';
import { nativeIdOf } from '../ids.ts';
import type { Clock, SentMessage, Source } from '../ports.ts';
import type { Fate, Watcher } from './fate.ts';
import { suggestWait } from './suggest.ts';

export interface WatchedTable {
  source: Source;
  sent: readonly SentMessage[];
  /** Full ids of what was there before. */
  known: ReadonlySet<string>;
  clock: Clock;
  /** When the first was made pending (ms). */
  firstSentAt: number;
  signal: AbortSignal;
}

/** The app's clock is this machine's mostly; a row that was parked so shortly before may be one parked again. */
const SKEW_MS = 10_000;
/** A look through all that is parked is worth a tenth of the time. */
const PAUSE_PER_READING = 10;
const LEAST_PAUSE_MS = 1_000;

/** Watches parked messages: the app's tick keeps one, and then its row is gone, or parks it again. Reading harms nobody. */
export class ParkedWatch implements Watcher {
  readonly source: string;
  readonly fates = new Map<string, Fate>();
  readings = 0;
  readonly #ask: WatchedTable;
  readonly #open: Map<string, SentMessage>;
  #nextReading = 0;
  #pending: number | null = null;
  #trouble: string | null = null;

  constructor(ask: WatchedTable) {
    this.#ask = ask;
    this.source = ask.source.name;
    this.#open = new Map(ask.sent.map((sent) => [sent.nativeId, sent]));
  }

  get open(): number {
    return this.#open.size;
  }

  get waitingFor(): string | null {
    return this.#pending === null || this.#pending === 0
      ? null
      : `${sayCount(this.#pending)} pending in ${this.source}`;
  }

  async look(last: boolean): Promise<void> {
    const { clock, signal, source } = this.#ask;
    try {
      const gone = new Map(this.#open);
      const request = { states: new Set(STATES), nativeIdPrefixes: [...gone.keys()], allowReceive: false, signal };
      const { complete } = await source.read(request, (failure) => {
        const sent = gone.get(nativeIdOf(failure));
        if (sent === undefined) return 'more';
        gone.delete(sent.nativeId);
        if (failure.state === 'failed') this.#end(sent, parkedAgain(failure, false));
        if (failure.state === 'dismissed') this.#end(sent, DISMISSED);
        return 'more';
      });
      this.#pending = (await source.facts(signal)).in_flight;
      this.#trouble = null;
      if (!complete || gone.size === 0 || (!last && clock.now() < this.#nextReading)) return;
      const began = clock.now();
      await this.#lookElsewhere(gone);
      this.#nextReading = clock.now() + Math.max(LEAST_PAUSE_MS, PAUSE_PER_READING * (clock.now() - began));
      for (const sent of gone.values()) this.#end(sent, { returned: false, detail: null, reason: null });
    } catch (error) {
      if (!(error instanceof BabelqError)) throw error;
      this.#trouble = error.message;
    }
  }

  /** An app may park a message again under a new key: then it has the same queue and body. Takes those out of `gone`. */
  async #lookElsewhere(gone: Map<string, SentMessage>): Promise<void> {
    const { firstSentAt, known, signal, source } = this.#ask;
    this.readings += 1;
    const byIdentity = new Map([...gone.values()].map((sent) => [sent.identity, sent]));
    await source.read({ states: new Set(['failed']), allowReceive: false, signal }, (failure) => {
      const since = failure.failed_at === null || Date.parse(failure.failed_at) >= firstSentAt - SKEW_MS;
      if (!since || known.has(failure.id)) return 'more';
      const sent = byIdentity.get(identityOfFailure(failure));
      if (sent === undefined || !gone.delete(sent.nativeId)) return 'more';
      this.#end(sent, parkedAgain(failure, true));
      return gone.size === 0 ? 'enough' : 'more';
    });
  }

  settle(): void {
    const why = this.#why();
    for (const sent of [...this.#open.values()]) this.#end(sent, { returned: null, detail: why, reason: null });
  }

  #why(): string {
    if (this.#trouble !== null) return `${this.source} could not be watched: ${this.#trouble}`;
    const pending = Math.max(this.#pending ?? 0, this.#open.size);
    const { ticks, seconds } = ticksFor(pending);
    const waited = this.#ask.clock.now() - this.#ask.firstSentAt;
    if (waited > seconds * 1000)
      return `Its app has not read it in ${sayDuration(waited)}: ${sayCount(pending)} pending, which an app that is running reads within about ${sayDuration(seconds * 1000)}. See whether it is running.`;
    const takes = ticks === 1 ? 'a tick' : `${sayCount(ticks)} ticks`;
    return `Its app has not read it yet: ${sayCount(pending)} pending, which ${pending === 1 ? 'takes' : 'take'} ${takes}, at most about ${sayDuration(seconds * 1000)} where it is running. A wait of ${suggestWait(seconds * 1000)} would tell.`;
  }

  #end({ nativeId }: SentMessage, fate: Fate): void {
    this.#open.delete(nativeId);
    this.fates.set(`${this.source}/${nativeId}`, fate);
  }
}

const DISMISSED: Fate = { returned: null, detail: 'Somebody dismissed it meanwhile.', reason: null };

function parkedAgain({ id, reason, problems }: WholeFailure, elsewhere: boolean): Fate {
  const rules = problems.map(sayProblem).join(', ');
  const what = rules === '' ? reason : `${reason} (${rules})`;
  const as = elsewhere ? ` as ${id}` : '';
  return { returned: true, detail: `It was parked again${as}: ${what}.`, reason };
}
