import { hash } from 'node:crypto';
import { BabelqError } from '../../model/errors.ts';
import type { Run, RunStart } from '../../model/ports.ts';
import type { Statements } from './statements.ts';

/** A run unheard of for this long counts as dead. */
export const SILENCE_MS = 60_000;

/**
 * Whether run `r` is alive at `:now`, as SQL. A heartbeat from a clock that ran ahead counts as fresh: to finish what a
 * living run is at would be worse than to wait.
 */
export const ALIVE = `(r.ended_at IS NULL AND r.beat_at > :now - ${SILENCE_MS})`;

/** Letters and digits that aren't taken for one another when they are read out or typed. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** The runs. Every method runs inside a transaction of the caller's. */
export class Runs {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  begin(start: RunStart, now: number): Run {
    const insert = this.#statements.of(
      `INSERT INTO runs (id, action, by, note, asked, started_at, beat_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    const taken = this.#statements.of('SELECT 1 FROM runs WHERE id = ?');
    const newest = this.#statements.of<{ entry: number }>('SELECT max(entry) AS entry FROM entries').get()?.entry ?? 0;
    const last = this.#statements.of<{ number: number }>('SELECT ifnull(max(number), 0) AS number FROM runs').get();
    for (let attempt = 0; ; attempt += 1) {
      const id = runId(now, `${last?.number} ${attempt}`);
      if (taken.get(id) !== undefined) continue;
      insert.run(id, start.action, start.by, start.note, start.asked, now, now);
      return { ...start, id, startedAt: now, newest };
    }
  }

  beat(run: Run, now: number): void {
    this.#statements.of('UPDATE runs SET beat_at = ? WHERE number = ?').run(now, this.numberOf(run));
  }

  end(run: Run, how: string, now: number): void {
    this.#statements.of('UPDATE runs SET ended_at = ?, ended = ? WHERE number = ?').run(now, how, this.numberOf(run));
  }

  /** The number by which entries name their run. */
  numberOf(run: Run): number {
    const row = this.#statements.of<{ number: number }>('SELECT number FROM runs WHERE id = ?').get(run.id);
    if (row === undefined) throw new BabelqError('internal', `The journal doesn't know the run ${run.id}.`);
    return row.number;
  }

  /** Keeps count of a run's entries that have not come to an end: an index of them would cost far more. */
  countUnfinished(number: number, by: number): void {
    if (by !== 0) this.#statements.of('UPDATE runs SET unfinished = unfinished + ? WHERE number = ?').run(by, number);
  }

  /** What an entry's run is called, and whether it lives. */
  factsOf(number: number, now: number): { id: string; alive: boolean } {
    const row = this.#statements
      .of<{ id: string; alive: number }>(`SELECT r.id, ${ALIVE} AS alive FROM runs r WHERE r.number = :number`)
      .get({ number, now });
    return { id: row?.id ?? '', alive: row?.alive === 1 };
  }
}

/** Sortable by time and short enough to type: `20261130-142211-k3f9`, in UTC. */
export function runId(now: number, distinct: string): string {
  const [date = '', time = ''] = new Date(now).toISOString().split('T');
  const bytes = hash('sha256', `${now} ${distinct}`, 'buffer').subarray(0, 4);
  const suffix = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix}`;
}
