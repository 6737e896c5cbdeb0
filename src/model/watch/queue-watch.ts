import { sayCount } from '../display/counts.ts';
import { BabelqError, withHint } from '../errors.ts';
import type { WholeFailure } from '../failure.ts';
import type { Clock, SentMessage, Source, SourceFacts } from '../ports.ts';
import type { Fate, Watcher } from './fate.ts';
import { Passage } from './passage.ts';
import { isDigest, Returns } from './returns.ts';

/** A reading hides the queue's messages for a while and counts as a receive: at most a tenth of the time goes into it. */
const PAUSE_PER_READING = 10;
const LEAST_PAUSE_MS = 2_000;

export interface WatchedQueue {
  source: Source;
  sent: readonly SentMessage[];
  /** Full ids of what was there before, and didn't leave by this run. */
  known: ReadonlySet<string>;
  clock: Clock;
  /** When the first was sent, and when all were (ms). */
  firstSentAt: number;
  startedAt: number;
  to?: string;
  allowReceive: boolean;
  signal: AbortSignal;
}

/**
 * Watches a dead-letter queue. Counts are asked at each look, which harms nobody; the queue itself is read where something
 * seems to have come, where what was sent is through, and at the end.
 */
export class QueueWatch implements Watcher {
  readonly source: string;
  readonly fates = new Map<string, Fate>();
  readings = 0;
  readonly #ask: WatchedQueue;
  readonly #returns: Returns;
  readonly #passages = new Map<string, Passage>();
  /** How many passages were emptied or through at the last reading, and at the last one that saw all. */
  #tried = 0;
  #emptied = 0;
  #lowest: number | null = null;
  #nextReading = 0;
  /** Why the last reading can't tell what isn't there. */
  #unseen: string | null = null;
  #trouble: string | null = null;

  constructor(ask: WatchedQueue) {
    this.#ask = ask;
    this.source = ask.source.name;
    this.#returns = new Returns(ask.sent, ask.known, ask.firstSentAt);
    for (const { to } of ask.sent) {
      if (to !== null && !this.#passages.has(to)) this.#passages.set(to, new Passage(to, ask.startedAt));
    }
  }

  get open(): number {
    return this.#returns.size;
  }

  get waitingFor(): string | null {
    const lying = [...this.#passages.values()].filter((passage) => (passage.lying ?? 0) > 0);
    return lying.length === 0 ? null : lying.map(({ lying, name }) => `${sayCount(lying ?? 0)} in ${name}`).join(', ');
  }

  async look(last: boolean): Promise<void> {
    const { clock, source, signal, to } = this.#ask;
    try {
      const open = new Set([...this.#returns.open].map((sent) => sent.to));
      const names = [...this.#passages.keys()].filter((name) => open.has(name));
      // Before the dead-letter queue is read: what left its queue by then is on it, or stays away.
      const targets = await source.targets(names, { signal, ...(to !== undefined && { to }) });
      const now = clock.now();
      for (const facts of targets) this.#passages.get(facts.name)?.see(facts, now);
      if (!last && !this.#isWorthReading(lyingOn(await source.facts(signal)), now)) return;
      await this.#read();
    } catch (error) {
      if (!(error instanceof BabelqError)) throw error;
      this.#trouble = withHint(error);
      this.#nextReading = clock.now() + LEAST_PAUSE_MS;
    }
  }

  #isWorthReading(lying: number, now: number): boolean {
    const grew = this.#lowest !== null && lying > this.#lowest;
    this.#lowest = Math.min(this.#lowest ?? lying, lying);
    const emptied = this.#countEmptied();
    // That happens twice a queue at most, so it needs no pause.
    if (emptied > this.#tried) return true;
    return (grew || emptied > this.#emptied) && now >= this.#nextReading;
  }

  /** Each passage counts once when it is empty, and once more when what was sent is through. */
  #countEmptied(): number {
    const passages = [...this.#passages.values()];
    return passages.filter(({ emptied }) => emptied).length + passages.filter(({ isThrough }) => isThrough).length;
  }

  async #read(): Promise<void> {
    const { allowReceive, clock, signal, source } = this.#ask;
    const began = clock.now();
    const emptied = this.#countEmptied();
    const through = [...this.#returns.open].filter((sent) => this.#isThrough(sent));
    this.#tried = emptied;
    this.readings += 1;
    this.#returns.unidentified = 0;
    let met = 0;
    const result = await source.read({ states: new Set(['failed']), allowReceive, signal }, (failure) => {
      met += 1;
      const sent = this.#returns.meet(failure);
      if (sent !== null) this.fates.set(idOf(sent, this.source), cameBack(failure));
      return this.#returns.size === 0 ? 'enough' : 'more';
    });
    this.#trouble = null;
    this.#lowest = met;
    this.#nextReading = clock.now() + Math.max(LEAST_PAUSE_MS, PAUSE_PER_READING * (clock.now() - began));
    if (this.#returns.size === 0) return;
    this.#unseen = result.complete ? null : `Not all of ${source.heldIn} could be seen${said(result.note)}.`;
    if (!result.complete) return;
    this.#emptied = emptied;
    for (const sent of through) {
      const back = this.fates.has(idOf(sent, this.source));
      if (back || (this.#returns.unidentified > 0 && isDigest(sent))) continue;
      this.#returns.close(sent);
      this.fates.set(idOf(sent, this.source), { returned: false, detail: null, reason: null });
    }
  }

  #isThrough(sent: SentMessage): boolean {
    const passage = sent.to === null ? undefined : this.#passages.get(sent.to);
    return passage?.isThrough === true && passage.leadsBack(sent);
  }

  settle(): void {
    for (const sent of [...this.#returns.open]) {
      this.#returns.close(sent);
      this.fates.set(idOf(sent, this.source), { returned: null, detail: this.#why(sent), reason: null });
    }
  }

  #why(sent: SentMessage): string {
    if (this.#trouble !== null) return `${this.#ask.source.heldIn} could not be watched: ${this.#trouble}`;
    const passage = sent.to === null ? undefined : this.#passages.get(sent.to);
    if (passage === undefined) return 'Where it went is not known.';
    if (!this.#isThrough(sent)) return passage.why(sent);
    if (this.#unseen !== null) return this.#unseen;
    return 'Messages without an id of their own came since, and it may be one of them.';
  }
}

function cameBack(failure: WholeFailure): Fate {
  return { returned: true, detail: `It came back as ${failure.id}: ${failure.reason}.`, reason: failure.reason };
}

function idOf({ nativeId }: SentMessage, source: string): string {
  return `${source}/${nativeId}`;
}

function lyingOn({ visible, in_flight, delayed }: SourceFacts): number {
  return (visible ?? 0) + (in_flight ?? 0) + (delayed ?? 0);
}

function said(note: string | null): string {
  return note === null ? '' : ` (${note})`;
}
