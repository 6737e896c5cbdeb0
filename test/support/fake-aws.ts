import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What of AWS it takes to come by credentials, and an SQS that says with which ones it was asked. */
export interface FakeAws {
  readonly endpoint: string;
  /** The access keys that SQS was asked with, in order. */
  readonly keys: string[];
  /** The calls to come by credentials, with the access key or the token that they were made with. */
  readonly calls: string[];
  close(): Promise<void>;
}

const EXPIRES = new Date(Date.now() + 3_600_000).toISOString();

/** Every role's credentials are named by the role, so that a test sees which were taken. */
function sts(action: string, role: string): string {
  return `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>
<Credentials><AccessKeyId>KEY-${role}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
<Expiration>${EXPIRES}</Expiration></Credentials>
<AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/${role}/x</Arn><AssumedRoleId>A:x</AssumedRoleId></AssumedRoleUser>
</${action}Result></${action}Response>`;
}

const ATTRIBUTES = {
  QueueArn: 'arn:aws:sqs:eu-central-1:123456789012:orders-dlq',
  ApproximateNumberOfMessages: '7',
  ApproximateNumberOfMessagesNotVisible: '0',
  ApproximateNumberOfMessagesDelayed: '0',
  MessageRetentionPeriod: '345600',
  VisibilityTimeout: '30',
};

function sqs(call: string, endpoint: string): unknown {
  switch (call) {
    case 'GetQueueUrl':
      return { QueueUrl: `${endpoint}/123456789012/orders-dlq` };
    case 'GetQueueAttributes':
      return { Attributes: ATTRIBUTES };
    default:
      return { queueUrls: [] };
  }
}

export async function startFakeAws(): Promise<FakeAws> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const target = String(request.headers['x-amz-target'] ?? '').replace('AmazonSQS.', '');
    if (target !== '') {
      fake.keys.push(keyOf(request));
      response.setHeader('content-type', 'application/x-amz-json-1.0');
      return response.end(JSON.stringify(sqs(target, fake.endpoint)));
    }
    const form = new URLSearchParams(body);
    const action = form.get('Action');
    if (action !== null) {
      fake.calls.push(`${action} ${form.get('WebIdentityToken') ?? keyOf(request)}`);
      response.setHeader('content-type', 'text/xml');
      return response.end(sts(action, form.get('RoleArn')?.split('/').at(-1) ?? ''));
    }
    response.setHeader('content-type', 'application/json');
    if (request.url?.startsWith('/federation/credentials')) {
      fake.calls.push(`GetRoleCredentials ${request.headers['x-amz-sso_bearer_token']}`);
      const role = new URL(request.url, 'http://x').searchParams.get('role_name');
      const roleCredentials = { accessKeyId: `KEY-${role}`, secretAccessKey: 's', sessionToken: 't' };
      return response.end(JSON.stringify({ roleCredentials: { ...roleCredentials, expiration: Date.parse(EXPIRES) } }));
    }
    if (request.url === '/token') {
      const { refreshToken } = JSON.parse(body) as { refreshToken: string };
      fake.calls.push(`CreateToken ${refreshToken}`);
      return response.end(
        JSON.stringify({ accessToken: 'renewed', expiresIn: 3600, refreshToken, tokenType: 'Bearer' }),
      );
    }
    response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeAws = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: [],
    calls: [],
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

function keyOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)/.exec(String(headers.authorization))?.[1] ?? 'nobody';
}
