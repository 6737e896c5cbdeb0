import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import type { SendEntry } from '../../../src/adapters/sqs/client.ts';
import type { Attributes } from '../../../src/model/failure.ts';
import { Sandbox } from '../../support/run-babelq.ts';
import { type Seen, WireServer } from '../../support/wire-server.ts';
import { factOf, sqsServersHere } from '../here.ts';
import { noteTried } from '../results.ts';
import { App, type Handled } from './app.ts';
import { CREATED, DATA, envelope, TRACEPARENT } from './bodies.ts';

// A machine that is busy takes its time over all these processes.
vi.setConfig({ testTimeout: 180_000 });

/**
 * The same messages on two dead-letter queues, one redriven by the SDK and one by babelq, and what the same app then makes
 * of them. What the SDK does otherwise is a table of docs/babelqueue.md, which `npm run test:interop -- -u` writes.
 */
const PAGE = resolve(import.meta.dirname, '../../../docs/babelqueue.md');
/** It remembers deduplication ids as SQS does, and keeps all attributes. */
const ON = 'elasticmq';

interface Row {
  /** As the page names it. */
  what: string;
  /** As it lies on the dead-letter queue, and as it was published. */
  body: string;
  published: string;
  attributes?: Attributes;
}

const rows: [string, string, string][] = [];
const note = (what: string, sdk: string, babelq: string) => {
  rows.push([what, sdk, babelq]);
  const outcome = sdk === babelq ? 'alike' : 'different';
  noteTried(inject('results'), { part: 'babelqueue', kind: 'other', name: `redrive: ${what}`, outcome });
};

const text = (value: string) => ({ type: 'String', value });
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
/** The one id that each message has for itself. */
const markOf = (body: string) => UUID.exec(body)?.[0] ?? '';

const server = sqsServersHere().find(({ name }) => name === ON);

describe.skipIf(server === undefined || factOf('babelqueue', 'python') === null)(
  "babelq beside the SDK's own redrive",
  () => {
    if (server === undefined) return;
    let wire: WireServer;
    let sandbox: Sandbox;
    let app: App;
    beforeAll(async () => {
      wire = await WireServer.at(server.name, server.endpoint, server.account);
      sandbox = new Sandbox(wire.environment);
      app = new App(wire.environment);
    });
    afterAll(() => {
      app.close();
      wire.client.close();
      sandbox.remove();
    });

    const babelq = (dlq: string, ...args: string[]) => sandbox.run(['--sqs', dlq, 'retry', ...args, '--yes']);

    /** Two queues with a dead-letter queue each, with the same on both. */
    async function twins(name: string, entries: readonly Partial<SendEntry>[], fifo = false) {
      const suffix = fifo ? '.fifo' : '';
      return await Promise.all(
        ['sdk', 'babelq'].map(async (by) => {
          const twin = {
            queue: `${name}-${by}${suffix}`,
            dlq: `${name}-${by}-dlq${suffix}`,
            again: `${name}-${by}-again${suffix}`,
          };
          await Promise.all([twin.dlq, twin.queue, twin.again].map((queue) => wire.createQueue(queue)));
          const mine = entries.map((entry) => ({ ...entry, body: (entry.body ?? '').replaceAll('QUEUE', twin.queue) }));
          return { ...twin, sent: await wire.send(twin.dlq, mine) };
        }),
      );
    }

    /** What became of a message, in words that both sides are measured by. */
    function became(
      row: Row,
      twin: { queue: string; sent: string[] },
      at: number,
      seen: Handled[],
      left: Seen[],
      again: Seen[],
    ): string {
      const published = row.published.replaceAll('QUEUE', twin.queue);
      const mark = markOf(row.body);
      const stays = left.find(({ body }) => body.includes(mark));
      if (stays) return stays.messageId === twin.sent[at] ? 'left where it lies' : 'put on the dead-letter queue anew';
      const handled = seen.find(({ body }) => body.includes(mark));
      const refused = again.find(({ body }) => body.includes(mark));
      const body = handled?.body ?? refused?.body;
      if (body === undefined) return 'lost';
      const lost =
        handled === undefined
          ? []
          : Object.entries(row.attributes ?? {}).filter(([name, { type }]) => {
              return !type.startsWith('Binary') && name !== 'bq-replay-bypass' && !(name in handled.headers);
            });
      const how = handled === undefined ? 'sent, and set aside again' : 'handled';
      // A body that the app can't read carries its record when it is set aside again.
      const whole =
        handled === undefined
          ? body.includes(JSON.stringify(published).slice(1, -1)) || body.includes(published.trim().slice(0, -1))
          : body === published;
      return [
        `${how}, ${whole ? 'byte for byte' : 'its body written anew'}`,
        ...(handled?.replay === true ? ['as a replay'] : []),
        ...(lost.length === 0 ? [] : [`without ${lost.map(([name]) => `\`${name}\``).join(' and ')}`]),
      ].join(', ');
    }

    test('what each makes of the same messages', async () => {
      const record = (extra = '') =>
        `"dead_letter":{"reason":"failed","error":"x","failed_at":1749132730000,"original_queue":"QUEUE","attempts":3,"lang":"python"${extra}}`;
      const dead = (published: string) =>
        `${published.replace('"attempts":0', '"attempts":3').slice(0, -1)},${record()}}`;
      const poison = record().replace('failed"', 'poison"');
      const projection = (): Attributes => ({
        'bq-job': text(CREATED),
        'bq-schema-version': { type: 'Number', value: '1' },
      });
      const plain = (data: string) => envelope('QUEUE', { id: randomUUID(), trace: 'trace-1', data });
      const of = (what: string, published: string, attributes = projection(), body = dead(published)): Row => ({
        what,
        published,
        attributes,
        body,
      });
      const unreadable = `<order id="${randomUUID()}"/>`;
      const nameless = `{"order_id":"${randomUUID()}"}`;
      const refused = `{\n  "job": "${CREATED}", "data": { "total": 1.50 },\n  "meta": { "id": "${randomUUID()}", "queue": "QUEUE", "schema_version": 2 },\n  "attempts": 1\n}`;
      const all: Row[] = [
        of('as the SDK wrote it', plain('{"order_id":1042}')),
        of('with a `traceparent` and an attribute of its own', plain('{}'), {
          ...projection(),
          traceparent: text(TRACEPARENT),
          tenant: text('acme'),
        }),
        of("with another writer's numbers and escapes (`99.90`, `1E2`, `\\u00e9`)", plain(DATA)),
        of('with a member twice', plain('{"a":1,"a":2}')),
        of(
          'with a member that the contract forbids (`meta.ts`)',
          plain('{}').replace('"created_at"', '"ts":1,"created_at"'),
        ),
        of('named by `urn` instead of `job`', plain('{}').replace('"job"', '"urn"')),
        of('with a replay marker from before', plain('{}'), { ...projection(), 'bq-replay-bypass': text('1') }),
        of(
          'poison that is no JSON object (ADR-0035, `raw`)',
          unreadable,
          {},
          `{"raw":${JSON.stringify(unreadable)},${poison}}`,
        ),
        of('poison that is a JSON object without a name', nameless, {}, `${nameless.slice(0, -1)},${poison}}`),
        of(
          'refused for its version, never decoded',
          refused,
          { 'bq-schema-version': { type: 'Number', value: '2' } },
          refused,
        ),
      ];
      const [sdk, ours] = await twins('redrive', all);
      if (sdk === undefined || ours === undefined) return;
      await app.redrive(sdk.dlq);
      expect(await babelq(ours.dlq, '--all')).toMatchObject({ code: 0 });
      const ends = [];
      for (const twin of [sdk, ours]) {
        const { seen } = await app.consume({
          queue: twin.queue,
          handlers: { [CREATED]: 'ok' },
          most: all.length + 1,
          dead_letter: true,
          dlq: twin.again,
        });
        const [left, again] = [await wire.look(twin.dlq), await wire.look(twin.again)];
        ends.push(all.map((row, at) => became(row, twin, at, seen, left, again)));
      }
      for (const [at, { what }] of all.entries()) note(what, ends[0]?.[at] ?? '', ends[1]?.[at] ?? '');
      // Whatever the SDK makes of them: all that is retried is what was published.
      for (const end of ends[1] ?? []) expect(end).toMatch(/^(handled|sent, and set aside again), byte for byte$/);
    });

    test('a replay, and what was not asked for', async () => {
      const other = envelope('QUEUE', {
        id: randomUUID(),
        trace: 'trace-1',
        urn: 'urn:babel:orders:voided',
        data: '{}',
      });
      const replayed = envelope('QUEUE', { id: randomUUID(), trace: 'trace-1', data: '{}' });
      const attributes = { traceparent: text(TRACEPARENT) };
      const [sdk, ours] = await twins('select', [
        { body: replayed, attributes },
        { body: other, attributes },
      ]);
      if (sdk === undefined || ours === undefined) return;
      await app.redrive(sdk.dlq, { only_urn: CREATED, bypass: true });
      expect(await babelq(ours.dlq, '--subject', CREATED, '--bypass', '--to', ours.queue)).toMatchObject({ code: 0 });
      const ends = [];
      for (const twin of [sdk, ours]) {
        const { seen } = await app.consume({ queue: twin.queue, handlers: { [CREATED]: 'ok' }, most: 2 });
        const left = await wire.look(twin.dlq);
        ends.push([
          became({ what: '', body: replayed, published: replayed, attributes }, twin, 0, seen, left, []),
          became({ what: '', body: other, published: other }, twin, 1, seen, left, []),
        ]);
      }
      note('as a replay (`bypass`), with a `traceparent`', ends[0]?.[0] ?? '', ends[1]?.[0] ?? '');
      note('not selected', ends[0]?.[1] ?? '', ends[1]?.[1] ?? '');
      expect(ends[1]).toEqual(['handled, byte for byte, as a replay', 'left where it lies']);
    });

    test('FIFO: within five minutes, and its group', async () => {
      const queues = await twins('fifo', [], true);
      const ends: string[][] = [];
      for (const { queue, dlq } of queues) {
        const id = randomUUID();
        const body = envelope(queue, { id, data: '{}' });
        await app.send(queue, body, { fifo: true });
        // The app sets it aside itself.
        const failing = { queue, handlers: { [CREATED]: 'fail' as const }, most: 3, dead_letter: true, fifo: true };
        expect((await app.consume(failing)).processed).toBe(3);
        const early = randomUUID();
        const dead = envelope(queue, { id: early, data: '{}' }).slice(0, -1);
        await wire.send(dlq, [
          {
            body: `${dead},"dead_letter":{"reason":"failed","original_queue":"${queue}"}}`,
            groupId: 'customer-7',
            deduplicationId: early,
          },
        ]);
        if (dlq.includes('sdk')) await app.redrive(dlq, { fifo: true });
        else {
          const { items } = await sandbox.json<{ items: { outcome: string }[] }>([
            '--sqs',
            dlq,
            'retry',
            '--all',
            '--yes',
          ]);
          expect(items.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
        }
        const sent = await wire.drain(queue);
        const left = await wire.drain(dlq);
        const first = sent.find((one) => one.body.includes(id));
        const second = sent.find((one) => one.body.includes(early));
        const group = second?.systemAttributes.MessageGroupId;
        ends.push([
          first === undefined && left.length === 0 ? 'accepted by SQS and dropped as a repetition: lost' : 'sent',
          group === 'customer-7' ? 'in its group' : `in the group of the queue's name`,
        ]);
      }
      note('FIFO: within five minutes of being published', ends[0]?.[0] ?? '', ends[1]?.[0] ?? '');
      note('FIFO: with a group of its own', ends[0]?.[1] ?? '', ends[1]?.[1] ?? '');
      expect(ends[1]).toEqual(['sent', 'in its group']);
    });

    test('FIFO: a dry run within five minutes of being set aside', async () => {
      const queues = await twins('dry', [], true);
      const ends: string[] = [];
      for (const { queue, dlq } of queues) {
        await app.send(queue, envelope(queue, { id: randomUUID(), data: '{}' }), { fifo: true });
        await app.consume({ queue, handlers: { [CREATED]: 'fail' }, most: 3, dead_letter: true, fifo: true });
        if (dlq.includes('sdk')) await app.redrive(dlq, { fifo: true, dry_run: true });
        else await sandbox.json(['--sqs', dlq, 'retry', '--all', '--dry-run']);
        ends.push(
          (await wire.drain(dlq)).length === 1
            ? 'left where it lies'
            : 'sent to its own queue, dropped as a repetition, deleted: lost',
        );
      }
      note('FIFO: a dry run within five minutes of being set aside', ends[0] ?? '', ends[1] ?? '');
      expect(ends[1]).toBe('left where it lies');
    });

    test('a logical name that no queue has, where SQS moved it', async () => {
      const ends: string[] = [];
      for (const by of ['sdk', 'babelq']) {
        const [queue, dlq] = [`logical-${by}`, `logical-${by}-dlq`];
        await wire.createQueue(dlq);
        await wire.createQueue(queue, { VisibilityTimeout: '0' }, { queue: dlq, maxReceiveCount: 1 });
        await app.send(queue, envelope('shop', { id: randomUUID(), data: '{}' }));
        await app.consume({ queue, handlers: { [CREATED]: 'fail' }, most: 2, max_attempts: 99 });
        if (by === 'sdk')
          await app.redrive(dlq).catch((error: Error) => expect(error.message).toMatch(/NonExistent|DoesNotExist/));
        else expect(await babelq(dlq, '--all')).toMatchObject({ code: 0 });
        ends.push(
          (await wire.look(queue)).length === 1
            ? 'sent to the queue that it came from'
            : 'stops there with an error, what follows is not redriven',
        );
      }
      note('moved by SQS, with a logical name in `meta.queue`', ends[0] ?? '', ends[1] ?? '');
      expect(ends[1]).toBe('sent to the queue that it came from');
    });

    test('the page tells what this run saw', async () => {
      const table = [
        '| the message | the SDK | babelq |',
        '| --- | --- | --- |',
        ...rows.map((row) => `| ${row.join(' | ')} |`),
      ].join('\n');
      const page = readFileSync(PAGE, 'utf8');
      const [before = '', rest = ''] = page.split('<!-- redrive -->\n');
      const after = rest.slice(rest.indexOf('<!-- /redrive -->'));
      const told = `${before}<!-- redrive -->\n${table}\n${after}`;
      await expect(told).toMatchFileSnapshot(PAGE);
    });
  },
);
