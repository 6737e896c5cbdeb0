import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DiscoverReport } from '../../src/cli/discovering/report.ts';
import { type AnsweringServer, refusal, startAnswering } from '../support/answering-server.ts';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { BIN, Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

let local: SqsServer;
let fauxqs: SqsServer;
let sandbox: Sandbox;
/** Somebody whose credentials are in ~/.aws/config alone. */
let profiles: Sandbox;
const servers: AnsweringServer[] = [];

beforeAll(async () => {
  local = await startLocalAwsSqs();
  fauxqs = await startFauxqs();
  sandbox = new Sandbox(local.environment);
  profiles = new Sandbox({ AWS_EC2_METADATA_DISABLED: 'true' });
  mkdirSync(profiles.path('.aws'));
  await local.createQueue('orders-dlq', { MessageRetentionPeriod: '1209600' });
  await local.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  await local.createQueue('failed-payments');
  await local.createQueue('payments', {}, { queue: 'failed-payments', maxReceiveCount: 3 });
  await local.createQueue('refunds', {}, { queue: 'failed-payments', maxReceiveCount: 3 });
  await local.createQueue('mail-dlq.fifo');
  await local.createQueue('mail.fifo');
  await local.createQueue('mail-dlq');
  await local.createQueue('healthy');
  const allowing = {
    redrivePermission: 'byQueue',
    sourceQueueArns: [`arn:aws:sqs:${local.region}:${local.account}:healthy`],
  };
  await local.createQueue('parking', { RedriveAllowPolicy: JSON.stringify(allowing) });
  const { body, attributes } = deadLettered();
  local.put('orders-dlq', { body, attributes, sentAt: Date.now() - 3 * 24 * 3_600_000 });
});
afterAll(async () => {
  await Promise.all([local.close(), fauxqs.close(), ...servers.map((server) => server.close())]);
  sandbox.remove();
  profiles.remove();
});

const find = (...args: string[]) => sandbox.json<DiscoverReport>(['sources', 'discover', ...args]);
const brief = ({ sources }: DiscoverReport) => sources.map(({ name, queue }) => `${name}=${queue}`);

test('finds what is a dead-letter queue by each kind of evidence, and nothing else', async () => {
  const found = await find();
  const of = (queue: string) => found.sources.find((one) => one.queue === queue);
  expect(found.sources.map(({ queue }) => queue)).toEqual([
    'failed-payments',
    'mail-dlq',
    'mail-dlq.fifo',
    'orders-dlq',
    'parking',
  ]);
  expect(of('orders-dlq')).toMatchObject({
    name: 'orders',
    evidence: ['redrive_policy', 'name'],
    redrive_sources: ['orders'],
    redrive_to: null,
    visible: 1,
    retention_seconds: 1_209_600,
    sampled: null,
  });
  expect(of('failed-payments')).toMatchObject({
    evidence: ['redrive_policy'],
    redrive_sources: ['payments', 'refunds'],
    redrive_to: null,
  });
  expect(of('mail-dlq.fifo')).toMatchObject({
    name: 'mail.fifo',
    evidence: ['name'],
    redrive_to: null,
    note: null,
    fifo: true,
  });
  expect(of('mail-dlq')?.note).toContain('nothing says where its messages failed');
  expect(of('parking')).toMatchObject({ evidence: ['redrive_allow_policy'], redrive_to: 'healthy' });
  expect(found.places).toMatchObject([{ queues: 10, untold: [], error: null }]);
  expect(local.lying('orders-dlq')).toMatchObject([{ receiveCount: 0 }]);
});

test('by names and prefixes only those, with the queues that dead-letter there told by SQS itself', async () => {
  expect(brief(await find('mail-*', 'par*'))).toEqual(['mail=mail-dlq', 'mail.fifo=mail-dlq.fifo', 'parking=parking']);
  const { sources } = await find('--prefix', 'failed', '--prefix', 'or');
  expect(sources).toMatchObject([
    { queue: 'failed-payments', evidence: ['source_queues'], redrive_sources: ['payments', 'refunds'] },
    { queue: 'orders-dlq', evidence: ['redrive_policy', 'name'] },
  ]);
});

test('--sample receives, says so, and gives back', async () => {
  const { stdout, stderr } = await sandbox.run([
    'sources',
    'discover',
    'orders*',
    '--sample',
    '2',
    '--output',
    'ndjson',
  ]);
  expect(stderr).toContain('each look counts as a receive');
  const orders = JSON.parse(stdout) as DiscoverReport['sources'][number];
  expect(orders).toMatchObject({ sampled: 1 });
  expect(Date.parse(orders.soonest_expires_at ?? '') - Date.parse(orders.oldest_sent_at ?? '')).toBe(1_209_600_000);
  expect(local.lying('orders-dlq')).toMatchObject([{ hidden: false }]);
});

describe('the configuration', () => {
  test('is printed alone into a pipe, and babelq itself takes it', async () => {
    const { stdout, stderr } = await sandbox.run(['sources', 'discover']);
    expect(stderr).toContain('COMES FROM');
    writeFileSync(sandbox.path('piped.yaml'), stdout);
    const { sources } = await sandbox.json<{ sources: { name: string; error: string | null }[] }>([
      'sources',
      '--config',
      'piped.yaml',
    ]);
    expect(sources.map(({ name, error }) => `${name} ${error}`)).toEqual(
      ['failed-payments', 'mail', 'mail.fifo', 'orders', 'parking'].map((name) => `${name} null`),
    );
  });

  test('is written where no file is, and never over one unasked', async () => {
    const { stderr } = await sandbox.run(['sources', 'discover', 'orders*', '--write']);
    expect(stderr).toMatch(
      /wrote .*babelq\.yaml\.\nLook at what failed: babelq deliveries {3}Send it back: babelq retry ID/,
    );
    const text = readFileSync(sandbox.path('babelq.yaml'), 'utf8');
    expect(text).toContain('  # fed by orders\n  - name: orders\n    sqs: orders-dlq\n');

    const again = await sandbox.run(['sources', 'discover', '--write']);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(again.stderr).toContain('is there already, and was left as it is');
    expect(readFileSync(sandbox.path('babelq.yaml'), 'utf8')).toBe(text);
    expect((await sandbox.run(['sources', 'discover', 'mail*', '--write', '--replace'])).code).toBe(0);
    expect(readFileSync(sandbox.path('babelq.yaml'), 'utf8')).toContain('mail-dlq.fifo');
    expect((await sandbox.run(['sources', 'discover', '--write', 'mail-*'])).stderr).toContain('Put names before it');
  });

  test('from nothing but an endpoint and credentials to a message that was sent back', async () => {
    const newcomer = new Sandbox({
      AWS_ENDPOINT_URL: local.endpoint,
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'y',
    });
    try {
      expect((await newcomer.run(['sources', 'discover', 'orders*', '--write'])).code).toBe(0);
      expect(readFileSync(newcomer.path('babelq.yaml'), 'utf8')).toContain('region: us-east-1');
      const listed = await newcomer.run(['deliveries', '--output', 'ids']);
      const retried = await newcomer.run(['retry', listed.stdout.trim(), '--yes']);
      expect(retried).toMatchObject({ code: 0 });
      expect(local.lying('orders')).toHaveLength(1);
    } finally {
      newcomer.remove();
    }
  });
});

test('two servers, and two profiles: each source has its own name, and says what it needs to be reached', async () => {
  await fauxqs.createQueue('orders-dlq');
  await fauxqs.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  const own = '[profile live]\naws_access_key_id = x\naws_secret_access_key = y\n';
  writeFileSync(
    profiles.path('.aws/config'),
    `${own}region = us-east-1\n${own.replace('live', 'spare')}region = us-east-1\n`,
  );
  const servers = ['--endpoint', local.endpoint, '--endpoint', fauxqs.endpoint];
  const args = ['sources', 'discover', 'orders*', '--profile', 'live', '--profile', 'spare'];
  const two = await profiles.json<DiscoverReport>([...args, '--endpoint', local.endpoint, '--write', 'profiles.yaml']);
  expect(brief(two)).toEqual(['orders-live=orders-dlq', 'orders-spare=orders-dlq']);
  const text = readFileSync(profiles.path('profiles.yaml'), 'utf8');
  expect(text).toContain(`    sqs: orders-dlq\n    profile: spare\n    endpoint: ${local.endpoint}\n`);

  const four = await profiles.json<DiscoverReport>([...args, ...servers, '--write', 'servers.yaml']);
  expect(four.sources.map(({ name }) => name).sort()).toEqual(['orders', 'orders-2', 'orders-3', 'orders-4']);
  const { sources } = await profiles.json<{ sources: { error: string | null }[] }>([
    'sources',
    '--config',
    'servers.yaml',
  ]);
  expect(sources.map(({ error }) => error)).toEqual([null, null, null, null]);
  const regions = ['--region', 'us-east-1', '--region', 'eu-west-1', '--profile', 'live', '--endpoint', local.endpoint];
  expect(brief(await profiles.json<DiscoverReport>(['sources', 'discover', 'orders*', ...regions]))).toEqual([
    'orders-us-east-1=orders-dlq',
    'orders-eu-west-1=orders-dlq',
  ]);
});

/** An SQS with many queues, 250 a page, that throttles now and then and forbids to be asked about some. */
async function manyQueues(count: number): Promise<AnsweringServer & { asked: number[] }> {
  const asked: number[] = [];
  const arn = (name: string) => `arn:aws:sqs:us-east-1:123456789012:${name}`;
  const names = Array.from({ length: count }, (_, n) => `service-${Math.floor(n / 2)}${n % 2 === 0 ? '' : '-dlq'}`);
  const server = await startAnswering((call, body) => {
    const { QueueUrl = '', NextToken = '0' } = JSON.parse(body) as { QueueUrl?: string; NextToken?: string };
    if (call === 'ListQueues') {
      const from = Number(NextToken);
      const page = names.slice(from, from + 250).map((name) => `${server.endpoint}/123456789012/${name}`);
      const next = from + 250 < count ? { NextToken: String(from + 250) } : {};
      return { status: 200, body: JSON.stringify({ QueueUrls: page, ...next }) };
    }
    if (call !== 'GetQueueAttributes') return { status: 200, body: '{"queueUrls":[]}' };
    asked.push(Date.now());
    if (asked.length % 197 === 0) return refusal('RequestThrottled', 'slow down', 403);
    const name = QueueUrl.split('/').at(-1) ?? '';
    if (name === 'service-7') return refusal('AccessDenied', 'no', 403);
    const RedrivePolicy = name.endsWith('-dlq')
      ? undefined
      : JSON.stringify({ deadLetterTargetArn: arn(`${name}-dlq`), maxReceiveCount: 3 });
    return {
      status: 200,
      body: JSON.stringify({ Attributes: { QueueArn: arn(name), ApproximateNumberOfMessages: '0', RedrivePolicy } }),
    };
  });
  servers.push(server);
  return Object.assign(server, { asked });
}

test('hundreds of queues: every page, within the rate, throttled or forbidden here and there', async () => {
  const server = await manyQueues(600);
  const args = ['sources', 'discover', '--rate', '600', '--endpoint', server.endpoint, '--json'];
  const { stdout, code } = await sandbox.run(args, { env: { AWS_ENDPOINT_URL: '' } });
  expect(code).toBe(0);
  const { sources, places } = JSON.parse(stdout) as DiscoverReport;
  expect(sources).toHaveLength(300);
  expect(new Set(sources.map(({ name }) => name)).size).toBe(300);
  expect(places).toMatchObject([
    { queues: 600, untold: [{ queue: 'service-7', why: 'sqs:GetQueueAttributes is missing' }] },
  ]);
  const took = (server.asked.at(-1) ?? 0) - (server.asked[0] ?? 0);
  expect(took).toBeGreaterThan(900);
});

test('a real server with some hundreds of queues', async () => {
  await Promise.all(Array.from({ length: 300 }, (_, n) => fauxqs.createQueue(`many-${n}-dlq`)));
  const found = await sandbox.json<DiscoverReport>(['sources', 'discover', '--prefix', 'many-', '--rate', '1000'], {
    env: fauxqs.environment,
  });
  expect(found.sources).toHaveLength(300);
});

test('what may not be listed, has no credentials or no region is said with what to do, and exits 1', async () => {
  const denying = await startAnswering(refusal('AccessDenied', 'no', 403));
  servers.push(denying);
  const denied = await sandbox.run(['sources', 'discover'], { env: { AWS_ENDPOINT_URL: denying.endpoint } });
  expect(denied).toMatchObject({ code: 1, stdout: '' });
  expect(denied.stderr).toContain('sqs:ListQueues is missing');
  const nowhere = await profiles.run(['sources', 'discover']);
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr).toContain('Give --region eu-central-1');
  // One place that can't be looked at hides no other.
  const both = await profiles.run([
    'sources',
    'discover',
    'orders*',
    '--profile',
    'live',
    '--profile',
    'nosuch',
    '--endpoint',
    local.endpoint,
    '--json',
  ]);
  expect(both.code).toBe(1);
  expect(brief(JSON.parse(both.stdout) as DiscoverReport)).toEqual(['orders=orders-dlq']);
});

test('a jadpo database that has the table becomes a source, by a path from the file; one without is said', async () => {
  createJadpoFile(sandbox.path('build.sqlite'), [parkedRow({ id: 'p1' })]);
  new Database(sandbox.path('empty.sqlite')).exec('CREATE TABLE t (x)').close();
  mkdirSync(sandbox.path('etc'));
  const args = [
    'sources',
    'discover',
    'nothing',
    '--jadpo',
    'build.sqlite',
    '--jadpo',
    'empty.sqlite',
    '--write',
    'etc/b.yaml',
  ];
  const { stderr, code } = await sandbox.run(args);
  // Something was written, and not all that was asked for.
  expect(code).toBe(3);
  expect(stderr).toContain('empty.sqlite has no table jadpo_parked_messages');
  expect(readFileSync(sandbox.path('etc/b.yaml'), 'utf8')).toContain('  - name: build\n    jadpo: ../build.sqlite\n');
  // Who has no AWS account is asked for none.
  const alone = await profiles.run(['sources', 'discover', '--jadpo', sandbox.path('build.sqlite'), '--output', 'ids']);
  expect(alone).toMatchObject({ stdout: 'build\n', code: 0 });
  const listed = await sandbox.json<{ failures: unknown[] }>(['deliveries', '--config', 'etc/b.yaml']);
  expect(listed.failures).toHaveLength(1);
});

test('finding nothing is no error, and says what to try', async () => {
  const { stdout, stderr, code } = await sandbox.run(['sources', 'discover', 'nothing', '--write', 'nothing.yaml']);
  expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
  expect(stderr).toContain('Nothing was found among 0 queues');
  expect(stderr).toContain(`Nothing was written to ${sandbox.path('nothing.yaml')}.`);
  expect(() => readFileSync(sandbox.path('nothing.yaml'))).toThrow('ENOENT');
});

test.skipIf(process.platform !== 'linux')(
  'a configuration is replaced whole or not at all, and the old one is kept',
  async () => {
    const alone = new Sandbox();
    const folder = alone.path('kept');
    mkdirSync(folder);
    const file = join(folder, 'b.yaml');
    const before = 'sources:\n  - { name: old, jadpo: ./old.sqlite }\nredact: [data.email]\n';
    writeFileSync(file, before);
    createJadpoFile(alone.path('kept.sqlite'), []);
    const args = ['sources', 'discover', '--jadpo', alone.path('kept.sqlite'), '--write', file];
    // As on a full disk: no file can take a byte.
    const line = `trap '' XFSZ; ulimit -f 0; exec "$NODE" "$BIN" ${args.join(' ')} --replace 2>&1 | cat; exit 0`;
    const env = { ...alone.env, NODE: process.execPath, BIN };
    const full = spawnSync('sh', ['-c', line], { cwd: alone.home, env, encoding: 'utf8' });
    expect(full.stdout).toContain(`The file ${file} can't be written`);
    expect([readdirSync(folder), readFileSync(file, 'utf8')]).toEqual([['b.yaml'], before]);
    const { stderr } = await alone.run([...args, '--replace']);
    expect(stderr).toContain(`What was there before is kept: ${file}.old`);
    expect(readFileSync(`${file}.old`, 'utf8')).toBe(before);
    expect(readFileSync(file, 'utf8')).toContain('kept.sqlite');
    expect(readdirSync(folder).sort()).toEqual(['b.yaml', 'b.yaml.old']);
    alone.remove();
  },
);
