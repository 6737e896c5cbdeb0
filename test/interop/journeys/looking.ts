import { expect } from 'vitest';
import type { Failure, WholeFailure } from '../../../src/model/failure.ts';
import type { Checked } from '../../../src/model/operations/check.ts';
import type { Grouped } from '../../../src/model/operations/groups.ts';
import type { SourceReport } from '../../../src/model/operations/survey.ts';
import { allShapes, deadLettered, published } from '../../support/shapes.ts';
import type { Journey } from './place.ts';

const HOUR = 3_600_000;
const SOURCES = 'the queues whose RedrivePolicy points at a queue can be listed';
const SOURCE_ARN = 'SQS moves a message after maxReceiveCount receives: the same id and bytes, with the source ARN';
const BINARY = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64');

export const LOOKING: readonly Journey[] = [
  {
    name: 'list: each shape with its reason, origin and target; nothing stays hidden',
    async run(place) {
      const { server, dlq, queue } = place;
      await server.send(dlq, allShapes(queue, Date.now() - HOUR));
      const { failures, sources } = await place.json<{ failures: Failure[]; sources: SourceReport[] }>('deliveries');
      expect(sources).toMatchObject([{ name: dlq, listed: 10, about: 10, complete: true, error: null }]);
      const told = failures.map(({ origin, reason, reason_basis, retry_to, retry_to_basis }) =>
        [origin, reason, reason_basis, retry_to, retry_to_basis].join(' '),
      );
      const policy = !place.differs(SOURCES);
      expect(told.sort()).toEqual(
        [
          `sqs_app failed recorded ${queue} original_queue`,
          `sqs_app unknown_urn recorded ${queue} original_queue`,
          ...Array(3).fill(`sqs_app poison recorded ${queue} original_queue`),
          `sqs_app expired recorded ${queue} original_queue`,
          ...(policy
            ? [
                ...Array(2).fill(`sqs_app unsupported_schema_version inferred ${queue} policy`),
                ...Array(2).fill(`sqs_native max_receives inferred ${queue} policy`),
              ]
            : [
                `sqs_app unsupported_schema_version inferred ${queue} name`,
                'sqs_app unsupported_schema_version inferred  ',
                `sqs_app unclassified inferred ${queue} name`,
                'sqs_app unclassified inferred  ',
              ]),
        ].sort(),
      );
      for (const { sent_at } of failures) expect(Date.now() - Date.parse(sent_at ?? '')).toBeLessThan(HOUR);
      expect(await server.drain(dlq)).toHaveLength(10);
    },
  },
  {
    name: 'list: what the server itself dead-lettered',
    async run(place) {
      const native = await place.beside('native', { maxReceiveCount: 1 });
      const message = published({ queue: native.queue });
      await native.deadLetterNatively([message]);
      const { failures } = await native.json<{ failures: Failure[] }>('deliveries');
      const knowsArn = !place.differs(SOURCE_ARN);
      const knowsSources = !place.differs(SOURCES);
      expect(failures).toMatchObject([
        {
          origin: knowsArn || knowsSources ? 'sqs_native' : 'sqs_app',
          reason: knowsArn || knowsSources ? 'max_receives' : 'unclassified',
          queue: native.queue,
          retry_to: native.queue,
          retry_to_basis: knowsArn ? 'source_arn' : knowsSources ? 'policy' : 'name',
        },
      ]);
      native.close();
    },
  },
  {
    name: 'inspect: the stored bytes, and every attribute as it was sent',
    async run(place) {
      const { body, attributes } = published({
        data: '{"n":9007199254740993,"total":99.90,"s":"caf\\u00e9 \\/ é\u2028"}',
      });
      const all = {
        ...attributes,
        blob: { type: 'Binary.png', value: BINARY },
        count: { type: 'Number.int', value: '7' },
        text: { type: 'String', value: 'naïve – 日本 😀' },
      };
      const [id = ''] = await place.server.send(place.dlq, [{ body, attributes: all }]);
      expect(await place.babelq('inspect', id, '--raw')).toMatchObject({ stdout: body, code: 0 });
      const { failures } = await place.json<{ failures: WholeFailure[] }>('inspect', id.slice(0, 8));
      expect(failures).toMatchObject([{ id: `${place.dlq}/${id}`, body, attributes: all }]);
    },
  },
  {
    name: 'groups and check: one cause is one group, and an alarm is one',
    async run(place) {
      const order = (n: number, reason: string, error: string) =>
        deadLettered({
          id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
          queue: place.queue,
          deadLetter: { reason, error, exception: null, failedAt: Date.now() - n * HOUR },
        });
      await place.server.send(place.dlq, [
        ...Array.from({ length: 12 }, (_, n) => order(n, 'failed', `order ${n} timed out after ${n * 31} ms`)),
        ...[12, 13, 14].map((n) => order(n, 'unknown_urn', 'no handler')),
      ]);
      const { groups } = await place.json<Grouped>('groups');
      expect(groups.map(({ count, key }) => [count, key.reason])).toEqual([
        [12, 'failed'],
        [3, 'unknown_urn'],
      ]);
      expect(JSON.parse((await place.babelq('check', '--json')).stdout)).toMatchObject({ matched: 15, read: false });
      const alarm = await place.babelq('check', '--older-than', '10h30m', '--json');
      expect(alarm.code).toBe(5);
      expect(JSON.parse(alarm.stdout) as Checked).toMatchObject({ by_reason: { failed: 1, unknown_urn: 3 } });
      expect((await place.babelq('check', '--max', '15')).code).toBe(0);
      const { sources } = await place.json<{ sources: object[] }>('sources');
      expect(sources).toMatchObject([{ queue: place.dlq, fifo: false, visible: 15, error: null }]);
    },
  },
];
