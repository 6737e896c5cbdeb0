import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { readBody } from '../../../src/model/envelope.ts';
import type { WholeFailure } from '../../../src/model/failure.ts';
import { resetBody } from '../../../src/model/reset.ts';
import { noteTried } from '../results.ts';
import { App } from './app.ts';
import { describeApps } from './apps-on.ts';
import { CREATED, envelope, RENAMED } from './bodies.ts';

// A machine that is busy takes its time over all these processes.
vi.setConfig({ testTimeout: 180_000 });

interface Listing {
  failures: WholeFailure[];
}
interface Report {
  done: number;
  items: { id: string; outcome: string; detail: string | null; to: string | null }[];
}

const told = ({
  origin,
  reason,
  reason_basis,
  attempts,
  subject,
  error,
  exception,
  lang,
  retry_to,
  retry_to_basis,
}: WholeFailure) => ({
  told: [origin, reason, reason_basis].join(' '),
  attempts,
  subject,
  error,
  exception,
  lang,
  to: [retry_to, retry_to_basis].join(' '),
});

/** By the text that each message has in it and no other. */
function byMark(failures: readonly WholeFailure[], marks: readonly string[]): Record<string, WholeFailure> {
  return Object.fromEntries(
    marks.map((mark) => {
      const found = failures.filter(({ body }) => body?.includes(mark));
      expect([mark, found.length]).toEqual([mark, 1]);
      return [mark, found[0] as WholeFailure];
    }),
  );
}

describeApps('an app that sets aside, on $name', (beside) => {
  const { name } = beside;
  const note = (what: string) =>
    noteTried(inject('results'), { part: 'babelqueue', kind: 'other', name: what, outcome: 'alike' });

  test('what the newest SDK wrote is told, and what is retried is handled as it lay there', async ({ expect }) => {
    const queue = `apps-${name}`;
    const dlq = `${queue}-dlq`;
    await beside.server.createQueue(dlq);
    await beside.server.createQueue(queue);
    const app = new App(beside.server.environment);
    const ids = { failing: randomUUID(), unknown: randomUUID(), version: randomUUID(), disguised: randomUUID() };
    const sent = {
      failing: envelope(queue, { id: ids.failing }),
      unknown: envelope(queue, { urn: RENAMED, id: ids.unknown }),
      version: envelope(queue, { version: '2', id: ids.version }),
      text: `order=1042 <${randomUUID()}>`,
      object: `{"order_id":"${randomUUID()}", "total":99.90, "big":12345678901234567890}`,
      counter: '{"attempts":2}',
      typed: `{"job":"${CREATED}","trace_id":"${randomUUID()}","data":[1.0],"attempts":0}`,
    };
    for (const body of Object.values(sent)) await app.send(queue, body);
    const disguised = envelope(queue, { id: ids.disguised });
    const version2 = { 'bq-schema-version': { type: 'Number', value: '2' } };
    await beside.server.send(queue, [{ body: disguised, attributes: version2 }]);
    const published = await app.publish(queue, CREATED, { order_id: 1042 });
    // Three deliveries of each that has a handler to fail, or none; of what isn't an envelope one.
    const given = await app.consume({ queue, handlers: { [CREATED]: 'fail' }, most: 15, dead_letter: true });
    expect(given.processed).toBe(15);

    const { failures } = await beside.sandbox.json<Listing>(['--sqs', dlq, 'deliveries', '--with-body']);
    expect(failures).toHaveLength(9);
    const mark = {
      ...ids,
      text: 'order=1042',
      object: 'order_id":"',
      counter: '"attempts":2,"dead_letter',
      typed: '[1.0]',
      published,
    };
    const found = byMark(failures, Object.values(mark));
    const of = (which: keyof typeof mark) => found[mark[which]] as WholeFailure;
    const here = `${queue} original_queue`;
    const failed = {
      told: 'sqs_app failed recorded',
      attempts: 3,
      subject: CREATED,
      error: 'Payment gateway timeout',
      exception: 'TimeoutError',
      lang: 'go',
      to: here,
    };
    expect(told(of('failing'))).toEqual(failed);
    expect(told(of('published'))).toEqual({ ...failed, lang: 'python' });
    expect(told(of('unknown'))).toEqual({
      ...failed,
      told: 'sqs_app unknown_urn recorded',
      subject: RENAMED,
      error: `No handler mapped for URN [${RENAMED}].`,
      exception: 'UnknownUrnError',
    });
    expect(told(of('version'))).toEqual({
      ...failed,
      told: 'sqs_app unsupported_schema_version inferred',
      attempts: null,
      error: 'version 2',
      exception: null,
      to: `${queue} name`,
    });
    // The SDK made the attributes anew of the body: nothing says any more that its version was refused.
    expect(of('disguised')).toMatchObject({ reason: 'unclassified', body: disguised });
    for (const which of ['text', 'object', 'counter', 'typed'] as const) {
      expect(told(of(which))).toEqual({
        told: 'sqs_app poison recorded',
        attempts: which === 'counter' ? 2 : 0,
        subject: which === 'typed' ? CREATED : null,
        error: expect.stringContaining('Undecodable BabelQueue body: '),
        exception: 'BabelQueueError',
        lang: null,
        to: here,
      });
    }
    // ADR-0035: what is a JSON object has the record spliced into it, anything else is kept as `raw`.
    expect(readBody(of('text').body ?? '', {})).toMatchObject({ shape: 'raw_record', raw: sent.text });
    for (const which of ['object', 'typed'] as const)
      expect(of(which).body?.startsWith(sent[which].slice(0, -1))).toBe(true);
    // A refused version is never decoded.
    expect(of('version').body).toBe(sent.version);
    expect(failures.filter(({ retryable }) => !retryable)).toEqual([]);
    for (const { message_id, trace_id } of [of('failing'), of('unknown')])
      expect([message_id === ids.failing || message_id === ids.unknown, trace_id]).toEqual([
        true,
        '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b',
      ]);

    const inspected = await beside.sandbox.json<Listing>(['--sqs', dlq, 'inspect', of('failing').id]);
    expect(inspected.failures[0]).toMatchObject({
      body: of('failing').body,
      attributes: { 'bq-message-id': { value: ids.failing } },
    });

    const report = await beside.sandbox.json<Report>(['--sqs', dlq, 'retry', '--all', '--yes']);
    expect(report).toMatchObject({ done: 9 });
    const again = await app.consume({
      queue,
      handlers: { [CREATED]: 'ok', [RENAMED]: 'ok' },
      most: 9,
      dead_letter: true,
    });
    expect(again.processed).toBe(9);
    const handled = new Map(again.seen.map((one) => [one.id, one]));
    expect([...handled.keys()].sort()).toEqual([ids.failing, ids.unknown, ids.disguised, published].sort());
    for (const which of ['failing', 'unknown', 'published'] as const) {
      const lay = of(which).body ?? '';
      const seen = handled.get(which === 'published' ? published : ids[which]);
      expect(seen).toMatchObject({
        urn: of(which).subject,
        trace_id: of(which).trace_id,
        attempts: 0,
        replay: false,
        body: resetBody(lay, readBody(lay, {}), false).body,
        headers: { 'bq-message-id': of(which).message_id, 'bq-schema-version': '1' },
      });
      // The SDK itself wrote it anew when it set it aside: what it read then is what it reads now.
      if (which !== 'published') expect(seen?.data).toContain('"big": 12345678901234567890123, "id": 9007199254740993');
    }
    // What the app can't read comes back, and holds the same body still.
    const back = await beside.sandbox.json<Listing>(['--sqs', dlq, 'deliveries', '--with-body']);
    expect(back.failures.map(({ reason }) => reason).sort()).toEqual([
      ...['poison', 'poison', 'poison', 'poison'],
      'unsupported_schema_version',
    ]);
    const bodies = back.failures.map(({ body }) => resetBody(body ?? '', readBody(body ?? '', {}), true).body);
    expect(bodies.sort()).toEqual([sent.text, sent.object, '{"attempts":0}', sent.typed, sent.version].sort());
    app.close();
    note(`dead-lettered by the newest SDK, ${name}`);
  });

  test('FIFO: what was set aside is handled again in its order, within five minutes of being published', async ({
    expect,
  }) => {
    const queue = `apps-${name}.fifo`;
    const dlq = `apps-${name}-dlq.fifo`;
    await beside.server.createQueue(dlq);
    await beside.server.createQueue(queue);
    const app = new App(beside.server.environment);
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of ids) await app.send(queue, envelope(queue, { id }), { fifo: true });
    const consuming = { queue, dead_letter: true, fifo: true };
    expect(await app.consume({ ...consuming, handlers: { [CREATED]: 'fail' }, most: 9 })).toMatchObject({
      processed: 9,
    });
    const { failures } = await beside.sandbox.json<Listing>(['--sqs', dlq, 'deliveries']);
    const rows = failures.map(({ reason, attempts, retry_to }) => [reason, attempts, retry_to].join(' '));
    expect(rows).toEqual(ids.map(() => `failed 3 ${queue}`));
    await beside.sandbox.json(['--sqs', dlq, 'retry', '--all', '--yes']);
    const { seen } = await app.consume({ ...consuming, handlers: { [CREATED]: 'ok' }, most: 3 });
    app.close();
    expect(seen.map(({ id, attempts }) => [id, attempts])).toEqual(ids.map((id) => [id, 0]));
    note(`FIFO, ${name}`);
  });

  test('what is set aside at the first delivery is told, what came back is known again, and what says nothing is left', async ({
    expect,
  }) => {
    const queue = `first-${name}`;
    const dlq = `${queue}-dlq`;
    await beside.server.createQueue(dlq);
    await beside.server.createQueue(queue);
    const app = new App(beside.server.environment);
    const consuming = { queue, handlers: {}, dead_letter: true, on_unknown_urn: 'dead_letter' } as const;
    await app.publish(queue, RENAMED, {});
    const text = `order=1042 ${randomUUID()}`;
    await app.send(queue, text);
    const refused = `refused ${randomUUID()}`;
    await beside.server.send(queue, [
      { body: refused, attributes: { 'bq-schema-version': { type: 'Number', value: '2' } } },
    ]);
    expect(await app.consume({ ...consuming, most: 3 })).toMatchObject({ processed: 3 });
    const { failures } = await beside.sandbox.json<Listing>(['--sqs', dlq, 'deliveries', '--with-body']);
    const of = (mark: string) => failures.find(({ body }) => body?.includes(mark)) as WholeFailure;
    expect(told(of(RENAMED))).toMatchObject({
      told: 'sqs_app unknown_urn recorded',
      attempts: 0,
      error: null,
      exception: null,
    });
    // Byte for byte, and without a single attribute: neither why it was refused nor where.
    expect(of(refused)).toMatchObject({ body: refused, attributes: {}, reason: 'unclassified', retryable: false });

    const retrying = beside.sandbox.run(['--sqs', dlq, 'retry', of(text).id, '--wait', '60s', '--yes', '--json']);
    for (let processed = 0; processed < 1; ) ({ processed } = await app.consume({ ...consuming, most: 1 }));
    app.close();
    const { stdout, stderr, code } = await retrying;
    expect([code, code === 5 ? '' : stderr]).toEqual([5, '']);
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ outcome: 'done', returned: true }] });
  });

  test('what an SDK from before ADR-0035 wrote is told, and only what it lost cannot be retried', async ({
    expect,
  }) => {
    const queue = `old-apps-${name}`;
    const dlq = `${queue}-dlq`;
    await beside.server.createQueue(dlq);
    await beside.server.createQueue(queue);
    const app = new App(beside.server.environment, 'old');
    const sent = ['not JSON', '{"order_id":1042, "total":99.90}', '{"raw":"x"}', envelope(queue, {})];
    for (const body of sent) await app.send(queue, body);
    for (let lying = 0; lying < sent.length; ) {
      await app.consume({ queue, handlers: { [CREATED]: 'fail' }, most: 3, dead_letter: true, dlq });
      lying = (await beside.server.look(dlq)).length;
    }
    app.close();
    const { failures } = await beside.sandbox.json<Listing>(['--sqs', dlq, 'deliveries', '--with-body']);
    const rows = failures.map(({ body, reason, retryable }) =>
      [readBody(body ?? '', {}).shape, reason, retryable].join(' '),
    );
    expect(rows.sort()).toEqual([
      'dead_lettered_envelope failed true',
      'emptied_record unknown_urn false',
      'object_record unknown_urn true',
      'object_record unknown_urn true',
    ]);
    note(`dead-lettered by an old SDK, ${name}`);
  });
});
