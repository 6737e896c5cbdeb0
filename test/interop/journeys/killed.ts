import Sqlite from 'better-sqlite3';
import { expect } from 'vitest';
import type { LogEntry } from '../../../src/model/ports.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { deadLettered } from '../../support/shapes.ts';
import type { Journey, Place } from './place.ts';

const MESSAGES = 30;

/** When it is killed: at a call of this action, before the server hears of it, or when it was done and nobody told. */
const KILLS = [
  { action: 'ReceiveMessage', done: true },
  { action: 'SendMessageBatch', done: false },
  { action: 'SendMessageBatch', done: true },
  { action: 'DeleteMessageBatch', done: false },
  { action: 'DeleteMessageBatch', done: true },
] as const;

/** A proxy that keeps the newest receipt handle of each message: what a killed babelq hid can be made visible by it. */
class Watch {
  readonly #handles = new Map<string, string>();
  readonly #place: Place;
  readonly proxy: FaultProxy;

  private constructor(place: Place, proxy: FaultProxy) {
    this.#place = place;
    this.proxy = proxy;
  }

  static async start(place: Place): Promise<Watch> {
    return new Watch(place, await startFaultProxy(place.server, { longestPoll: 100 }));
  }

  /** Passes everything through, but for one call: that one kills. */
  killAt({ action, done }: (typeof KILLS)[number], kill: () => void): void {
    let killed = false;
    this.proxy.plan = (call): Fault => {
      const hear = (answer: string) => {
        if (call.action === 'ReceiveMessage') this.#note(answer);
      };
      if (killed || call.action !== action) return { kind: 'none', onDone: hear };
      killed = true;
      if (done) {
        return {
          kind: 'cut_after',
          onDone: (answer) => {
            hear(answer);
            kill();
          },
        };
      }
      kill();
      return { kind: 'cut' };
    };
  }

  passAll(): void {
    this.proxy.plan = ({ action }) =>
      action === 'ReceiveMessage' ? { kind: 'none', onDone: (answer) => this.#note(answer) } : null;
  }

  #note(answer: string): void {
    const { Messages = [] } = JSON.parse(answer) as { Messages?: { MessageId: string; ReceiptHandle: string }[] };
    for (const { MessageId, ReceiptHandle } of Messages) this.#handles.set(MessageId, ReceiptHandle);
  }

  /** As if the time had gone by after which a silent run counts as dead and what it hid becomes visible. */
  async letTimePass(journal: string): Promise<void> {
    const database = new Sqlite(journal);
    database.prepare('UPDATE runs SET beat_at = 0 WHERE ended_at IS NULL').run();
    database.close();
    await this.proxy.idle();
    const { client } = this.#place.server;
    const url = this.#place.server.urlOf(this.#place.dlq);
    // What is gone by now can't be changed, each server refuses that in its own way.
    await Promise.allSettled(
      [...this.#handles.values()].map((receiptHandle) =>
        client.changeVisibilityBatch(url, [{ id: '0', receiptHandle, seconds: 0 }]),
      ),
    );
    this.#handles.clear();
  }
}

export const KILLED: readonly Journey[] = [
  {
    name: 'kill -9 at each step of a retry: nothing is lost, and nothing is doubled unsaid',
    async run(place) {
      const { server, dlq, queue } = place;
      const watch = await Watch.start(place);
      const journal = place.sandbox.path('journal.db');
      const env = { AWS_ENDPOINT_URL: watch.proxy.endpoint };
      const retry = ['retry', '--all', '--yes', '--json', '--sqs', dlq, '--journal', journal];
      const bodyOf = (n: number) =>
        deadLettered({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, queue, data: `{"n":${n}}` });
      const ids = await server.send(
        dlq,
        Array.from({ length: MESSAGES }, (_, n) => bodyOf(n)),
      );
      try {
        let killed = 0;
        for (const moment of KILLS) {
          const running = place.sandbox.start(retry, { env });
          watch.killAt(moment, () => running.kill('SIGKILL'));
          const { code } = await running.done;
          if (code === null) killed += 1;
          watch.passAll();
          await watch.proxy.idle();
          await watch.letTimePass(journal);
        }
        // A run that finds nothing more to send ends before it could be killed at that.
        expect(killed).toBeGreaterThanOrEqual(3);
        for (let runs = 0; runs < 4; runs += 1) {
          const { code, stderr } = await place.sandbox.run(retry, { env });
          expect([0, 3, 4], stderr).toContain(code);
          if (code === 4) break;
          await watch.letTimePass(journal);
        }
        const { entries } = await place.sandbox.json<{ entries: LogEntry[] }>(['log', '--journal', journal]);
        const isDoubtful = ({ possible_double, outcome }: LogEntry) =>
          possible_double || outcome === 'uncertain' || outcome === 'under_way';
        const doubted = new Set(entries.filter(isDoubtful).map(({ id }) => ids.indexOf(id.slice(id.indexOf('/') + 1))));
        const arrived = (await server.drain(queue)).map(({ body }) => Number(/"n":(\d+)/.exec(body)?.[1]));
        const wrong = ids.flatMap((_, n) => {
          const copies = arrived.filter((one) => one === n).length;
          if (copies === 0) return [`${n} is lost`];
          return copies > 1 && !doubted.has(n) ? [`${n} was sent ${copies} times, unsaid`] : [];
        });
        expect(wrong).toEqual([]);
        expect(await server.drain(dlq)).toEqual([]);
      } finally {
        await watch.proxy.close();
      }
    },
  },
];
