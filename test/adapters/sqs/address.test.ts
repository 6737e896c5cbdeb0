import { describe, expect, it } from 'vitest';
import { endpointFromEnvironment, readAddress, refuseOtherServer } from '../../../src/adapters/sqs/address.ts';

const PLAIN = { account: null, region: null, url: null, endpoint: null };

describe('where a queue is', () => {
  it.each([
    ['orders-dlq', { ...PLAIN, name: 'orders-dlq' }],
    [
      'arn:aws:sqs:eu-west-1:123456789012:orders-dlq.fifo',
      { ...PLAIN, name: 'orders-dlq.fifo', region: 'eu-west-1', account: '123456789012' },
    ],
    [
      'https://sqs.eu-west-1.amazonaws.com/123456789012/orders-dlq',
      { name: 'orders-dlq', region: 'eu-west-1', account: '123456789012', endpoint: null },
    ],
    ['http://localhost:4566/000000000000/orders-dlq', { account: '000000000000', endpoint: 'http://localhost:4566' }],
    [
      'http://localhost:9324/queue/orders-dlq',
      { name: 'orders-dlq', account: null, endpoint: 'http://localhost:9324' },
    ],
    [
      'http://sqs.us-east-1.localhost.localstack.cloud:4566/000000000000/q',
      { region: 'us-east-1', endpoint: 'http://sqs.us-east-1.localhost.localstack.cloud:4566' },
    ],
    [
      'https://vpce-1-a.sqs.eu-west-1.vpce.amazonaws.com/1/q',
      { region: 'eu-west-1', endpoint: 'https://vpce-1-a.sqs.eu-west-1.vpce.amazonaws.com' },
    ],
    ['https://sqs-fips.us-gov-west-1.amazonaws.com/1/q', { region: 'us-gov-west-1' }],
    ['https://us-west-2.queue.amazonaws.com/1/q', { region: 'us-west-2', endpoint: null }],
  ])('reads %s, and its server only where that is not the region’s own', (text, address) => {
    expect(readAddress(text)).toMatchObject(address);
  });

  it.each([
    'http://sqs.us-east-1.127.0.0.1:4566/1/q',
    '',
    'two words',
    'orders/dlq',
    'https://',
    'arn:aws:sns:eu-west-1:1:topic',
    'x'.repeat(81),
  ])('refuses %j with words', (text) => expect(() => readAddress(text)).toThrow(/not a queue's name, URL or ARN/));

  it('takes SQS’s own variable before the common one, and no text that is not a URL', () => {
    const environment = { AWS_ENDPOINT_URL: 'http://a:1', AWS_ENDPOINT_URL_SQS: 'http://b:2' };
    expect(endpointFromEnvironment(environment)).toBe('http://b:2');
    expect(endpointFromEnvironment({})).toBeNull();
    expect(endpointFromEnvironment({ ...environment, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' })).toBeNull();
    expect(() => endpointFromEnvironment({ AWS_ENDPOINT_URL: 'localhost:4566' })).toThrow(/AWS_ENDPOINT_URL/);
  });
});

describe('a URL beside a configured endpoint', () => {
  const refuse = (url: string, endpoint: string | null) => () => refuseOtherServer(readAddress(url), endpoint);

  it.each([
    ['https://sqs.eu-west-1.amazonaws.com/210987654321/orders', 'http://localhost:4566'],
    ['http://localhost:9324/queue/orders', 'http://localhost:4566'],
    ['http://sqs.example.com:4566/0/orders', 'http://localhost:4566'],
  ])('is refused where it leads elsewhere: %s', (url, endpoint) => {
    expect(refuse(url, endpoint)).toThrow(
      expect.objectContaining({ code: 'usage', exit: 2, message: expect.stringContaining(new URL(url).host) }),
    );
  });

  it.each([
    ['http://127.0.0.1:4566/0/orders', 'http://localhost:4566'],
    ['http://sqs.us-east-1.localhost.localstack.cloud:4566/0/orders', 'http://localhost:4566/'],
    ['https://sqs.eu-west-1.amazonaws.com/210987654321/orders', null],
    ['arn:aws:sqs:eu-west-1:210987654321:orders', 'http://localhost:4566'],
    ['orders', 'http://localhost:4566'],
  ])('is taken where it leads there: %s', (url, endpoint) => {
    expect(refuse(url, endpoint)).not.toThrow();
  });
});
