import { randomUUID } from 'node:crypto';
import { inject, test, vi } from 'vitest';
import type { WholeFailure } from '../../../src/model/failure.ts';
import { noteTried } from '../results.ts';
import { App } from './app.ts';
import { describeApps } from './apps-on.ts';
import { CREATED, DATA, envelope, RENAMED, TRACEPARENT } from './bodies.ts';

// A machine that is busy takes its time over all these processes.
vi.setConfig({ testTimeout: 180_000 });

describeApps('an app that leaves it to SQS, on $name', (beside) => {
  const { name } = beside;

  test('what SQS moved is told by what lies there, and handled again to the last byte', async ({ expect }) => {
    const queue = `native-${name}`;
    const dlq = `${queue}-dlq`;
    await beside.server.createQueue(dlq);
    await beside.server.createQueue(queue, { VisibilityTimeout: '1' }, { queue: dlq, maxReceiveCount: 2 });
    const app = new App(beside.server.environment);
    const ids = { failing: randomUUID(), effects: randomUUID(), unknown: randomUUID(), typed: randomUUID() };
    const data = DATA.replace(/ ?\\ud83d\\ude00/, '');
    const sent = {
      failing: envelope(queue, { id: ids.failing, data }),
      effects: envelope(queue, { id: ids.effects, data: '{ "total" : 1.0 }' }),
      unknown: envelope(queue, { id: ids.unknown, urn: RENAMED }),
      // Readable by the SDK, though it is no whole envelope.
      bare: `{"job":"${CREATED}","data":{"mark":"${randomUUID()}"}}`,
      typed: envelope(queue, { id: ids.typed, data: '[1.0]' }),
      version: envelope(queue, { version: '2', id: randomUUID() }),
      meant: `<order id="${randomUUID()}"/>`,
      text: `order=1042 ${randomUUID()}`,
    };
    const headers: Record<string, Record<string, string>> = {
      failing: { traceparent: TRACEPARENT, tenant: 'acme' },
      meant: { 'bq-job': CREATED },
    };
    for (const [which, body] of Object.entries(sent)) {
      await app.send(queue, body, headers[which] === undefined ? {} : { headers: headers[which] });
    }
    const handlers = { [CREATED]: 'fail' } as const;
    for (let lying = 0; lying < Object.keys(sent).length; ) {
      await app.consume({ queue, handlers, most: 30, max_attempts: 99 });
      lying = (await beside.server.look(dlq)).length;
    }

    const { failures } = await beside.sandbox.json<{ failures: WholeFailure[] }>([
      '--sqs',
      dlq,
      'deliveries',
      '--with-body',
    ]);
    const of = (which: keyof typeof sent) => {
      const found = failures.find(({ body }) => body === sent[which]);
      // Byte for byte as it was published.
      expect([which, found?.body]).toEqual([which, sent[which]]);
      return found as WholeFailure;
    };
    const told = Object.fromEntries(
      (Object.keys(sent) as (keyof typeof sent)[]).map((which) => {
        const { origin, reason, reason_basis, subject, error, attempts, retry_to, retry_to_basis, retryable } =
          of(which);
        return [which, [origin, reason, reason_basis, subject, error, attempts, retry_to, retry_to_basis, retryable]];
      }),
    );
    const rest = [null, queue, 'source_arn', true];
    expect(told).toEqual({
      failing: ['sqs_native', 'max_receives', 'inferred', CREATED, null, ...rest],
      effects: ['sqs_native', 'max_receives', 'inferred', CREATED, null, ...rest],
      unknown: ['sqs_native', 'max_receives', 'inferred', RENAMED, null, ...rest],
      bare: ['sqs_native', 'max_receives', 'inferred', CREATED, null, ...rest],
      typed: ['sqs_native', 'poison', 'inferred', CREATED, null, ...rest],
      version: ['sqs_native', 'unsupported_schema_version', 'inferred', CREATED, 'version 2', ...rest],
      meant: ['sqs_native', 'poison', 'inferred', CREATED, null, ...rest],
      text: ['sqs_native', 'max_receives', 'inferred', null, null, ...rest],
    });

    const ids2 = [of('failing'), of('unknown'), of('bare')].map(({ id }) => id);
    await beside.sandbox.json(['--sqs', dlq, 'retry', ...ids2, '--yes']);
    await beside.sandbox.json(['--sqs', dlq, 'retry', of('effects').id, '--bypass', '--yes']);
    const healthy = { [CREATED]: 'ok', [RENAMED]: 'ok' } as const;
    const { seen } = await app.consume({ queue, handlers: healthy, most: 4 });
    app.close();
    const handled = (which: keyof typeof sent) => seen.find(({ body }) => body === sent[which]);
    expect(seen).toHaveLength(4);
    expect(handled('failing')).toEqual({
      urn: CREATED,
      data: expect.stringContaining('"big": 12345678901234567890123, "id": 9007199254740993'),
      trace_id: '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
      id: ids.failing,
      attempts: 0,
      replay: false,
      headers: {
        'bq-job': CREATED,
        'bq-trace-id': '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
        'bq-message-id': ids.failing,
        'bq-schema-version': '1',
        'bq-source-lang': 'go',
        'bq-created-at': '1749132727000',
        traceparent: TRACEPARENT,
        tenant: 'acme',
      },
      body: sent.failing,
    });
    expect([handled('unknown')?.attempts, handled('unknown')?.replay]).toEqual([0, false]);
    expect(handled('bare')?.replay).toBe(false);
    // Only what was retried so is a replay to its handler.
    expect(handled('effects')).toMatchObject({ replay: true, attempts: 0, headers: { 'bq-replay-bypass': '1' } });
    const kept = await beside.server.look(dlq);
    expect(kept.map(({ body }) => body).sort()).toEqual([sent.typed, sent.version, sent.meant, sent.text].sort());
    noteTried(inject('results'), { part: 'babelqueue', kind: 'other', name: `native, ${name}`, outcome: 'alike' });
  });
});
