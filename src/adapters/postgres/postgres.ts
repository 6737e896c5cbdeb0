import type { Client } from 'pg';
import { BabelqError, Interrupted, OutcomeUnknown } from '../../model/errors.ts';
import type { Clock } from '../../model/ports.ts';
import type { Address } from './address.ts';
import { connect, discard } from './connect.ts';
import { isCollision, isCut, isStarting, sqlState, translate, unknownOutcome } from './errors.ts';

/** What a statement's `$1` may be. A list becomes an array; each as text, which its cast in the statement gives a type. */
export type Parameter = string | number | bigint | boolean | Uint8Array | null | readonly (string | null)[];

export interface Answer {
  /** As PostgreSQL writes each value as text; bytea as `\x…`. */
  rows: (string | null)[][];
  /** Rows that were written, or that came. */
  count: number;
}

export interface Statements {
  /** One statement, its values bound. */
  run(sql: string, values?: readonly Parameter[]): Promise<Answer>;
}

/** How long to go on trying where the server can't be reached, or somebody else's transaction is in the way. */
const PATIENCE_MS = 10_000;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 1000;
/** How much longer than a statement may take its answer is waited for, before the connection counts as dead. */
const GRACE_MS = 5000;
const LOCK_TIMEOUT_MS = 5000;
const IDLE_IN_TRANSACTION_MS = 60_000;

interface Session {
  client: Client;
  /** Behind a pooler that takes no parameters for a session: they are set in each transaction. */
  pooled: boolean;
  broken: boolean;
}

/** A transaction's number, since when its server is up, and when it began. */
interface Begun {
  id: string;
  serverSince: string;
  at: string;
}

/**
 * One PostgreSQL database over one connection, made at the first call and again after a cut. Calls wait for each other, so
 * a transaction is never mixed with another's statements. Every method throws BabelqError (`unreachable`, `forbidden`,
 * `no_database`, `read_only`, `locked`; `bad_table` for what the server refuses), and Interrupted where the signal aborts
 * before it has begun.
 */
export class Postgres {
  readonly address: Address;
  readonly #clock: Clock;
  #session: Session | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  #wasThere = false;

  constructor(address: Address, clock: Clock) {
    this.address = address;
    this.#clock = clock;
  }

  /** One statement that changes nothing: it is asked again where the connection is cut. */
  read(sql: string, values: readonly Parameter[] = [], signal?: AbortSignal): Promise<Answer> {
    return this.#inTurn(() =>
      this.#patiently(signal, async () => {
        const session = await this.#current(signal);
        if (!session.pooled) return this.#run(session, sql, values);
        await this.#begin(session, 'READ ONLY');
        const answer = await this.#run(session, sql, values);
        await this.#run(session, 'COMMIT');
        return answer;
      }),
    );
  }

  /**
   * Does `work` in one transaction (READ COMMITTED). Where it throws, and where the connection is cut before the end, nothing
   * was changed. Where another transaction collided with it `work` is done again from its beginning, so it must keep nothing.
   * Where only the news of its end was lost, the server is asked how it ended.
   * @throws OutcomeUnknown where the server can't be asked any more
   */
  transaction<T>(work: (statements: Statements) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#inTurn(() => this.#patiently(signal, (mayRepeat) => this.#transact(work, signal, mayRepeat)));
  }

  /**
   * What tells this database from every other, the same by whatever name it is reached: the cluster's own number and the
   * database's; where a managed server doesn't tell these, its address.
   */
  async identity(signal?: AbortSignal): Promise<string> {
    try {
      const { rows } = await this.read(
        `SELECT system_identifier::text || '/' || (SELECT oid FROM pg_database WHERE datname = current_database())::text
         FROM pg_control_system()`,
        [],
        signal,
      );
      const [[identity] = []] = rows;
      if (identity) return `postgres:${identity}`;
    } catch (error) {
      // A function that isn't there, or may not be called.
      if (!['42883', '42501', '0A000'].includes(sqlState((error as BabelqError).cause) ?? '')) throw error;
    }
    return `postgres:${this.address.shown}`;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#last.catch(() => {});
    await this.#letGo();
  }

  async #transact<T>(
    work: (statements: Statements) => Promise<T>,
    signal: AbortSignal | undefined,
    mayRepeat: (may: boolean) => void,
  ): Promise<T> {
    const session = await this.#current(signal);
    const begun = await this.#begin(session, 'READ WRITE');
    let result: T;
    try {
      result = await work({ run: (sql, values) => this.#run(session, sql, values) });
    } catch (error) {
      // Its end, too, undoes it; so what becomes of this is no matter.
      if (!session.broken) await this.#run(session, 'ROLLBACK').catch(() => this.#drop(session));
      mayRepeat(isCollision(error));
      throw error;
    }
    mayRepeat(false);
    try {
      await this.#run(session, 'COMMIT');
      return result;
    } catch (error) {
      // A deferred rule of the table's refused it.
      if (!isCut(error) && !session.broken) {
        mayRepeat(isCollision(error));
        throw error;
      }
      if ((await this.#howItEnded(begun, error)) === 'committed') return result;
      throw error;
    }
  }

  async #begin(session: Session, mode: 'READ ONLY' | 'READ WRITE'): Promise<Begun> {
    const limits = session.pooled
      ? Object.entries(limitsOf(this.address)).map(([name, value]) => `SET LOCAL ${name} = ${value};`)
      : [];
    const facts =
      mode === 'READ WRITE' ? 'SELECT txid_current()::text, pg_postmaster_start_time()::text, now()::text' : '';
    const { rows } = await this.#run(
      session,
      [`BEGIN ISOLATION LEVEL READ COMMITTED ${mode};`, ...limits, facts].join(' '),
    );
    const [id = '', serverSince = '', at = ''] = (rows[0] ?? []).map((value) => value ?? '');
    return { id, serverSince, at };
  }

  /**
   * Asks after a transaction whose COMMIT was not answered. A number that was lost in a crash is given out again, so
   * `committed` is believed only of a server that has been the same since, and has made no checkpoint since, as it does
   * after a crash.
   * @throws OutcomeUnknown
   */
  async #howItEnded({ id, serverSince, at }: Begun, cut: unknown): Promise<'committed' | 'aborted'> {
    const until = this.#clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        const session = await this.#current(undefined);
        const { rows } = await this.#run(
          session,
          `SELECT txid_status($1::bigint), pg_postmaster_start_time() = $2::timestamptz
             AND (SELECT checkpoint_time < date_trunc('second', $3::timestamptz) FROM pg_control_checkpoint())`,
          [id, serverSince, at],
        );
        const [status, isSame] = rows[0] ?? [];
        if (status === 'aborted' || (status === 'committed' && isSame === 't')) return status;
        if (status !== 'in progress') throw unknownOutcome(this.address, cut);
      } catch (error) {
        if (error instanceof OutcomeUnknown) throw error;
        // It is in the future: a crash took it, and nobody has got its number since.
        if (sqlState(error) === '22023') return 'aborted';
        if (!isCut(error)) throw unknownOutcome(this.address, error);
      }
      if (this.#clock.now() >= until) throw unknownOutcome(this.address, cut);
      await this.#clock.sleep(wait);
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Does it again while the server can't be reached, unless it has said that it may not be repeated. */
  async #patiently<T>(
    signal: AbortSignal | undefined,
    work: (mayRepeat: (may: boolean) => void) => Promise<T>,
  ): Promise<T> {
    const until = this.#clock.now() + PATIENCE_MS;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (signal?.aborted) throw new Interrupted();
      let repeatable = true;
      try {
        return await work((may) => {
          repeatable = may;
        });
      } catch (error) {
        // A server that never answered is more likely to be named wrong than to come back.
        const mayPass = isCollision(error) || isStarting(error) || (isCut(error) && this.#wasThere);
        if (!repeatable || !mayPass || this.#clock.now() >= until) throw translate(error, this.address);
      }
      await this.#clock.sleep(Math.round(wait * (0.5 + Math.random() / 2)), signal);
    }
  }

  async #current(signal: AbortSignal | undefined): Promise<Session> {
    if (this.#closed) throw new BabelqError('internal', 'The database was closed.');
    if (this.#session !== null && !this.#session.broken) return this.#session;
    await this.#letGo();
    const { client, pooled } = await connect(this.address, limitsOf(this.address), signal);
    const session: Session = { client, pooled, broken: false };
    client.on('error', () => {
      session.broken = true;
    });
    client.on('end', () => {
      session.broken = true;
    });
    this.#session = session;
    this.#wasThere = true;
    return session;
  }

  async #run(session: Session, text: string, values: readonly Parameter[] = []): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined;
    // A network that swallows everything says nothing, for ever.
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => {
          this.#drop(session);
          reject(new Error('Connection terminated: no answer'));
        },
        Math.min(this.address.statementTimeoutMs + GRACE_MS, 2 ** 31 - 1),
      );
    });
    try {
      const asked = session.client.query<(string | null)[]>({
        text,
        ...(values.length > 0 && { values: values.map(bound) }),
        rowMode: 'array',
        types: { getTypeParser: () => asText },
      });
      const answers = await Promise.race([asked, silence]);
      // Of several statements in one text the last one's counts.
      const last = Array.isArray(answers) ? answers.at(-1) : answers;
      return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 };
    } catch (error) {
      if (isCut(error)) this.#drop(session);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #drop(session: Session): void {
    session.broken = true;
    discard(session.client);
  }

  async #letGo(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (session !== null && !session.broken) await session.client.end().catch(() => {});
  }
}

function limitsOf(address: Address): Readonly<Record<string, number>> {
  return {
    statement_timeout: address.statementTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  };
}

function asText(value: string): string {
  return value;
}

function bound(value: Parameter): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'bigint' ? String(value) : value;
}
