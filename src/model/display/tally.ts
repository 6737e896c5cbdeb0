import { type ActionItem, type Counts, count, noCounts, type Outcome, type RecordedAction } from '../action.ts';
import { messages, sayCount } from './counts.ts';
import { saysDoneBefore } from './done-before.ts';
import { escapeText } from './escape.ts';
import { VERBS } from './verbs.ts';

/** Kinds of trouble that are told apart, and ids that are named of each; the rest is counted. */
const KINDS = 20;
const IDS = 5;

/** Of what was done: an earlier run was cut off before it knew what became of the same message. */
const POSSIBLE_DOUBLE = 'Possibly double: how an earlier run with it ended is not known.';

interface Kind {
  outcome: Outcome;
  detail: string;
  count: number;
  ids: string[];
}

/** Keeps of a run's items what a person is told at the end: the counts, and what wasn't done, by reason. Never grows with the run. */
export class Tally {
  readonly counts: Counts = noCounts();
  /** The first ids that were done, for the next command to type: six at most. */
  readonly done: string[] = [];
  /** The ids of these as they are now: a restored SQS message is a new one. */
  readonly now: string[] = [];
  readonly #kinds = new Map<string, Kind>();
  #before = 0;
  #others = 0;

  add(item: ActionItem): void {
    count(this.counts, item);
    if (item.outcome === 'done' && saysDoneBefore(item.detail)) this.#before += 1;
    if (item.outcome === 'done' && this.done.length <= IDS) {
      this.done.push(item.id);
      const source = item.id.slice(0, item.id.indexOf('/'));
      this.now.push(item.new_id === null ? item.id : `${source}/${item.new_id}`);
    }
    // What else changed on a message that was done (a marker taken off) is told too.
    const double = item.outcome === 'done' && item.possible_double ? POSSIBLE_DOUBLE : null;
    const detail = double === null || item.detail === null ? (double ?? item.detail ?? '') : `${double} ${item.detail}`;
    if (item.outcome === 'planned' || (item.outcome === 'done' && detail === '')) return;
    const key = `${item.outcome} ${detail}`;
    const kind = this.#kinds.get(key);
    if (kind === undefined && this.#kinds.size >= KINDS) {
      this.#others += 1;
      return;
    }
    const entry = kind ?? { outcome: item.outcome, detail, count: 0, ids: [] };
    entry.count += 1;
    if (entry.ids.length < IDS) entry.ids.push(item.id);
    this.#kinds.set(key, entry);
  }

  /** `Retried 40 of 42 messages: 1 skipped, 1 uncertain.` and a line for each kind of trouble. Escaped. */
  lines(action: RecordedAction): string[] {
    const { matched, done, skipped, failed, uncertain } = this.counts;
    const rest = (Object.entries({ skipped, failed, uncertain }) as [string, number][])
      .filter(([, number]) => number > 0)
      .map(([name, number]) => `${sayCount(number)} ${name}`);
    const whole = done === matched ? messages(matched) : `${sayCount(done)} of ${messages(matched)}`;
    const before = this.#before === done ? 'all' : sayCount(this.#before);
    const earlier = this.#before === 0 ? '' : `, ${before} of them by an earlier run`;
    const lines = [`${VERBS[action].done} ${whole}${earlier}${rest.length === 0 ? '' : `: ${rest.join(', ')}`}.`];
    for (const { outcome, detail, count, ids } of this.#kinds.values()) {
      const named = ids.map(escapeText).join(', ');
      const more = count > ids.length ? `, and ${sayCount(count - ids.length)} more` : '';
      lines.push(`  ${sayCount(count)} ${outcome}: ${escapeText(detail)} ${named}${more}`);
    }
    if (this.#others > 0) lines.push(`  and ${messages(this.#others)} for other reasons`);
    return lines;
  }
}
