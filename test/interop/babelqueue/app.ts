import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { factOf } from '../here.ts';

/** What a handler was given. */
export interface Handled {
  urn: string;
  /** As the SDK reads it, written as JSON again: integers to the last digit. */
  data: string;
  trace_id: string;
  id: string;
  attempts: number;
  /** `IsReplay`: whether outside effects are to be skipped. */
  replay: boolean;
  /** The String and Number attributes that came with it. */
  headers: Record<string, string>;
  /** The body as it was received. */
  body: string;
}

interface Consuming {
  queue: string;
  /** What the handler of each URN does. */
  handlers: Record<string, 'ok' | 'fail'>;
  /** How many deliveries it takes; fewer where nothing comes. */
  most: number;
  dead_letter?: boolean;
  /** The dead-letter queue's name, where it isn't the SDK's own choice. */
  dlq?: string;
  max_attempts?: number;
  on_unknown_urn?: 'fail' | 'delete' | 'release' | 'dead_letter';
  fifo?: boolean;
}

/** BabelQueue's SDK in a process of its own, which ends when this one does: its stdin closes. */
export class App {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();
  #said = '';

  /** @param sdk `old`: the release from before ADR-0035 */
  constructor(environment: Readonly<Record<string, string>>, sdk: 'newest' | 'old' = 'newest') {
    const python = factOf('babelqueue', 'python');
    if (python === null) throw new Error('BabelQueue’s SDK is not here.');
    const packages = sdk === 'old' ? { PYTHONPATH: factOf('babelqueue', 'old') ?? '' } : {};
    this.#child = spawn(python, [join(import.meta.dirname, 'app.py')], {
      env: { PATH: process.env.PATH ?? '', ...environment, ...packages },
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-2000);
    });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Sends a text by the SDK's transport, with the attributes that it makes of it. */
  async send(queue: string, body: string, more: { headers?: Record<string, string>; fifo?: boolean } = {}) {
    await this.#tell({ do: 'send', queue, body, ...more });
  }

  /** Has the SDK make the envelope and publish it; gives its `meta.id`. */
  async publish(queue: string, urn: string, data: unknown, headers: Record<string, string> = {}): Promise<string> {
    return (await this.#tell<{ id: string }>({ do: 'publish', queue, urn, data, headers })).id;
  }

  /** Takes deliveries until it has had `most`, or nothing came twice: an empty answer alone says little. */
  async consume(what: Consuming): Promise<{ processed: number; seen: Handled[] }> {
    const all = { processed: 0, seen: [] as Handled[] };
    for (let empty = 0; all.processed < what.most && empty < 2; ) {
      const told = await this.#tell<typeof all>({ do: 'consume', ...what, most: what.most - all.processed });
      empty = told.processed === 0 ? empty + 1 : 0;
      all.processed += told.processed;
      all.seen.push(...told.seen);
    }
    return all;
  }

  /** The SDK's own redrive of a dead-letter queue. */
  async redrive(
    dlq: string,
    how: { to?: string; bypass?: boolean; dry_run?: boolean; only_urn?: string; fifo?: boolean } = {},
  ): Promise<{ redriven: number; skipped: number }> {
    return await this.#tell({ do: 'redrive', dlq, ...how });
  }

  /** What the newest SDK reads: the name; or, where it is poison, null and the record that it would write. */
  async decode(bodies: readonly string[]): Promise<{ urn: string | null; record: string | null }[]> {
    return (await this.#tell<{ read: { urn: string | null; record: string | null }[] }>({ do: 'decode', bodies })).read;
  }

  close(): void {
    this.#child.stdin.end();
  }

  /** One command at a time, in their order. */
  #tell<T>(command: Record<string, unknown>): Promise<T> {
    const answered = this.#last.then(async () => {
      this.#child.stdin.write(`${JSON.stringify(command)}\n`);
      const { value, done } = await this.#lines.next();
      if (done) throw new Error(`The app ended: ${this.#said}`);
      const answer = JSON.parse(value) as T & { error?: string };
      if (answer.error !== undefined) throw new Error(`${command.do}: ${answer.error}`);
      return answer;
    });
    this.#last = answered.catch(() => {});
    return answered;
  }
}
