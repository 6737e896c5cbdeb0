import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectSqs } from '../../../../src/adapters/sqs/aws-client.ts';
import { SqsCallError, type SqsClient } from '../../../../src/adapters/sqs/client.ts';
import { openSqsSource } from '../../../../src/adapters/sqs/source.ts';
import type { ActionItem } from '../../../../src/model/action.ts';
import { carryOutImport, type ImportAsk, planImport } from '../../../../src/model/operations/import.ts';
import { aFailure } from '../../../support/failure.ts';
import { wallClock as clock } from '../../../support/wall-clock.ts';
import { Workbench, wrapped } from './workbench.ts';

let bench: Workbench;
afterEach(() => bench.close());
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('copy');
});

const lineOf = (n: number, failure: object = {}) =>
  JSON.stringify({
    failure: {
      ...aFailure({ id: `orders/m${n}`, body: `body ${n}`, attributes: {}, system_attributes: {} }),
      ...failure,
    },
    exported_at: '2026-11-30T14:02:11.034Z',
    redacted: false,
  });

/** Imports a file into a queue, as the command does. */
async function importing(
  texts: string[],
  { to, between, again = false }: { to: string; between?: (client: SqsClient) => SqsClient; again?: boolean },
): Promise<ActionItem[]> {
  const source = openSqsSource(
    { name: 'elsewhere', queue: 'orders-dlq', endpoint: bench.server.endpoint, region: bench.server.region },
    {
      journal: bench.journal,
      clock,
      connect: async (options) => {
        const client = await connectSqs(options);
        return between ? between(client) : client;
      },
    },
  );
  const items: ActionItem[] = [];
  const ask: ImportAsk = {
    name: 'file',
    lines: async function* () {
      for (const [at, text] of texts.entries()) yield { number: at + 1, text };
    },
    sources: [source],
    journal: bench.journal,
    clock,
    by: 'test',
    note: null,
    requireNote: false,
    to,
    again,
    allowReceive: false,
    signal: new AbortController().signal,
    onItem: (item) => items.push(item),
  };
  try {
    await carryOutImport(ask, await planImport(ask));
    return items;
  } finally {
    await source.close();
  }
}

test('what may have been put there is uncertain, and is put there again only where that is told', async () => {
  let sent = 0;
  const lost = wrapped((client) => ({
    sendBatch: async (...args) => {
      await client.sendBatch(...args);
      sent += 1;
      throw new SqsCallError('SendMessageBatch', 'no_answer', 'ECONNRESET', 'cut');
    },
  }));
  const first = await importing([lineOf(1), lineOf(2)], { to: 'copy', between: lost });
  expect(first).toMatchObject([
    { outcome: 'uncertain', detail: expect.stringContaining('It may have been sent') },
    { outcome: 'uncertain' },
  ]);
  expect(sent).toBe(1);
  const second = await importing([lineOf(1), lineOf(2), lineOf(3)], { to: 'copy' });
  expect(second).toMatchObject([
    {
      outcome: 'skipped',
      detail: expect.stringMatching(/may have put it there: its answer was never heard\. --again/),
    },
    { outcome: 'skipped' },
    { outcome: 'done', id: 'orders/m3' },
  ]);
  expect(await importing([lineOf(1)], { to: 'copy', again: true })).toMatchObject([{ outcome: 'done' }]);
  expect(bench.bodies('copy').sort()).toEqual(['body 1', 'body 1', 'body 2', 'body 3']);
});

test('what was surely not put there is tried by the next import', async () => {
  const refused = wrapped(() => ({
    sendBatch: async (_url, entries) => ({
      successful: [],
      failed: entries.map(({ id }) => ({ id, code: 'InvalidMessageContents', message: 'no', senderFault: true })),
    }),
  }));
  const first = await importing([lineOf(1)], { to: 'copy', between: refused });
  expect(first).toMatchObject([{ outcome: 'failed', detail: 'Not sent: InvalidMessageContents: no.' }]);
  expect(await importing([lineOf(1)], { to: 'copy' })).toMatchObject([{ outcome: 'done', to: 'copy' }]);
});

test('on FIFO nothing follows a message of its group that could not be put there', async () => {
  await bench.server.createQueue('copy.fifo');
  const grouped = (n: number, group: string) => lineOf(n, { system_attributes: { MessageGroupId: group } });
  const failing = wrapped((client) => ({
    sendBatch: async (url, entries) => {
      const bad = entries.filter(({ body }) => body === 'body 2');
      const answer = await client.sendBatch(
        url,
        entries.filter((entry) => !bad.includes(entry)),
      );
      const failed = bad.map(({ id }) => ({ id, code: 'X', message: '', senderFault: true }));
      return { ...answer, failed: [...answer.failed, ...failed] };
    },
  }));
  const texts = [grouped(1, 'a'), grouped(2, 'a'), grouped(3, 'a'), grouped(4, 'b')];
  const items = await importing(texts, { to: 'copy.fifo', between: failing });
  const outcomes = Object.fromEntries(items.map(({ id, outcome }) => [id, outcome]));
  expect(outcomes).toEqual({
    'orders/m1': 'done',
    'orders/m2': 'failed',
    'orders/m3': 'skipped',
    'orders/m4': 'done',
  });
  expect(bench.bodies('copy.fifo').sort()).toEqual(['body 1', 'body 4']);
});

test('a file that changes between the look and the act puts nothing that was not looked at', async () => {
  let reads = 0;
  const texts = [lineOf(1), lineOf(2)];
  const changing = new Proxy(texts, {
    get: (target, key) => {
      if (key !== 'entries') return Reflect.get(target, key);
      reads += 1;
      return () => (reads < 3 ? target : [lineOf(1), lineOf(9), lineOf(3)]).entries();
    },
  });
  expect(await importing(changing, { to: 'copy' })).toMatchObject([
    { id: 'orders/m2', outcome: 'skipped', detail: 'file has changed since it was read.' },
    { id: 'orders/m1', outcome: 'done' },
  ]);
  expect(bench.bodies('copy')).toEqual(['body 1']);
});
