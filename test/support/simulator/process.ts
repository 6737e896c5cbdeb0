import Database from 'better-sqlite3';
import {
  type BatchAnswer,
  type ReceivedMessage,
  SqsCallError,
  type SqsClient,
} from '../../../src/adapters/sqs/client.ts';
import type { Clock, Journal } from '../../../src/model/ports.ts';
import type { VirtualTime } from './clock.ts';
import type { Fate, Faults } from './faults.ts';
import type { SimulatedSqs } from './sqs.ts';

/** What happens to a process at one of its awaits. */
export type Blow =
  /** It dies, with what it was waiting for done or not. */
  | { kind: 'crash'; after: boolean }
  /** Ctrl+C. */
  | { kind: 'abort' }
  /** It stands still while the world goes on: a laptop closed, a full machine. */
  | { kind: 'pause'; ms: number }
  /** The clock on the wall is set. */
  | { kind: 'clock'; ms: number }
  /** Its journal's disk is full for so long, or somebody else keeps the file locked. */
  | { kind: 'journal'; trouble: 'SQLITE_FULL' | 'SQLITE_BUSY'; ms: number };

/** How the world hears of what a process does. */
export interface Watcher {
  /** It is about to act on the service. */
  acts(process: string): void;
  /** These were hidden for it, and it will never know. */
  lost(messageIds: readonly string[]): void;
  trace(line: string): void;
}

const NOBODY: Watcher = { acts: () => {}, lost: () => {}, trace: () => {} };

/** How long a client waits for an answer, a long poll's time apart; what comes later is still acted on. */
const ANSWER_MS = 10_000;

/** How often look-ups and receives are tried, as the SDK is told to. */
const LOOK_TRIES = 3;

/**
 * One babelq: what it sees of the world and when. Everything it awaits comes through here, so that a crash is the end of
 * its world and of nothing else: what it awaited never comes, and what it still calls is never made, while the queues
 * and what its journal committed live on.
 */
export class SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  /** Resolves when it dies. */
  readonly died: Promise<'died'>;
  dead = false;
  /** By how many ms its clock was set while it ran. */
  get clockOff(): number {
    return this.#clockOff;
  }

  /** How many awaits there were. */
  awaits = 0;
  readonly #time: VirtualTime;
  readonly #blows: ReadonlyMap<string, Blow>;
  readonly #counts = new Map<string, number>();
  readonly #abort = new AbortController();
  readonly #watcher: Watcher;
  #die: () => void = () => {};
  #frozenUntil = 0;
  #clockOff = 0;
  #journalTrouble: { code: string; until: number } = { code: '', until: 0 };

  /** @param blows what befalls it, by the await: `#12` is the twelfth, `SendMessageBatch#2` the second of that call */
  constructor(
    name: string,
    time: VirtualTime,
    blows: ReadonlyMap<string, Blow> = new Map(),
    watcher: Watcher = NOBODY,
  ) {
    this.name = name;
    this.#time = time;
    this.#blows = blows;
    this.#watcher = watcher;
    this.died = new Promise((resolve) => {
      this.#die = () => resolve('died');
    });
    this.clock = {
      now: () => time.now() + this.#clockOff,
      sleep: (ms, signal) => this.#await('sleep', () => time.sleep(ms, signal)),
    };
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  crash(): void {
    if (this.dead) return;
    this.#watcher.trace(`${this.name} crashes`);
    this.dead = true;
    this.#die();
  }

  /** The service as this process reaches it. */
  client(sqs: SimulatedSqs, faults: Faults): SqsClient {
    const closed = Promise.withResolvers<never>();
    closed.promise.catch(() => {});
    const call = <T>(name: string, act: () => T | Promise<T>, wait = 0): Promise<T> =>
      this.#await(name, () => this.#travel(name, faults.fateOf(name), act, ANSWER_MS + wait));
    const batch = <E extends { id: string }, A extends { id: string }>(
      name: string,
      entries: readonly E[],
      act: (entries: readonly E[]) => BatchAnswer<A>,
    ) =>
      call(name, async () => {
        const answer = await faults.batch(entries, act);
        this.#watcher.trace(`    ${name} ${said(entries)}: ${said(answer.successful)}, failed ${said(answer.failed)}`);
        return answer;
      });
    // The SDK asks again by itself where nothing but an answer can get lost.
    const look = <T>(name: string, act: () => T | Promise<T>, wait = 0, lost?: (answer: T) => void): Promise<T> =>
      this.#await(name, async () => {
        for (let tries = 1; ; tries += 1) {
          try {
            return await this.#travel(name, faults.fateOf(name), act, ANSWER_MS + wait, lost);
          } catch (error) {
            const refused = error instanceof SqsCallError && error.trouble === 'refused';
            if (refused || tries === LOOK_TRIES) throw error;
            await this.#time.sleep(100 * tries);
          }
        }
      });
    const receive: SqsClient['receive'] = (url, request) => {
      const wait = request.waitSeconds * 1000;
      const asked = this.#time.now();
      const lose = (messages: readonly ReceivedMessage[]) =>
        this.#watcher.lost(messages.map(({ messageId }) => messageId));
      const poll = async () => {
        const messages = await sqs.receive(url, request, () => this.#watcher.acts(this.name));
        // It counts from when it asked, so it takes them for visible again before they are.
        if (this.#time.now() - asked > wait + 1_000) lose(messages);
        return messages;
      };
      return look('ReceiveMessage', poll, wait, lose);
    };
    return {
      queueUrl: (name, account) => look('GetQueueUrl', () => sqs.queueUrl(name, account)),
      queueAttributes: (url) => look('GetQueueAttributes', () => sqs.queueAttributes(url)),
      deadLetterSources: (url) => look('ListDeadLetterSourceQueues', () => sqs.deadLetterSources(url)),
      receive: (url, request) => Promise.race([receive(url, request), closed.promise]),
      sendBatch: (url, entries) => batch('SendMessageBatch', entries, (some) => sqs.sendBatch(url, some)),
      deleteBatch: async (url, entries) => {
        const answer = await batch('DeleteMessageBatch', entries, (some) => sqs.deleteBatch(url, some));
        this.#lose(entries, (id) => isLost(answer, id));
        return answer;
      },
      changeVisibilityBatch: async (url, entries) => {
        const act = (some: typeof entries) => sqs.changeVisibilityBatch(url, some);
        const extensions = new Set(entries.filter(({ seconds }) => seconds > 0).map(({ id }) => id));
        try {
          const answer = await batch('ChangeMessageVisibilityBatch', entries, act);
          for (const { id } of answer.successful) extensions.delete(id);
          this.#lose(entries, (id) => extensions.has(id) || isLost(answer, id));
          return answer;
        } catch (error) {
          // Which may have been made: how long it is hidden can't be known any more.
          this.#lose(entries, (id) => extensions.has(id));
          throw error;
        }
      },
      startMoveTask: (task) => call('StartMessageMoveTask', () => sqs.startMoveTask(task)),
      moveTasks: (arn) => look('ListMessageMoveTasks', () => sqs.listMoveTasks(arn)),
      cancelMoveTask: (handle) => look('CancelMessageMoveTask', () => sqs.cancelMoveTask(handle)),
      close: () =>
        closed.reject(new SqsCallError('ReceiveMessage', 'no_answer', 'AbortError', 'The client was closed.')),
    };
  }

  /** The journal's file as this process reaches it: full or locked at times, and out of reach once it is dead. */
  database(inner: Database.Database): Database.Database {
    const fail = (code: string) => {
      throw new Database.SqliteError(`${code} (simulated)`, code);
    };
    const guard = (sql: string) => {
      if (this.dead) fail('SQLITE_IOERR');
      const { code, until } = this.#journalTrouble;
      const hits = sql === 'COMMIT' ? code === 'SQLITE_FULL' : code === 'SQLITE_BUSY';
      if (hits && this.#time.now() < until) fail(code);
    };
    return new Proxy(inner, {
      get: (target, key) => {
        const value = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        if (key !== 'prepare') return value.bind(target);
        return (sql: string) => {
          const statement = prepared(target, sql);
          if (sql !== 'COMMIT' && sql !== 'BEGIN IMMEDIATE') return statement;
          return {
            run: () => {
              guard(sql);
              return statement.run();
            },
          };
        };
      },
    });
  }

  /** The journal as this process has it: each of its calls is an await where anything may befall it. */
  journal(inner: Journal): Journal {
    const through = <T>(name: string, act: () => Promise<T>): Promise<T> =>
      this.#await(`journal ${name}`, () => this.#time.during(act()));
    return {
      location: inner.location,
      begin: (start) => through('begin', () => inner.begin(start)),
      beat: (run) => through('beat', () => inner.beat(run)),
      end: (run, how) => through('end', () => inner.end(run, how)),
      intend: (run, intents) => through('intend', () => inner.intend(run, intents)),
      settle: (settlements) => through('settle', () => inner.settle(settlements)),
      recall: (place, messages, run) => through('recall', () => inner.recall(place, messages, run)),
      archived: (place, page) => through('archived', () => inner.archived(place, page)),
      countArchived: (place) => through('countArchived', () => inner.countArchived(place)),
      sent: (run) => through('sent', () => inner.sent(run)),
      imported: (place, ids) => through('imported', () => inner.imported(place, ids)),
      log: (query) => through('log', () => inner.log(query)),
      close: () => inner.close(),
    };
  }

  /** What these handles hide is not known to it any more. */
  #lose(entries: readonly { id: string; receiptHandle: string }[], which: (id: string) => boolean): void {
    const lost = entries.filter(({ id }) => which(id));
    this.#watcher.lost(lost.map(({ receiptHandle }) => receiptHandle.slice(0, receiptHandle.indexOf('#'))));
  }

  /**
   * There, done, and back: or not in time, and then it may be done all the same, even later.
   * @param lost told of an answer that doesn't get back
   */
  #travel<T>(
    call: string,
    fate: Fate,
    act: () => T | Promise<T>,
    patience: number,
    lost: (answer: T) => void = () => {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      let late = false;
      let onItsWay: { answer: T } | null = null;
      const inTime = this.#time.after(patience, () => {
        late = true;
        if (onItsWay !== null) lost(onItsWay.answer);
        reject(new SqsCallError(call, 'no_answer', 'TimeoutError', `${call}: no answer in time (simulated)`));
      });
      const arrive = async () => {
        await this.#time.sleep(fate.there);
        this.#watcher.acts(this.name);
        const answer = fate.acted ? await act() : undefined;
        if (fate.acted && (late || fate.trouble !== null)) lost(answer as T);
        else if (fate.acted) onItsWay = { answer: answer as T };
        await this.#time.sleep(fate.back);
        if (fate.trouble === null) return answer as T;
        this.#watcher.trace(`    ${call} ${fate.acted ? 'done' : 'not done'}: ${fate.trouble.code}`);
        throw fate.trouble;
      };
      arrive().finally(inTime).then(resolve, reject);
    });
  }

  /** One await of the process: the place where anything may befall it. */
  #await<T>(name: string, act: () => Promise<T>): Promise<T> {
    if (this.dead) return NEVER;
    this.awaits += 1;
    const nth = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, nth);
    const blow = this.#blows.get(`#${this.awaits}`) ?? this.#blows.get(`${name}#${nth}`);
    if (blow === undefined) return this.#delivered(act());
    this.#watcher.trace(`${this.name} ${blow.kind} at await ${this.awaits}, ${name} ${JSON.stringify(blow)}`);
    switch (blow.kind) {
      case 'crash':
        // What is on its way gets there though its sender is gone.
        if (blow.after)
          act().then(
            () => this.crash(),
            () => this.crash(),
          );
        else this.crash();
        return blow.after ? this.#delivered(NEVER) : NEVER;
      case 'abort':
        this.#abort.abort();
        break;
      case 'pause':
        this.#frozenUntil = this.#time.now() + blow.ms;
        break;
      case 'clock':
        this.#clockOff += blow.ms;
        break;
      case 'journal':
        this.#journalTrouble = { code: blow.trouble, until: this.#time.now() + blow.ms };
        break;
    }
    return this.#delivered(act());
  }

  #delivered<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const whenAwake = (act: () => void) => {
        if (this.dead) return;
        const wait = this.#frozenUntil - this.#time.now();
        if (wait > 0) this.#time.after(wait, () => whenAwake(act));
        else act();
      };
      work.then(
        (value) => whenAwake(() => resolve(value)),
        (error) => whenAwake(() => reject(error)),
      );
    });
  }
}

const statements = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** Every process would prepare the same statements anew on the handle that they share; that takes longer than their work. */
function prepared(database: Database.Database, sql: string): Database.Statement {
  const ready = statements.get(database) ?? new Map<string, Database.Statement>();
  statements.set(database, ready);
  const statement = ready.get(sql) ?? database.prepare(sql);
  ready.set(sql, statement);
  return statement;
}

/** Whether an answer says that a handle counts for nothing. */
function isLost({ failed }: BatchAnswer, id: string): boolean {
  return failed.some((one) => one.id === id && /ReceiptHandleIsInvalid|InvalidParameterValue/.test(one.code));
}

/** Entries for a trace: by the beginnings of their ids. */
function said(entries: readonly object[]): string {
  const words = entries.map((entry) =>
    Object.entries(entry)
      .filter(([key]) => /^(id|receiptHandle|seconds|messageId|code)$/.test(key))
      .map(([, value]) => String(value).replace(/^([0-9a-f]{8})-[0-9a-f-]{27}/, '$1'))
      .join(' '),
  );
  return `[${words.join(', ')}]`;
}

const NEVER = new Promise<never>(() => {});
