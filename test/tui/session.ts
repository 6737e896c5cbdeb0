import { shortIds } from '../../src/model/display/short-ids.ts';
import type { WholeFailure } from '../../src/model/failure.ts';
import type { SourceReport } from '../../src/model/operations/survey.ts';
import { finish } from '../../src/model/steps.ts';
import { commandFor } from '../../src/tui/keys.ts';
import type { Effect, Event } from '../../src/tui/state/events.ts';
import { leftBehind } from '../../src/tui/state/marks.ts';
import { modeOf } from '../../src/tui/state/mode.ts';
import { initialState, type Size, type State } from '../../src/tui/state/state.ts';
import { update } from '../../src/tui/state/update.ts';
import { arrange } from '../../src/tui/work/arrange.ts';
import { requestOf } from '../../src/tui/work/arranger.ts';
import { aFailure } from '../support/failure.ts';

export const NOW = Date.parse('2026-11-30T14:00:00.000Z');

/** The screens without a terminal and without work: keys go in, the state and the effects come out. */
export class Session {
  state: State;
  /** What was asked for and not taken yet. */
  effects: Effect[] = [];
  #at = 0;

  constructor(sources: readonly string[] = ['orders'], size: Size = { columns: 80, rows: 24 }) {
    this.state = initialState(
      sources.map((name) => ({ name, kind: 'sqs', heldIn: `${name}-dlq`, hold: true })),
      size,
      NOW,
    );
  }

  feed(event: Event): this {
    const { state, effects } = update(this.state, event);
    this.state = state;
    for (const effect of effects) {
      if (effect.type === 'arrange') this.#arrange(effect.arrangement);
      else this.effects.push(effect);
    }
    return this;
  }

  /** Keys as the table names them, a second or more apart; a text is typed letter by letter with `type`. */
  press(...keys: string[]): this {
    for (const key of keys) this.pressAfter(5000, key);
    return this;
  }

  /** Keys so many milliseconds apart. */
  pressAfter(ms: number, ...keys: string[]): this {
    for (const key of keys) {
      this.#at += ms;
      const command = commandFor(modeOf(this.state), key);
      this.feed(command === undefined ? { type: 'unbound', at: this.#at } : { type: 'command', command, at: this.#at });
    }
    return this;
  }

  type(text: string): this {
    for (const letter of text) this.feed({ type: 'typed', text: letter });
    return this;
  }

  /** Starts, and answers the reading of each source. */
  open(failures: Record<string, readonly WholeFailure[] | string>): this {
    this.feed({ type: 'started' });
    return this.answer(failures);
  }

  /** As open, with all failures in one list. */
  list(failures: Record<string, readonly WholeFailure[] | string>): this {
    return this.open(failures).press('tab');
  }

  /** Answers the latest reading of each source: with failures, or with an error. */
  answer(failures: Record<string, readonly WholeFailure[] | string>): this {
    for (const [source, found] of Object.entries(failures)) {
      const reading = this.state.sources.find(({ name }) => name === source)?.reading ?? 0;
      const listed = typeof found === 'string' ? [] : found;
      this.feed({ type: 'read', source, reading, failures: listed, report: reportOf(source, found) });
    }
    return this;
  }

  take<T extends Effect['type']>(type: T): Extract<Effect, { type: T }> {
    const at = this.effects.findLastIndex((effect) => effect.type === type);
    const [found] = at === -1 ? [] : this.effects.splice(at, 1);
    if (found === undefined) throw new Error(`Nobody asked for ${type}.`);
    return found as Extract<Effect, { type: T }>;
  }

  asked(type: Effect['type']): boolean {
    return this.effects.some((effect) => effect.type === type);
  }

  get ids(): string[] {
    const { list, marks } = this.state;
    return list.rows.map(({ id }) => id).filter((id) => !marks.gone.has(id));
  }

  #arrange(arrangement: number): void {
    const { sources } = this.state;
    const result = finish(arrange(requestOf(this.state, this.state.now)));
    const all = [...sources.flatMap(({ failures }) => failures), ...leftBehind(this.state.marks)];
    const short = shortIds(
      all,
      sources.map(({ name }) => name),
    );
    const labels = new Map(all.map(({ id }, at) => [id, short[at] ?? id]));
    this.feed({ type: 'arranged', arrangement, result, labels, took: 0 });
  }
}

function reportOf(name: string, found: readonly WholeFailure[] | string): SourceReport {
  const failed = typeof found === 'string';
  const listed = failed ? 0 : found.length;
  return { name, kind: 'sqs', listed, about: listed, complete: !failed, note: null, error: failed ? found : null };
}

/** So many failures of a source, the first the most urgent. */
export function failuresOf(source: string, count: number, change: Partial<WholeFailure> = {}): WholeFailure[] {
  return Array.from({ length: count }, (_, at) =>
    aFailure({
      id: `${source}/${String(at).padStart(8, '0')}-0000-4000-8000-000000000000`,
      source,
      queue: source,
      failed_at: new Date(NOW - at * 60_000).toISOString(),
      expires_at: new Date(NOW + (at + 1) * 3_600_000).toISOString(),
      ...change,
    }),
  );
}

export function plannedFor(
  ids: readonly string[],
  blocked: string | null = null,
): Extract<Event, { type: 'planned' }>['planned'] {
  const items = ids.map((id) => ({
    id,
    source: id.split('/')[0] ?? '',
    nativeId: id.split('/')[1] ?? '',
    reason: 'failed',
    queue: 'orders',
    to: 'orders',
    blocked,
  }));
  return { plan: { action: 'retry', items }, sources: [] };
}
