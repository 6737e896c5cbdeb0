import type { Action } from '../../model/action.ts';
import { quoteTyped } from '../../model/display/escape.ts';
import { BabelqError } from '../../model/errors.ts';
import { STATES, type State } from '../../model/failure.ts';

/** The state that an action leads to. */
export const LEADS_TO: Readonly<Record<Action, State>> = { retry: 'pending', dismiss: 'dismissed', restore: 'failed' };

/** What is said of a row that isn't there any more, and of one that isn't in the state it was shown in. */
export const GONE = 'Gone: the app kept it, or its row was deleted.';

export function changedTo(action: Action, from: State, to: State): string {
  if (to === LEADS_TO[action]) return `It is already ${to}: it changed meanwhile.`;
  return `It changed meanwhile: it was ${from}, and is ${to} now.`;
}

/** `statuses:` of the configuration: the word that the table has for a state, where it isn't the state's own name. */
export type StatusMapping = Readonly<Partial<Record<State, string>>>;

/** What the table's statuses mean. */
export class Statuses {
  readonly #words: ReadonlyMap<State, string>;
  readonly #states: ReadonlyMap<string, State>;

  /** @throws BabelqError `config` for a state that doesn't exist, or one word for two */
  constructor(mapping: StatusMapping, source: string) {
    for (const state of Object.keys(mapping)) {
      if (!(STATES as readonly string[]).includes(state)) {
        throw new BabelqError('config', `statuses: has no ${quoteTyped(state)}.`, {
          hint: `It takes ${STATES.join(', ')}.`,
          source,
        });
      }
    }
    this.#words = new Map(STATES.map((state) => [state, String(mapping[state] ?? state)]));
    this.#states = new Map([...this.#words].map(([state, word]) => [word, state]));
    if (this.#states.size < STATES.length) {
      throw new BabelqError('config', 'statuses: gives two states the same word.', {
        hint: 'Each of failed, pending and dismissed has its own.',
        source,
      });
    }
  }

  word(state: State): string {
    return this.#words.get(state) ?? state;
  }

  /** Null for a word that means none of the three. */
  state(word: string | null): State | null {
    return word === null ? null : (this.#states.get(word) ?? null);
  }
}

/** How many rows have which state; words that mean none are kept apart. */
export class Tally {
  readonly #statuses: Statuses;
  readonly #known = new Map<State, number>();
  readonly #unknown = new Map<string | null, number>();

  constructor(statuses: Statuses) {
    this.#statuses = statuses;
  }

  add(counts: ReadonlyMap<string | null, number>): void {
    for (const [word, count] of counts) {
      const state = this.#statuses.state(word);
      if (state === null) this.#unknown.set(word, (this.#unknown.get(word) ?? 0) + count);
      else this.#known.set(state, (this.#known.get(state) ?? 0) + count);
    }
  }

  of(state: State): number {
    return this.#known.get(state) ?? 0;
  }

  /** How many have one of these. */
  sum(states: Iterable<State>): number {
    return [...states].reduce((sum, state) => sum + this.of(state), 0);
  }

  /** What to say of rows that have none of the three states; null where all have one. */
  get note(): string | null {
    const total = [...this.#unknown.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) return null;
    return `${total} ${total === 1 ? 'row has' : 'rows have'} a status that is none of the three and can't be shown: ${this.#words()}`;
  }

  /** @throws BabelqError `bad_table` where there are rows, and none has a status that is known */
  check(table: string): void {
    if (this.#known.size > 0 || this.#unknown.size === 0) return;
    throw new BabelqError('bad_table', `No row of ${table} has a status that is known; found are ${this.#words()}.`, {
      hint: 'Say what they mean under this source: statuses: { failed: …, pending: …, dismissed: … }.',
    });
  }

  #words(): string {
    const most = [...this.#unknown].sort(([, a], [, b]) => b - a);
    const listed = most.slice(0, 5).map(([word, count]) => `${word === null ? 'none' : quoteTyped(word)} (${count})`);
    return listed.join(', ') + (most.length > listed.length ? ', …' : '');
  }
}
