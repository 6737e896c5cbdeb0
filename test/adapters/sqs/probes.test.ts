import { expect, test } from 'vitest';
import { SqsCallError, type SqsClient } from '../../../src/adapters/sqs/client.ts';
import { probeDeadLetterQueue } from '../../../src/adapters/sqs/probes.ts';

const QUEUE = {
  name: 'orders-dlq',
  url: 'https://sqs/1/orders-dlq',
  arn: 'arn:aws:sqs:eu-west-1:1:orders-dlq',
  kmsKey: null,
};
const answered = {
  successful: [],
  failed: [{ id: '0', code: 'ReceiptHandleIsInvalid', message: '', senderFault: true }],
};

/** A client that keeps what it was asked, at AWS itself unless it has a host. */
function client(endpointHost: string | null, overrides: Partial<SqsClient> = {}) {
  const asked: [call: string, ...unknown[]][] = [];
  const keep =
    <T>(call: string, answer: T) =>
    (...args: unknown[]) => {
      asked.push([call, ...args]);
      return Promise.resolve(answer);
    };
  const made = {
    endpointHost,
    receive: keep('receive', []),
    sendBatch: keep('sendBatch', { successful: [], failed: [] }),
    deleteBatch: keep('deleteBatch', answered),
    changeVisibilityBatch: keep('changeVisibilityBatch', answered),
    startMoveTask: keep('startMoveTask', ''),
    moveTasks: keep('moveTasks', []),
    cancelMoveTask: keep('cancelMoveTask', undefined),
    ...overrides,
  };
  return { client: made as unknown as SqsClient, asked };
}

async function probe(made: { client: SqsClient }, received: 'ok' | null = null) {
  const { probes } = await probeDeadLetterQueue({ client: made.client, queue: QUEUE }, received);
  return Object.fromEntries(probes.map(({ permission, answer }) => [permission, answer]));
}

test('nothing that it asks can change anything: made-up handles, an empty batch, no move started', async () => {
  const made = client('localhost:4566');
  await probe(made);
  const by = new Map(made.asked.map(([call, ...args]) => [call, args]));
  expect([...by.keys()].sort()).toEqual([
    'cancelMoveTask',
    'changeVisibilityBatch',
    'deleteBatch',
    'moveTasks',
    'sendBatch',
  ]);
  expect(by.get('sendBatch')).toEqual([QUEUE.url, []]);
  expect(by.get('deleteBatch')).toEqual([
    QUEUE.url,
    [{ id: '0', receiptHandle: expect.stringMatching(/^babelq-made-up-/) }],
  ]);
  const task = JSON.parse(Buffer.from(String(by.get('cancelMoveTask')?.[0]), 'base64').toString());
  expect(task).toEqual({ taskId: expect.any(String), sourceArn: QUEUE.arn });
});

test('only AWS itself is asked to receive none, and its answer is no permission', async () => {
  const made = client(null);
  expect((await probe(made))['sqs:ReceiveMessage']).toBe('unknown');
  expect(made.asked.filter(([call]) => call === 'receive')).toEqual([
    ['receive', QUEUE.url, { max: 0, waitSeconds: 0, visibilitySeconds: 0 }],
  ]);
  const denied = client(null, {
    receive: () => Promise.reject(new SqsCallError('ReceiveMessage', 'refused', 'AccessDenied', '')),
  });
  expect((await probe(denied))['sqs:ReceiveMessage']).toBe('denied');
  expect((await probe(client('localhost:4566'), 'ok'))['sqs:ReceiveMessage']).toBe('ok');
});

test('what is refused as a whole, or not answered, tells nothing of the permission', async () => {
  const refuse = (trouble: 'refused' | 'no_answer', code: string) => () =>
    Promise.reject(new SqsCallError('x', trouble, code, ''));
  const made = client('localhost:4566', {
    deleteBatch: refuse('refused', 'ReceiptHandleIsInvalid'),
    changeVisibilityBatch: refuse('no_answer', 'ECONNRESET'),
    sendBatch: refuse('refused', 'EmptyBatchRequest'),
    cancelMoveTask: refuse('refused', 'ResourceNotFoundException'),
  });
  expect(await probe(made)).toEqual({
    'sqs:ReceiveMessage': 'unknown',
    'sqs:ChangeMessageVisibility': 'unknown',
    'sqs:DeleteMessage': 'unknown',
    'sqs:SendMessage': 'unknown',
    'sqs:StartMessageMoveTask': 'unknown',
    'sqs:ListMessageMoveTasks': 'ok',
    'sqs:CancelMessageMoveTask': 'unknown',
  });
  // An entry may be denied though the call was answered.
  const entry = client('localhost:4566', {
    deleteBatch: async () => ({
      successful: [],
      failed: [{ id: '0', code: 'AccessDenied', message: '', senderFault: true }],
    }),
  });
  expect((await probe(entry))['sqs:DeleteMessage']).toBe('denied');
});
