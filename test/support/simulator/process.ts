import type { ReceivedMessage, SqsClient } from '../../../src/adapters/sqs/client.ts';
import { SqsCallError } from '../../../src/adapters/sqs/client.ts';
import { BabelqError } from '../../../src/model/errors.ts';
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
  /** From now on its journal's disk is full; or one write fails. */
  | { kind: 'journal'; forGood: boolean };

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
  /** How many awaits there were. */
  awaits = 0;
  readonly #time: VirtualTime;
  readonly #blows: ReadonlyMap<number, Blow>;
  readonly #abort = new AbortController();
  readonly #trace: (line: string) => void;
  #die: () => void = () => {};
  #frozenUntil = 0;
  #clockOff = 0;
  #journalFails: 'no' | 'once' | 'always' = 'no';

  /** @param blows what befalls it, by the number of the await (from 1) */
  constructor(
    name: string,
    time: VirtualTime,
    blows: ReadonlyMap<number, Blow> = new Map(),
    trace: (line: string) => void = () => {},
  ) {
    this.name = name;
    this.#time = time;
    this.#blows = blows;
    this.#trace = trace;
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
    this.#trace(`${this.name} crashes`);
    this.dead = true;
    this.#die();
  }

  /** The service as this process reaches it. */
  client(sqs: SimulatedSqs, faults: Faults): SqsClient {
    const closed = Promise.withResolvers<never>();
    closed.promise.catch(() => {});
    const call = <T>(name: string, act: () => T | Promise<T>): Promise<T> =>
      this.#await(name, () => this.#travel(faults.fateOf(name), act));
    return {
      queueUrl: (name, account) => call('GetQueueUrl', () => sqs.queueUrl(name, account)),
      queueAttributes: (url) => call('GetQueueAttributes', () => sqs.queueAttributes(url)),
      deadLetterSources: (url) => call('ListDeadLetterSourceQueues', () => sqs.deadLetterSources(url)),
      receive: (url, request) =>
        Promise.race([call<ReceivedMessage[]>('ReceiveMessage', () => sqs.receive(url, request)), closed.promise]),
      sendBatch: (url, entries) =>
        call('SendMessageBatch', () => faults.batch(entries, (some) => sqs.sendBatch(url, some))),
      deleteBatch: (url, entries) =>
        call('DeleteMessageBatch', () => faults.batch(entries, (some) => sqs.deleteBatch(url, some))),
      changeVisibilityBatch: (url, entries) =>
        call('ChangeMessageVisibilityBatch', () =>
          faults.batch(entries, (some) => sqs.changeVisibilityBatch(url, some)),
        ),
      close: () =>
        closed.reject(new SqsCallError('ReceiveMessage', 'no_answer', 'AbortError', 'The client was closed.')),
    };
  }

  /** The journal as this process has it: the same file, its own life. */
  journal(inner: Journal): Journal {
    const through = <T>(name: string, writes: boolean, act: () => Promise<T>): Promise<T> =>
      this.#await(`journal ${name}`, () => {
        if (writes && this.#journalFails !== 'no') {
          if (this.#journalFails === 'once') this.#journalFails = 'no';
          return Promise.reject(new BabelqError('journal', 'The journal could not be written: the disk is full.'));
        }
        return this.#time.during(act());
      });
    return {
      location: inner.location,
      begin: (start) => through('begin', true, () => inner.begin(start)),
      beat: (run) => through('beat', true, () => inner.beat(run)),
      end: (run, how) => through('end', true, () => inner.end(run, how)),
      intend: (run, intents) => through('intend', true, () => inner.intend(run, intents)),
      settle: (settlements) => through('settle', true, () => inner.settle(settlements)),
      recall: (place, messages, run) => through('recall', false, () => inner.recall(place, messages, run)),
      archived: (place, page) => through('archived', false, () => inner.archived(place, page)),
      countArchived: (place) => through('countArchived', false, () => inner.countArchived(place)),
      log: (query) => through('log', false, () => inner.log(query)),
      close: () => inner.close(),
    };
  }

  async #travel<T>(fate: Fate, act: () => T | Promise<T>): Promise<T> {
    await this.#time.sleep(fate.there);
    const answer = fate.acted ? await act() : undefined;
    await this.#time.sleep(fate.back);
    if (fate.trouble !== null) throw fate.trouble;
    return answer as T;
  }

  /** One await of the process: the place where anything may befall it. */
  #await<T>(name: string, act: () => Promise<T>): Promise<T> {
    if (this.dead) return NEVER;
    this.awaits += 1;
    const blow = this.#blows.get(this.awaits);
    if (blow === undefined) return this.#delivered(act());
    this.#trace(`${this.name} ${blow.kind} at await ${this.awaits}, ${name} ${JSON.stringify(blow)}`);
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
        this.#journalFails = blow.forGood ? 'always' : 'once';
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

const NEVER = new Promise<never>(() => {});
