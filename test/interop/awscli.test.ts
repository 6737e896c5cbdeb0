import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, expect, inject, test, vi } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import type { Failure, WholeFailure } from '../../src/model/failure.ts';
import type { EmulatorName } from '../support/emulator-faults.ts';
import { deadLettered, published } from '../support/shapes.ts';
import { WireServer } from '../support/wire-server.ts';
import { factOf, sqsServersHere } from './here.ts';
import { Place } from './journeys/place.ts';
import { noteTried } from './results.ts';

const program = factOf('awscli', 'program');
const here = (...names: EmulatorName[]) => sqsServersHere().filter(({ name }) => names.includes(name));
let made = 0;
/** So many, at one a second, that a task still runs when the next program has started. */
const TASK_SIZE = 30;

/** A message as `aws sqs receive-message` prints it. */
interface Printed {
  MessageId: string;
  Body: string;
  Attributes: Record<string, string>;
  MessageAttributes?: Record<string, { DataType: string; StringValue?: string; BinaryValue?: string }>;
}

/** Runs `aws sqs …` as a person would, and reads what it prints. */
function aws<T>(place: Place, ...args: string[]): Promise<T> {
  const all = ['sqs', ...args, '--endpoint-url', place.server.endpoint, '--output', 'json'];
  const env = { ...place.sandbox.env, AWS_DEFAULT_REGION: place.server.region, PYTHONUTF8: '1' };
  return new Promise((done, failed) => {
    execFile(program ?? '', all, { env, cwd: place.sandbox.home }, (error, stdout, stderr) => {
      if (error === null) done((stdout === '' ? {} : JSON.parse(stdout)) as T);
      else failed(new Error(`aws ${all.join(' ')}: ${stderr}`));
    });
  });
}

const receive = async (place: Place, queue: string): Promise<Printed[]> => {
  const all = ['--attribute-names', 'All', '--message-attribute-names', 'All', '--max-number-of-messages', '10'];
  const url = place.server.urlOf(queue);
  return (await aws<{ Messages?: Printed[] }>(place, 'receive-message', '--queue-url', url, ...all)).Messages ?? [];
};

/** Sends messages in one batch that is read from a file, and gives their MessageIds in that order. */
async function send(place: Place, queue: string, entries: readonly object[]): Promise<string[]> {
  const file = place.sandbox.path('entries.json');
  writeFileSync(file, JSON.stringify(entries.map((entry, n) => ({ Id: `${n}`, ...entry }))));
  const url = place.server.urlOf(queue);
  const { Successful } = await aws<{ Successful: { Id: string; MessageId: string }[] }>(
    place,
    'send-message-batch',
    ...['--queue-url', url, '--entries', `file://${file}`],
  );
  return entries.map((_, n) => Successful.find(({ Id }) => Id === `${n}`)?.MessageId ?? '');
}

async function open(
  { name, endpoint, account }: { name: EmulatorName; endpoint: string; account: string },
  options?: Parameters<typeof Place.open>[2],
): Promise<Place> {
  made += 1;
  const stem = `awscli-${made}`;
  return Place.open(await WireServer.at(name, endpoint, account), stem, options);
}
function leave(place: Place): void {
  place.server.client.close();
  place.close();
}
const note = (name: string) => noteTried(inject('results'), { part: 'awscli', kind: 'other', name, outcome: 'alike' });

describe.skipIf(program === null)("AWS's own CLI beside babelq", { retry: 1 }, () => {
  test.for(here('elasticmq', 'moto', 'localstack'))(
    'on $name: what it sends babelq reads, and what babelq retries it sees, byte for byte',
    async (server, { onTestFinished }) => {
      const place = await open(server);
      onTestFinished(() => leave(place));
      const { dlq, queue } = place;
      const app = deadLettered({
        queue,
        data: '{"n":9007199254740993,"total":99.90,"s":"caf\\u00e9 \\/ é 日本 😀\u2028"}',
      });
      const other = 'plain – text\twith "quotes" \\ and\r\nlines 😀';
      const bytes = 'þ\u0001\u0000ÿ';
      const [first = '', second = ''] = await send(place, dlq, [
        {
          MessageBody: app.body,
          MessageAttributes: {
            'bq-job': { DataType: 'String', StringValue: 'urn:babel:orders:created' },
            count: { DataType: 'Number.int', StringValue: '9007199254740993' },
            text: { DataType: 'String', StringValue: 'naïve 日本 😀' },
            blob: { DataType: 'Binary.raw', BinaryValue: bytes },
          },
        },
        { MessageBody: other },
      ]);
      const attributes = {
        'bq-job': { type: 'String', value: 'urn:babel:orders:created' },
        count: { type: 'Number.int', value: '9007199254740993' },
        text: { type: 'String', value: 'naïve 日本 😀' },
        blob: { type: 'Binary.raw', value: Buffer.from(bytes).toString('base64') },
      };
      const { failures } = await place.json<{ failures: WholeFailure[] }>('inspect', first, second);
      const byId = Object.fromEntries(failures.map((failure) => [failure.id, failure]));
      expect(byId[`${dlq}/${first}`]).toMatchObject({ body: app.body, attributes, reason: 'failed', retry_to: queue });
      expect(byId[`${dlq}/${second}`]).toMatchObject({ body: other, attributes: {} });

      const report = await place.act('retry', '--all', '--to', queue);
      expect(report, report.stderr).toMatchObject({ code: 0, done: 2 });
      const arrived = await receive(place, queue);
      const ids = report.items.map(({ new_id }) => new_id);
      expect(arrived.map(({ MessageId }) => MessageId).sort()).toEqual(ids.sort());
      const body = app.body.replace(/,"dead_letter":\{.*?\}(?=\}$)/, '').replace('"attempts":3', '"attempts":0');
      expect(arrived.map(({ Body }) => Body).sort()).toEqual([other, body].sort());
      const sent = arrived.find(({ Body }) => Body === body)?.MessageAttributes ?? {};
      expect(
        Object.fromEntries(
          Object.entries(sent).map(([name, { DataType, StringValue, BinaryValue }]) => [
            name,
            { type: DataType, value: StringValue ?? BinaryValue },
          ]),
        ),
      ).toEqual(attributes);
      note(`messages on ${server.name}`);
    },
  );

  test.for(here('localstack'))(
    'on $name: FIFO groups, order and deduplication go through both',
    async (server, { onTestFinished }) => {
      const place = await open(server, { fifo: true });
      onTestFinished(() => leave(place));
      const { dlq, queue } = place;
      const bodies = [0, 1, 2, 3].map(
        (n) => published({ queue, data: `{"n":${n}}`, id: `00000000-0000-4000-8000-00000000000${n}` }).body,
      );
      await send(
        place,
        dlq,
        bodies.map((MessageBody, n) => ({ MessageBody, MessageGroupId: `g${n % 2}`, MessageDeduplicationId: `d${n}` })),
      );
      expect(await place.act('retry', '--all')).toMatchObject({ code: 0, done: 4 });
      const arrived = await receive(place, queue);
      const of = (group: string) =>
        arrived.filter(({ Attributes }) => Attributes.MessageGroupId === group).map(({ Body }) => Body);
      expect([of('g0'), of('g1')]).toEqual([
        [bodies[0], bodies[2]],
        [bodies[1], bodies[3]],
      ]);
      for (const { Attributes } of arrived) expect(Attributes.MessageDeduplicationId).not.toMatch(/^d\d$/);
      note(`FIFO on ${server.name}`);
    },
  );

  test.for(here('elasticmq', 'localstack'))(
    'on $name: a move task that it started is seen and not doubled, and ends by the command that babelq prints',
    async (server, { onTestFinished }) => {
      const place = await open(server, { maxReceiveCount: 1 });
      onTestFinished(() => leave(place));
      await place.deadLetterNatively(Array.from({ length: TASK_SIZE }, (_, n) => ({ body: `{"n":${n}}` })));
      const arn = (name: string) => `arn:aws:sqs:${place.server.region}:${place.server.account}:${name}`;
      const task = ['--source-arn', arn(place.dlq), '--destination-arn', arn(place.queue)];
      await aws(place, 'start-message-move-task', ...task, '--max-number-of-messages-per-second', '1');
      const refused = await place.babelq('retry', '--native', '--all', '--yes');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(
        /A move task is under way on \S+-dlq already since \S+: about \d+ of about 30 moved/,
      );
      const handle = /aws sqs cancel-message-move-task --task-handle ['"]?([^\s'"]+)/.exec(refused.stderr)?.[1] ?? '';
      await aws(place, 'cancel-message-move-task', '--task-handle', handle);
      const { failures } = await place.json<{ failures: Failure[] }>('deliveries');
      expect(failures.length).toBeGreaterThan(0);
      note(`a move task of its own on ${server.name}`);
    },
  );

  test.for(here('localstack', 'local-aws-sqs'))(
    'on $name: a move task that babelq started is listed by it, and its cancellation is said by babelq',
    async (server, { onTestFinished }) => {
      const place = await open(server, { maxReceiveCount: 1 });
      onTestFinished(() => leave(place));
      await place.deadLetterNatively(Array.from({ length: TASK_SIZE }, (_, n) => ({ body: `{"n":${n}}` })));
      const args = ['retry', '--native', '--all', '--rate', '1', '--yes', '--json', '--sqs', place.dlq];
      const running = place.sandbox.start(args);
      const arn = `arn:aws:sqs:${place.server.region}:${place.server.account}:${place.dlq}`;
      // Something was moved: a task that was cancelled before that has changed nothing.
      const begun = { status: 'RUNNING', moved: expect.toSatisfy((moved: number) => moved > 0) };
      await vi.waitFor(async () => expect((await place.server.client.moveTasks(arn))[0]).toMatchObject(begun), {
        timeout: 20_000,
        interval: 100,
      });
      const { Results } = await aws<{ Results: { Status: string; TaskHandle: string }[] }>(
        place,
        ...['list-message-move-tasks', '--source-arn', arn],
      );
      expect(Results[0]).toMatchObject({ Status: 'RUNNING', TaskHandle: expect.any(String) });
      await aws(place, 'cancel-message-move-task', '--task-handle', Results[0]?.TaskHandle ?? '');
      const { code, stdout, stderr } = await running.done;
      expect(code, stderr).toBe(3);
      expect(stderr).toContain('The move task was cancelled: about');
      const { done } = JSON.parse(stdout) as ActionReport;
      expect(await place.server.drain(place.queue)).toHaveLength(done);
      expect(await place.server.drain(place.dlq)).toHaveLength(TASK_SIZE - done);
      note(`a move task of babelq's on ${server.name}`);
    },
  );
});
