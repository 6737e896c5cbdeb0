import type { Clock } from '../../../src/model/ports.ts';

interface Timer {
  at: number;
  order: number;
  fire: () => void;
  cancelled: boolean;
}

/** Where virtual time begins: 2026-11-30T14:00:00Z. */
const START = 1_796_047_200_000;

/** After so many turns of the event loop with nothing but somebody's unfinished work, time moves on all the same. */
const PATIENCE = 20;

/**
 * Time that stands still while anything can run, and then jumps to whatever was to happen next: hours pass in
 * milliseconds, and the same choices give the same order of events. One event fires at a time, and what it sets going
 * runs to its end (promises by the turn of the event loop, work that uses the loop itself by `during`) before the next.
 */
export class VirtualTime implements Clock {
  #now = START;
  #order = 0;
  #fired = 0;
  #underWay = 0;
  readonly #heap: Timer[] = [];

  now(): number {
    return this.#now;
  }

  /** How many events there were. */
  get events(): number {
    return this.#fired;
  }

  /** Calls `fire` after `ms`; the answer takes it back. */
  after(ms: number, fire: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, Math.ceil(ms)), order: this.#order++, fire, cancelled: false };
    push(this.#heap, timer);
    return () => {
      timer.cancelled = true;
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        cancel();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = this.after(ms, wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Time stands still until the work is done: for what waits by the event loop itself, as a group commit does. */
  during<T>(work: Promise<T>): Promise<T> {
    this.#underWay += 1;
    const done = () => {
      this.#underWay -= 1;
    };
    work.then(done, done);
    return work;
  }

  /**
   * Lets time pass until the work is done, and answers what came of it.
   * @throws Error where nothing is left that could ever happen, or where `limits` are passed: a livelock
   */
  run<T>(work: Promise<T>, limits: { events?: number; ms?: number } = {}): Promise<T> {
    const lastEvent = this.#fired + (limits.events ?? 1_000_000);
    const lastTime = this.#now + (limits.ms ?? 14 * 24 * 3_600_000);
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      work.then(settle, settle);
      let turns = 0;
      const turn = () => {
        if (settled) return resolve(work);
        turns += 1;
        if (this.#underWay > 0 && turns < PATIENCE) return void setImmediate(turn);
        turns = 0;
        const timer = this.#next();
        // Without an event the work may still be a few turns from its end.
        if (timer === undefined) return setImmediate(() => (settled ? resolve(work) : reject(stuck(this.#underWay))));
        this.#now = Math.max(this.#now, timer.at);
        this.#fired += 1;
        if (this.#fired > lastEvent) return reject(new Error(`Livelock: no end after ${this.#fired} events.`));
        if (this.#now > lastTime) return reject(new Error('Livelock: no end after so long a time.'));
        timer.fire();
        setImmediate(turn);
      };
      setImmediate(turn);
    });
  }

  #next(): Timer | undefined {
    for (;;) {
      const timer = pop(this.#heap);
      if (timer === undefined || !timer.cancelled) return timer;
    }
  }
}

function stuck(underWay: number): Error {
  return new Error(`Deadlock: nothing is left that could happen, and ${underWay} calls are still waiting.`);
}

function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Timer[], timer: Timer): void {
  let i = heap.length;
  heap.push(timer);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    const above = heap[parent] as Timer;
    if (!before(timer, above)) break;
    heap[i] = above;
    i = parent;
  }
  heap[i] = timer;
}

function pop(heap: Timer[]): Timer | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
    if (!before(heap[child] as Timer, last)) break;
    heap[i] = heap[child] as Timer;
    i = child;
  }
  heap[i] = last;
  return first;
}
