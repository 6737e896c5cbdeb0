import { describe, expect, test } from 'vitest';
import { readBody } from '../../src/model/envelope.ts';
import type { Attributes } from '../../src/model/failure.ts';
import { parseQueue } from '../../src/model/queue-name.ts';
import { messageSize } from '../../src/model/size.ts';
import type { KnownQueue, QueueFacts, RememberedFacts } from '../../src/model/sqs-message.ts';
import { chooseTarget, type Evidence, namesToCheck } from '../../src/model/target.ts';
import { published } from '../support/shapes.ts';

const arn = (name: string, place = 'eu-central-1:000000000000') => `arn:aws:sqs:${place}:${name}`;
const fifoOnly = (name: string): KnownQueue => ({
  exists: true,
  fifo: name.endsWith('.fifo'),
  maximumMessageSize: null,
});

interface Given {
  body?: string;
  attributes?: Attributes;
  source?: string;
  facts?: Partial<QueueFacts>;
  remembered?: Partial<RememberedFacts>;
  /** The queues that exist; null where that couldn't be asked. */
  exist?: string[] | null;
  size?: number;
}

function evidenceOf({ body = '{}', attributes = {}, source, facts = {}, remembered }: Given): Evidence {
  const queue = facts.queue ?? 'orders-dlq';
  return {
    message: {
      messageId: 'm',
      body,
      attributes,
      systemAttributes: source === undefined ? {} : { DeadLetterQueueSourceArn: source },
    },
    reading: readBody(body, attributes),
    facts: {
      ...{ source: 's', queue, arn: arn(queue), account: '000000000000', region: 'eu-central-1' },
      ...{ fifo: queue.endsWith('.fifo'), retentionSeconds: 60, redriveSources: [], redriveTo: null, to: null },
      ...facts,
    },
    remembered:
      remembered === undefined
        ? null
        : { archivedUntil: null, sourceArn: null, sentAt: null, failedAt: null, retryTo: null, ...remembered },
  };
}

function targetOf(given: Given): string | null {
  const target = choice(given);
  return target.queue === null ? null : `${target.basis} ${target.queue}`;
}

function choice(given: Given) {
  const { exist = ['orders', 'billing', 'orders.fifo'], size = 1_048_576 } = given;
  return chooseTarget(evidenceOf(given), (name) =>
    exist === null ? undefined : { ...fifoOnly(name), exists: exist.includes(name), maximumMessageSize: size },
  );
}

const recorded = (queue: string) => `{"a":1,"dead_letter":{"original_queue":${JSON.stringify(queue)}}}`;
const envelope = (queue: string) => published({ queue }).body;

describe('the strongest evidence alone', () => {
  const everything: Given = {
    body: recorded('billing'),
    source: arn('orders'),
    facts: { to: 'flagged', redriveTo: 'configured', redriveSources: [arn('billing')] },
    remembered: { retryTo: 'remembered' },
    exist: ['flagged', 'configured', 'remembered', 'orders', 'billing'],
  };
  test.each<[string, Given]>([
    ['flag flagged', everything],
    ['config configured', { ...everything, facts: { ...everything.facts, to: null } }],
    ['journal remembered', { ...everything, facts: { redriveSources: [arn('billing')] } }],
    ['source_arn orders', { ...everything, facts: {}, remembered: {} }],
    ['journal orders', { body: recorded('billing'), remembered: { sourceArn: arn('orders') } }],
    ['original_queue billing', { body: recorded('billing') }],
    ['original_queue orders', { body: recorded('orders'), facts: { redriveSources: [arn('orders')] } }],
    ['policy billing', { body: 'x', facts: { redriveSources: [arn('billing')] } }],
    ['policy billing', { body: recorded('gone'), facts: { redriveSources: ['billing'] } }],
    ['name orders', { body: envelope('billing') }],
    ['meta_queue billing', { body: envelope('billing'), exist: ['billing'] }],
    ['name orders.fifo', { body: envelope('x'), facts: { queue: 'orders-dlq.fifo' } }],
    ['original_queue orders', { body: recorded('orders'), exist: null }],
  ])('%s', (expected, given) => {
    expect(targetOf(given)).toBe(expected);
    expect(choice(given).blocked).toBeNull();
  });
});

describe('no target, with the reason in a sentence', () => {
  test.each<[RegExp, Given]>([
    [
      /Ambiguous: .* billing, .* RedrivePolicy of orders /,
      { body: recorded('billing'), facts: { redriveSources: ['orders'] } },
    ],
    [/Ambiguous/, { body: recorded('billing'), facts: { redriveSources: ['orders'] }, exist: null }],
    [/Ambiguous: orders, billing all/, { body: 'x', facts: { redriveSources: ['orders', 'billing'] } }],
    [/Ambiguous/, { body: envelope('billing'), facts: { redriveSources: ['orders', 'billing'] } }],
    [/a, b, c and 1 more/, { body: 'x', facts: { redriveSources: ['a', 'b', 'c', 'd'] }, exist: ['a', 'b', 'c', 'd'] }],
    [/failed in gone, which does not exist/, { body: recorded('gone') }],
    [/Nothing says/, { body: '{"a":1}' }],
    [/Nothing says/, { body: envelope('orders'), exist: [] }],
    [/Nothing says/, { body: envelope('orders'), exist: null }],
    [/Nothing says/, { body: envelope('orders-dlq'), facts: { queue: 'orders-dlq' }, exist: ['orders-dlq'] }],
    [/Nothing says/, { body: recorded('no such: name') }],
    [/another account or region/, { source: arn('orders', 'eu-central-1:999999999999') }],
    [/another account or region/, { source: arn('orders', 'us-east-1:000000000000') }],
    [/another account/, { remembered: { sourceArn: arn('orders', 'eu-central-1:999999999999') } }],
  ])('%s', (sentence, given) => {
    expect(targetOf(given)).toBeNull();
    expect(choice(given).blocked).toMatch(sentence);
    expect(choice(given).blocked).toMatch(/--to/);
  });

  const text = (value: string) => ({ type: 'String', value });
  test.each<[string, Given]>([
    ['EventBridge', { attributes: { RULE_ARN: text('r'), ERROR_CODE: text('NO_PERMISSIONS') } }],
    ['EventBridge', { attributes: { ERROR_CODE: text('x') }, facts: { redriveSources: ['orders'] } }],
    [
      'Lambda',
      { attributes: { RequestID: text('r'), ErrorCode: { type: 'Number', value: '200' } }, body: envelope('orders') },
    ],
    ['SNS', { attributes: { ErrorCode: text('400') }, body: '{"Type":"Notification","TopicArn":"arn:aws:sns:x"}' }],
    ['SNS', { body: '{"Type":"Notification","TopicArn":"arn:aws:sns:x"}' }],
  ])('what %s put there never was in the queue of that name', (service, given) => {
    expect(targetOf(given)).toBeNull();
    expect(choice(given).blocked).toContain(service);
    expect(targetOf({ ...given, source: arn('orders') })).toBe('source_arn orders');
    expect(targetOf({ ...given, facts: { to: 'orders' } })).toBe('flag orders');
  });
});

describe('a target that is known, and a message that cannot go there', () => {
  test.each<[RegExp, string, Given]>([
    [/dead-letter queue itself/, 'flag orders-dlq', { facts: { to: 'orders-dlq' }, exist: ['orders-dlq'] }],
    [/dead-letter queue itself/, 'flag orders-dlq', { facts: { to: arn('orders-dlq') }, exist: [arn('orders-dlq')] }],
    [/dead-letter queue itself/, 'original_queue orders-dlq', { body: recorded('orders-dlq'), exist: ['orders-dlq'] }],
    [/does not exist/, 'source_arn gone', { source: arn('gone') }],
    [/does not exist/, 'config gone', { facts: { redriveTo: 'gone' } }],
    [/needs a FIFO target/, 'flag orders', { facts: { to: 'orders', queue: 'orders-dlq.fifo' } }],
    [/63 bytes .* takes 62 at most/, 'flag orders', { body: 'x'.repeat(63), facts: { to: 'orders' }, size: 62 }],
    [/does not accept/, 'flag orders', { body: '{"raw":"a\\u0000","dead_letter":{}}', facts: { to: 'orders' } }],
    [/does not accept/, 'flag orders', { body: '{"raw":"\\ud800","dead_letter":{}}', facts: { to: 'orders' } }],
    [
      /does not accept/,
      'flag orders',
      { body: '{"raw":"/w==","raw_encoding":"base64","dead_letter":{}}', facts: { to: 'orders' } },
    ],
    [
      /does not accept/,
      'flag orders',
      { body: '{"raw":"x","raw_encoding":"gzip","dead_letter":{}}', facts: { to: 'orders' } },
    ],
    [/empty/, 'flag orders', { body: '{"raw":"","dead_letter":{}}', facts: { to: 'orders' } }],
    [/body was lost/, 'flag orders', { body: '{"attempts":0,"dead_letter":{}}', facts: { to: 'orders' } }],
  ])('%s', (sentence, expected, given) => {
    expect(targetOf(given)).toBe(expected);
    expect(choice(given).blocked).toMatch(sentence);
  });

  test('a standard dead-letter queue may lead to FIFO, and the same name elsewhere is another queue', () => {
    expect(choice({ facts: { to: 'orders.fifo' } }).blocked).toBeNull();
    const elsewhere = arn('orders-dlq', 'eu-central-1:999999999999');
    expect(choice({ facts: { to: elsewhere }, exist: [elsewhere] })).toEqual({
      queue: 'orders-dlq',
      basis: 'flag',
      blocked: null,
    });
    const url = 'https://sqs.us-east-1.amazonaws.com/000000000000/orders-dlq';
    expect(choice({ facts: { to: url }, exist: [url] }).blocked).toBeNull();
  });

  test('what fits only once it is reset can go', () => {
    const body = `{"raw":"${'x'.repeat(60)}","dead_letter":{"original_queue":"orders"}}`;
    expect(choice({ body, size: 60 }).blocked).toBeNull();
    expect(choice({ body, size: 59 }).blocked).toMatch(/60 bytes/);
  });
});

describe("a name in a message is somebody's text", () => {
  test('of a URL only the name is taken, to be asked for in the own account', () => {
    const body = recorded('https://evil.example/999999999999/orders');
    expect(namesToCheck(evidenceOf({ body, facts: { queue: 'x' } }))).toEqual(['orders']);
    expect(targetOf({ body })).toBe('original_queue orders');
  });

  test.each([
    ['orders', 'orders'],
    ['orders.fifo', 'orders.fifo'],
    [arn('orders'), 'orders'],
    ['arn:aws-us-gov:sqs:us-gov-west-1:123456789012:orders', 'orders'],
    ['https://sqs.eu-central-1.amazonaws.com/123456789012/orders.fifo', 'orders.fifo'],
    ['http://localhost:4566/000000000000/orders?x=1#y', 'orders'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), undefined],
    [`${'x'.repeat(76)}.fifo`, undefined],
    ['', undefined],
    ['or ders', undefined],
    ['orders\n', undefined],
    ['orders.dlq', undefined],
    ['.fifo', undefined],
    ['../orders', undefined],
    ['ftp://host/1/orders', undefined],
    ['https://', undefined],
    ['https://host/1/or%20ders', undefined],
    ['arn:aws:sns:eu-central-1:123456789012:orders', undefined],
  ])('%j has the name %j', (text, name) => {
    expect(parseQueue(text)?.name).toBe(name);
  });

  test('account and region are read where a URL or an ARN says them', () => {
    expect(parseQueue('https://sqs.eu-west-2.amazonaws.com/123456789012/q')).toEqual({
      ...{ name: 'q', region: 'eu-west-2', account: '123456789012' },
    });
    expect(parseQueue(arn('q'))).toEqual({ name: 'q', region: 'eu-central-1', account: '000000000000' });
    expect(parseQueue('http://localhost:4566/queue/q')).toEqual({ name: 'q', region: null, account: null });
    expect(parseQueue('http://me:secret@[::1]:4566/1/q?x#y')).toEqual({ name: 'q', region: null, account: '1' });
    // As LocalStack says it where it listens on an address: no URL to the WHATWG.
    expect(parseQueue('http://SQS.us-east-1.127.0.0.1:4566/000000000000/q')).toEqual({
      ...{ name: 'q', region: 'us-east-1', account: '000000000000' },
    });
    for (const none of ['http://', 'http:///q', 'http://h', 'http://a b', 'http://h:x/q', 'http://h/..']) {
      expect(parseQueue(none), none).toBeUndefined();
    }
  });
});

test('all that may be chosen is looked up first, and nothing else where it was typed', () => {
  const given: Given = {
    body: published({ queue: 'logical' }).body.replace('}', '},"dead_letter":{"original_queue":"billing"}'),
    source: arn('source'),
    facts: { redriveSources: [arn('a'), 'http://h/1/b'] },
    remembered: { retryTo: 'remembered' },
  };
  const names = ['remembered', 'source', 'billing', 'a', 'b', 'orders', 'logical'];
  expect(namesToCheck(evidenceOf(given))).toEqual(names);
  const typed = { to: 'http://h/1/q', redriveTo: 'other' };
  expect(namesToCheck(evidenceOf({ ...given, facts: typed }))).toEqual(['http://h/1/q']);
});

test('the size counts names, types and values in bytes, a binary one decoded', () => {
  expect(messageSize('é', { ä: { type: 'Binary', value: 'AAEC' }, n: { type: 'Number', value: '12' } })).toBe(
    2 + (2 + 6 + 3) + (1 + 6 + 2),
  );
});
