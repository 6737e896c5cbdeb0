import { BabelqError } from '../../../model/errors.ts';
import type { Clock } from '../../../model/ports.ts';
import type { Postgres } from '../../postgres/postgres.ts';
import { recordGroup } from './group.ts';
import type { Job, Outcome } from './judging.ts';
import { isUndone, isWholesale } from './trouble.ts';

/** How many calls share one transaction at most. */
const LARGEST_GROUP = 64;
/** How many bytes of bodies go together at most: they are in memory several times over on both sides. */
const MOST_BYTES = 4 * 1024 * 1024;
/** For how long a transaction that was cut, and of which nothing stayed, is made again. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

interface Waiting {
  job: Job;
  bytes: number;
  resolve: (value: (number | null)[] | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Puts the calls that come in while one transaction is under way into the next: a server far away is waited for once for all of
 * them. A call's promise is settled only when its transaction is committed. A call that fails undoes its own part and nobody
 * else's; where the transaction itself fails, every call in it gets that error, and nothing of them was recorded.
 */
export class Commits {
  readonly #database: Postgres;
  readonly #schema: string;
  readonly #clock: Clock;
  readonly #time: () => number | null;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;

  constructor(database: Postgres, schema: string, clock: Clock, time: () => number | null) {
    this.#database = database;
    this.#schema = schema;
    this.#clock = clock;
    this.#time = time;
  }

  record(job: Job): Promise<(number | null)[] | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, bytes: bytesOf(job), resolve, reject });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when everything that came in is settled. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  async #work(): Promise<void> {
    // What is called in the same breath goes together.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#commit(this.#next());
    this.#working = null;
  }

  #next(): Waiting[] {
    let bytes = 0;
    const fits = this.#waiting.findIndex((one, at) => {
      bytes += one.bytes;
      return at === LARGEST_GROUP || (at > 0 && bytes > MOST_BYTES);
    });
    return this.#waiting.splice(0, fits === -1 ? this.#waiting.length : fits);
  }

  async #commit(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#patiently(group.map(({ job }) => job));
      group.forEach(({ resolve, reject }, at) => {
        const outcome = outcomes[at] ?? { error: new BabelqError('internal', 'The journal gave no answer.') };
        if ('value' in outcome) resolve(outcome.value);
        else reject(outcome.error);
      });
    } catch (error) {
      // What the server refuses of one call is no reason to refuse the others.
      if (group.length > 1 && !isWholesale(error)) for (const one of group) await this.#commit([one]);
      // What came in meanwhile has waited for the same server just as long.
      else for (const { reject } of isWholesale(error) ? [...group, ...this.#waiting.splice(0)] : group) reject(error);
    }
  }

  async #patiently(jobs: readonly Job[]): Promise<Outcome[]> {
    const until = this.#clock.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await this.#database.transaction((statements) =>
          recordGroup(statements, this.#schema, jobs, this.#time()),
        );
      } catch (error) {
        if (!isUndone(error) || this.#clock.now() >= until) throw error;
      }
      await this.#clock.sleep(PAUSE_MS);
    }
  }
}

function bytesOf(job: Job): number {
  return job.kind === 'settle' ? 0 : job.intents.reduce((sum, { message }) => sum + (message?.body.length ?? 0), 0);
}
