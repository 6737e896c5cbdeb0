import { writeFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import type { ActionReport } from '../../../src/model/action.ts';
import type { WholeFailure } from '../../../src/model/failure.ts';
import type { LogEntry } from '../../../src/model/ports.ts';
import { Consumer } from '../../support/consumer.ts';
import { allShapes, deadLettered, published } from '../../support/shapes.ts';
import { contents, type Journey, type Place } from './place.ts';

const DEAD = /,\s*"dead_letter":\s*\{.*?\}(?=\}$)/;
const BLOB = { type: 'Binary.gzip', value: Buffer.from([0, 255, 10, 13]).toString('base64') };

const order = (place: Place, n: number) =>
  deadLettered({ id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`, queue: place.queue });
const reset = (body: string) => body.replace(DEAD, '').replace('"attempts":3', '"attempts":0');

export const ACTING: readonly Journey[] = [
  {
    name: 'retry: every shape arrives with its bytes and attributes, reset where it must be',
    async run(place) {
      const { server, dlq, queue } = place;
      const laid = allShapes(queue, Date.now() - 60_000).map((one) => ({
        ...one,
        attributes: { ...one.attributes, blob: BLOB },
      }));
      await server.send(dlq, laid);
      const report = await place.act('retry', '--all', '--to', queue);
      // The bodies of shapes e and f were lost before they got here.
      const lost = laid.filter(({ shape }) => shape === 'e' || shape === 'f');
      expect(report).toMatchObject({ code: 3, matched: 10, done: 8, skipped: 2, failed: 0, uncertain: 0 });
      const expected = laid
        .filter((one) => !lost.includes(one))
        .map(({ shape, body, attributes }) => ({
          body: shape === 'c' ? 'order=1042;total=99.90' : reset(body),
          attributes,
        }));
      const arrived = await server.drain(queue);
      expect(contents(arrived)).toEqual(contents(expected));
      const ids = report.items.flatMap(({ new_id }) => (new_id === null ? [] : [new_id]));
      expect(ids.sort()).toEqual(arrived.map(({ messageId }) => messageId).sort());
      expect((await server.drain(dlq)).map(({ body }) => body).sort()).toEqual(lost.map(({ body }) => body).sort());
    },
  },
  {
    name: 'retry: on FIFO each group keeps its order, and each message its group',
    async run(place) {
      const fifo = await place.beside('ordered', { fifo: true });
      const laid = Array.from({ length: 18 }, (_, n) => ({
        ...order(fifo, n),
        groupId: `g${n % 3}`,
        deduplicationId: `laid-${n}`,
      }));
      await place.server.send(fifo.dlq, laid);
      expect(await fifo.act('retry', '--all')).toMatchObject({ code: 0, done: 18 });
      const arrived = await place.server.drain(fifo.queue);
      for (const group of ['g0', 'g1', 'g2']) {
        expect(
          arrived.filter(({ systemAttributes }) => systemAttributes.MessageGroupId === group).map(({ body }) => body),
        ).toEqual(laid.filter(({ groupId }) => groupId === group).map(({ body }) => reset(body)));
      }
      expect(await place.server.drain(fifo.dlq)).toEqual([]);
      fifo.close();
    },
  },
  {
    name: 'retry --wait: what its app sets aside again came back, what it handles stays away',
    async run(place) {
      const watched = await place.beside('watched', { maxReceiveCount: 1, attributes: { VisibilityTimeout: '1' } });
      await place.server.send(watched.dlq, [order(watched, 1), order(watched, 2)]);
      const app = await Consumer.start(place.server, watched.queue, ({ body }) =>
        body.includes('000000000001') ? { setAside: { reason: 'failed', error: 'again' } } : 'handled',
      );
      try {
        const report = await watched.act('retry', '--all', '--wait', '30s');
        expect(report, report.stderr).toMatchObject({ code: 5, done: 2 });
        expect(report.items.map(({ returned }) => returned).sort()).toEqual([false, true]);
      } finally {
        await app.stop();
        watched.close();
      }
    },
  },
  {
    name: 'dismiss and restore: gone from the queue, and back byte for byte',
    async run(place) {
      const { server, dlq } = place;
      const laid = { ...order(place, 1), attributes: { ...order(place, 1).attributes, blob: BLOB } };
      const [id = ''] = await server.send(dlq, [laid]);
      expect(await place.act('dismiss', id.slice(0, 8))).toMatchObject({ code: 0, done: 1 });
      expect(await server.drain(dlq)).toEqual([]);
      const { failures } = await place.json<{ failures: WholeFailure[] }>('deliveries', '--state', 'dismissed');
      expect(failures).toMatchObject([{ id: `${dlq}/${id}`, state: 'dismissed', held_in: 'archive' }]);
      const restored = await place.act('restore', id);
      expect(restored).toMatchObject({ code: 0, done: 1 });
      const back = await server.drain(dlq);
      expect(back).toMatchObject([
        { messageId: restored.items[0]?.new_id, body: laid.body, attributes: laid.attributes },
      ]);
      const { entries } = await place.sandbox.json<{ entries: LogEntry[] }>(['log']);
      expect(entries.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual(['restore done', 'dismiss done']);
    },
  },
  {
    name: 'plan: carried out to the letter, once',
    async run(place) {
      const { server, dlq, queue } = place;
      const ids = await server.send(dlq, [order(place, 1), order(place, 2), order(place, 3)]);
      const dry = await place.babelq('retry', '--reason', 'failed', '--dry-run', '--json');
      expect(JSON.parse(dry.stdout)).toMatchObject({ dry_run: true, matched: 3 });
      writeFileSync(place.sandbox.path('plan.json'), dry.stdout);
      expect((await place.act('dismiss', ids[2] ?? '')).code).toBe(0);
      await server.send(dlq, [order(place, 4)]);
      const carried = await place.act('retry', '--plan', 'plan.json');
      expect(carried).toMatchObject({ code: 3, matched: 3, done: 2, skipped: 1 });
      expect(await place.act('retry', '--plan', 'plan.json')).toMatchObject({ done: 2, skipped: 1 });
      expect(contents(await server.drain(queue)).map(({ body }) => body)).toEqual(
        [order(place, 1), order(place, 2)].map(({ body }) => reset(body)),
      );
      expect((await server.drain(dlq)).map(({ body }) => body)).toEqual([order(place, 4).body]);
    },
  },
  {
    name: 'edit: the member that was named is changed, and not a byte more',
    async run(place) {
      const data = '{"order_id":9007199254740993,"currency":"EURO","total":99.90}';
      await place.server.send(place.dlq, [published({ data, queue: place.queue })]);
      const mend = ['--set', 'data.currency=EUR', '--to', place.queue];
      expect(await place.act('retry', '--where', 'data.currency=EURO', ...mend)).toMatchObject({ code: 0, done: 1 });
      expect((await place.server.drain(place.queue)).map(({ body }) => body)).toEqual([
        published({ data: data.replace('EURO', 'EUR'), queue: place.queue }).body,
      ]);
    },
  },
  {
    name: 'export and import: what was lost is put back byte for byte, and never twice',
    async run(place) {
      const { server, dlq } = place;
      const laid = allShapes(place.queue, Date.now() - 60_000).map(({ body, attributes }, n) => ({
        body,
        attributes: n === 0 ? { ...attributes, blob: BLOB } : attributes,
      }));
      await server.send(dlq, laid);
      const { stdout, code } = await place.babelq('export');
      expect(code).toBe(0);
      writeFileSync(place.sandbox.path('out.ndjson'), stdout);
      const before = contents(await server.drain(dlq));
      expect(before).toHaveLength(laid.length);
      expect(await place.act('import', 'out.ndjson')).toMatchObject({ code: 0, done: laid.length });
      expect(await place.act('import', 'out.ndjson')).toMatchObject({ code: 1, skipped: laid.length });
      expect(contents(await server.drain(dlq))).toEqual(before);
    },
  },
  {
    name: 'Ctrl+C in the middle of a retry: told to the message, and nothing stays hidden',
    async run(place) {
      const { server, dlq, queue } = place;
      await server.send(
        dlq,
        Array.from({ length: 60 }, (_, n) => order(place, n)),
      );
      const args = ['retry', '--all', '--rate', '20', '--yes', '--json', '--sqs', dlq];
      const running = place.sandbox.start(args);
      const { client } = server;
      const seen = async () => Number((await client.queueAttributes(server.urlOf(queue))).ApproximateNumberOfMessages);
      await vi.waitFor(async () => expect(await seen()).toBeGreaterThan(4), { timeout: 20_000, interval: 100 });
      running.kill('SIGINT');
      const { stdout, stderr, code } = await running.done;
      expect(code, stderr).toBe(130);
      const { done } = JSON.parse(stdout) as ActionReport;
      expect(done).toBeLessThan(60);
      expect(await server.drain(queue)).toHaveLength(done);
      expect(await server.drain(dlq)).toHaveLength(60 - done);
    },
  },
  {
    name: 'two at once on one queue share the work',
    async run(place) {
      const { server, dlq, queue } = place;
      const laid = Array.from({ length: 120 }, (_, n) => order(place, n));
      await server.send(dlq, laid);
      const both = await Promise.all([place.act('retry', '--all'), place.act('retry', '--all')]);
      expect(both.reduce((sum, { done }) => sum + done, 0)).toBe(120);
      for (const report of both) expect(report).toMatchObject({ failed: 0, uncertain: 0 });
      const bodies = (await server.drain(queue)).map(({ body }) => body);
      expect(bodies.sort()).toEqual(laid.map(({ body }) => reset(body)).sort());
    },
  },
];
