import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { connectSqs } from '../../../src/adapters/sqs/aws-client.ts';
import { SqsCallError, type SqsClient } from '../../../src/adapters/sqs/client.ts';
import { type Answer, type AnsweringServer, refusal, startAnswering } from '../../support/answering-server.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../../support/servers.ts';

const REGION = 'us-east-1';
const POLL = { max: 10, waitSeconds: 1, visibilitySeconds: 30 };

beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterAll(() => vi.unstubAllEnvs());

describe.each([startLocalAwsSqs, startFauxqs])('on a server', (start) => {
  let server: SqsServer;
  let client: SqsClient;
  beforeAll(async () => {
    server = await start();
    client = await connectSqs({ endpoint: server.endpoint, region: REGION });
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  it('carries body and attributes there and back, of every type, to the byte', async () => {
    const { url } = await server.createQueue('round-trip');
    const body = '{"n":9007199254740993, "a":99.90,"\\u00e9":"é\\/","x":[ ]}\n';
    const attributes = {
      text: { type: 'String', value: ' two  blanks ' },
      number: { type: 'Number', value: '01.50' },
      custom: { type: 'Number.int', value: '3' },
      bytes: { type: 'Binary', value: Buffer.from([0, 255, 128, 10]).toString('base64') },
      png: { type: 'Binary.png', value: Buffer.from('\u0000PNG').toString('base64') },
    };
    const sent = await client.sendBatch(url, [{ id: 'a', body, attributes }]);
    expect(sent.failed).toEqual([]);
    expect(sent.successful).toMatchObject([{ id: 'a', messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);

    const [message] = await client.receive(url, { ...POLL, max: 1 });
    expect(message).toMatchObject({ messageId: sent.successful[0]?.messageId, body, attributes });
    expect(message?.systemAttributes).toMatchObject({
      ApproximateReceiveCount: '1',
      SentTimestamp: expect.stringMatching(/^\d{13}$/),
    });
  });

  it('goes to its endpoint, wherever the URL of a queue leads', async () => {
    const trap = await startAnswering({ status: 500 });
    await server.createQueue('anywhere');
    server.put('anywhere', { body: 'x' });
    vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
    const byEnvironment = await connectSqs({ region: REGION });
    try {
      for (const one of [client, byEnvironment]) {
        const url = `${trap.endpoint}/${server.account}/anywhere`;
        const attributes = await one.queueAttributes(url);
        expect(attributes.QueueArn).toBe(`arn:aws:sqs:${REGION}:${server.account}:anywhere`);
        expect(one.endpointHost).toBe(new URL(server.endpoint).host);
        expect(one.region).toBe(REGION);
      }
      expect(trap.calls).toEqual([]);
    } finally {
      vi.stubEnv('AWS_ENDPOINT_URL', undefined);
      byEnvironment.close();
      await trap.close();
    }
  });
});

describe('when a call fails', () => {
  let server: AnsweringServer;
  const clients: SqsClient[] = [];
  beforeAll(async () => {
    server = await startAnswering({ status: 200 });
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    server.calls.length = 0;
  });
  afterAll(() => server.close());

  async function connect(endpoint = server.endpoint): Promise<SqsClient> {
    const client = await connectSqs({ endpoint, region: REGION });
    clients.push(client);
    return client;
  }
  const url = 'https://sqs.us-east-1.amazonaws.com/1/q';
  const calls: [string, (client: SqsClient) => Promise<unknown>, number][] = [
    ['GetQueueUrl', (client) => client.queueUrl('q'), 3],
    ['ReceiveMessage', (client) => client.receive(url, { ...POLL, waitSeconds: 0 }), 3],
    ['SendMessageBatch', (client) => client.sendBatch(url, [{ id: 'a', body: 'x', attributes: {} }]), 1],
    ['DeleteMessageBatch', (client) => client.deleteBatch(url, [{ id: 'a', receiptHandle: 'r' }]), 1],
    [
      'ChangeMessageVisibilityBatch',
      (client) => client.changeVisibilityBatch(url, [{ id: 'a', receiptHandle: 'r', seconds: 0 }]),
      1,
    ],
  ];

  it.each(calls)('tries %s again only where that does no harm', async (name, call, tries) => {
    server.answer = 'cut';
    const error = await call(await connect()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ trouble: 'no_answer', call: name, code: 'ECONNRESET', mayHaveHappened: true });
    expect(server.calls).toEqual(Array(tries).fill(name));
  });

  const answers: [string, Answer, string, string][] = [
    ['throttling', refusal('RequestThrottled', 'slow down', 403), 'throttled', 'RequestThrottled'],
    [
      'throttling of the key',
      refusal('KMS.ThrottlingException', 'slow down'),
      'throttled',
      'KmsThrottled|KMS.Throttl.*|ThrottlingException',
    ],
    ['429', { status: 429 }, 'throttled', '.*'],
    [
      'a queue that is not there',
      refusal('AWS.SimpleQueueService.NonExistentQueue', 'no'),
      'refused',
      'QueueDoesNotExist',
    ],
    ['a missing permission', refusal('AccessDenied', 'no', 403), 'refused', 'AccessDenied'],
    ['another program', { status: 404, type: 'text/html', body: '<html>' }, 'refused', 'HTTP 404'],
    ['500', { status: 500 }, 'no_answer', '.*'],
    ['503', { status: 503 }, 'no_answer', '.*'],
    ['an answer that can not be read', { status: 200, type: 'text/html', body: '<html>' }, 'no_answer', 'HTTP 200'],
  ];
  it.each(answers)('tells %s apart: only what surely did not happen is certain', async (_, answer, trouble, code) => {
    server.answer = answer;
    const client = await connect();
    const error = await client
      .sendBatch(url, [{ id: 'a', body: 'x', attributes: {} }])
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SqsCallError);
    expect(error).toMatchObject({ trouble, code: expect.stringMatching(new RegExp(`^(?:${code})$`)) });
  });

  it('takes a sent message whose checksum is wrong for one that may have been sent', async () => {
    const md5 = createHash('md5').update('another body').digest('hex');
    server.answer = {
      status: 200,
      body: JSON.stringify({ Successful: [{ Id: 'a', MessageId: 'm', MD5OfMessageBody: md5 }], Failed: [] }),
    };
    const client = await connect();
    await expect(client.sendBatch(url, [{ id: 'a', body: 'x', attributes: {} }])).rejects.toMatchObject({
      trouble: 'no_answer',
    });
  });

  it('does not take a received message whose checksum is wrong', async () => {
    const md5 = createHash('md5').update('another body').digest('hex');
    const message = { MessageId: 'm', ReceiptHandle: 'r', Body: 'x', MD5OfBody: md5 };
    server.answer = { status: 200, body: JSON.stringify({ Messages: [message] }) };
    const client = await connect();
    const receive = client.receive(url, { max: 1, waitSeconds: 0, visibilitySeconds: 1 });
    await expect(receive).rejects.toMatchObject({ trouble: 'no_answer' });
  });

  it('knows that nothing happened where no connection was made', async () => {
    const gone = await startAnswering({ status: 200 });
    await gone.close();
    for (const [endpoint, code] of [
      [gone.endpoint, 'ECONNREFUSED'],
      ['http://no-such-host.invalid', 'ENOTFOUND|EAI_AGAIN'],
    ] as const) {
      const client = await connect(endpoint);
      const send = client.sendBatch(url, [{ id: 'a', body: 'x', attributes: {} }]);
      await expect(send).rejects.toMatchObject({ trouble: 'unreachable', mayHaveHappened: false });
      await expect(send).rejects.toMatchObject({ code: expect.stringMatching(code) });
    }
  });

  it('says that credentials or a region are missing before anything is sent', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null');
    const bare = await connect();
    await expect(bare.queueUrl('q')).rejects.toMatchObject({ trouble: 'refused', code: 'CredentialsProviderError' });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    const nowhere = await connectSqs({ endpoint: server.endpoint });
    clients.push(nowhere);
    await expect(nowhere.queueUrl('q')).rejects.toMatchObject({ trouble: 'refused', code: 'RegionMissing' });
    expect(server.calls).toEqual([]);
  });
});
