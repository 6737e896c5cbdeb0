import { expect, vi } from 'vitest';
import type { ActionReport } from '../../../src/model/action.ts';
import { contents, type Journey } from './place.ts';

const NONE = 'there are no move tasks';

export const MOVING: readonly Journey[] = [
  {
    name: "native: the server's own task moves the whole queue as it is",
    notOn: { moto: NONE, fauxqs: NONE },
    async run(place) {
      const native = await place.beside('moved', { maxReceiveCount: 1 });
      const laid = ['{"n":1.0}', '{"n":2.0}', 'order=3'].map((body) => ({
        body,
        attributes: { kind: { type: 'String', value: 'é' } },
      }));
      await native.deadLetterNatively(laid);
      const report = await native.act('retry', '--native', '--all');
      expect(report, report.stderr).toMatchObject({ code: 0, done: 3, failed: 0 });
      expect(contents(await place.server.drain(native.queue))).toEqual(contents(laid));
      expect(await place.server.drain(native.dlq)).toEqual([]);
      native.close();
    },
  },
  {
    name: 'native: Ctrl+C cancels the task; what was moved and what was not is all there is',
    notOn: { moto: NONE, fauxqs: NONE },
    async run(place) {
      const native = await place.beside('cancelled', { maxReceiveCount: 1 });
      await native.deadLetterNatively(Array.from({ length: 10 }, (_, n) => ({ body: `{"n":${n}}` })));
      const running = native.sandbox.start([
        'retry',
        '--native',
        '--all',
        '--rate',
        '1',
        '--yes',
        '--json',
        '--sqs',
        native.dlq,
      ]);
      const { client } = place.server;
      const url = place.server.urlOf(native.queue);
      const arrived = async () => Number((await client.queueAttributes(url)).ApproximateNumberOfMessages);
      await vi.waitFor(async () => expect(await arrived()).toBeGreaterThan(0), { timeout: 20_000, interval: 100 });
      running.kill('SIGINT');
      const { stdout, stderr, code } = await running.done;
      expect(code, stderr).toBe(130);
      const moved = (await place.server.drain(native.queue)).length;
      const left = (await place.server.drain(native.dlq)).length;
      expect([moved + left, left > 0]).toEqual([10, true]);
      expect(Math.abs((JSON.parse(stdout) as ActionReport).done - moved)).toBeLessThanOrEqual(1);
      native.close();
    },
  },
];
