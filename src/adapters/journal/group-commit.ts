import type { Clock } from '../../model/ports.ts';
import { patiently } from './patience.ts';
import type { Statements } from './statements.ts';
import { isWholesale } from './trouble.ts';

/** How many calls share one transaction at most, so that none of them holds the process up for long. */
const LARGEST_GROUP = 32;

interface Job {
  act: () => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

type Outcome = { value: unknown } | { error: unknown };

/**
 * Puts the writing calls that come in together into one transaction, and so one wait for the disk. Each call's promise
 * is settled only when its transaction is committed and on disk. A call that fails undoes its own part and nobody else's; where the
 * transaction itself fails, every call in it gets that error, and nothing of them was recorded.
 */
export class GroupCommit {
  readonly #statements: Statements;
  readonly #clock: Clock;
  readonly #rest: () => Promise<void>;
  readonly #sync: () => Promise<void>;
  #waiting: Job[] = [];
  #working: Promise<void> | null = null;

  /**
   * @param rest resolves when the next transaction may begin: what comes in until then joins it
   * @param sync resolves when what was committed is on disk
   */
  constructor(statements: Statements, clock: Clock, rest: () => Promise<void>, sync: () => Promise<void>) {
    this.#statements = statements;
    this.#clock = clock;
    this.#rest = rest;
    this.#sync = sync;
  }

  /** @param act runs inside the transaction, synchronously; once more where another call of the group failed */
  run<T>(act: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ act, resolve: resolve as (value: unknown) => void, reject });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when everything that came in is settled. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#rest();
      await this.#commit(this.#waiting.splice(0, LARGEST_GROUP));
    }
    this.#working = null;
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    try {
      const outcomes = await patiently(this.#clock, () => this.#record(jobs));
      await this.#sync();
      jobs.forEach((job, index) => {
        const outcome = outcomes[index];
        if (outcome !== undefined && 'value' in outcome) job.resolve(outcome.value);
        else job.reject(outcome?.error);
      });
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }

  #record(jobs: readonly Job[]): Outcome[] {
    try {
      return this.#transaction(() => jobs.map((job) => ({ value: job.act() })));
    } catch (error) {
      if (isWholesale(error)) throw error;
    }
    // One of them failed. Savepoints cost too much to be there always, so all begin again with them.
    return this.#transaction(() => jobs.map((job) => this.#part(job)));
  }

  #transaction(work: () => Outcome[]): Outcome[] {
    const { database } = this.#statements;
    this.#statements.of('BEGIN IMMEDIATE').run();
    try {
      const outcomes = work();
      this.#statements.of('COMMIT').run();
      return outcomes;
    } finally {
      // SQLite has rolled back by itself after some errors, a full disk among them.
      if (database.inTransaction) this.#statements.of('ROLLBACK').run();
    }
  }

  /** One call's part: what it did is undone where it fails, and the others' stays. */
  #part(job: Job): Outcome {
    this.#statements.of('SAVEPOINT part').run();
    try {
      const value = job.act();
      this.#statements.of('RELEASE part').run();
      return { value };
    } catch (error) {
      if (isWholesale(error)) throw error;
      this.#statements.of('ROLLBACK TO part').run();
      this.#statements.of('RELEASE part').run();
      return { error };
    }
  }
}
