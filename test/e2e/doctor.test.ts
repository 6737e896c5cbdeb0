import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { ActionReport } from '../../src/model/action.ts';
import type { Check, Finding } from '../../src/model/doctor/check.ts';
import type { DoctorReport } from '../../src/model/operations/doctor.ts';
import { type Answer, type AnsweringServer, refusal, startAnswering } from '../support/answering-server.ts';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { anIntent } from '../support/journal-samples.ts';
import { Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

const FORTNIGHT = { MessageRetentionPeriod: '1209600' };
const ANA = 'arn:aws:iam::123456789012:user/ana';
let local: SqsServer;
let fauxqs: SqsServer;
let sandbox: Sandbox;
// Not below /tmp, where a journal is a finding; a clone may lie there itself.
const project = resolve(import.meta.dirname, '../..');
const lasting = mkdtempSync(
  /^(\/private)?(\/var)?\/tmp\//.test(project)
    ? join(homedir(), '.babelq-doctor-')
    : join(project, 'node_modules', '.doctor-'),
);

beforeAll(async () => {
  local = await startLocalAwsSqs();
  fauxqs = await startFauxqs();
  sandbox = new Sandbox({ ...local.environment, XDG_STATE_HOME: lasting, AWS_EC2_METADATA_DISABLED: 'true' });
});
afterAll(async () => {
  await Promise.all([local.close(), fauxqs.close()]);
  sandbox.remove();
  rmSync(lasting, { recursive: true, force: true });
});

async function examine(args: readonly string[], env: Record<string, string> = {}): Promise<DoctorReport> {
  const { stdout, stderr, code } = await sandbox.run(['doctor', '--json', ...args], { env });
  const report = JSON.parse(stdout || expect.fail(stderr)) as DoctorReport;
  expect(code).toBe(report.findings.length > 0 ? 1 : 0);
  return report;
}

async function examineFile(yaml: string, args: readonly string[] = []): Promise<DoctorReport> {
  const file = sandbox.path(`${Math.random()}.yaml`);
  writeFileSync(file, yaml);
  return examine(['--config', file, ...args]);
}

const of = <T extends { source: string }>(all: readonly T[], source: string): T[] =>
  all.filter((one) => one.source === source);
/** What a source has to say, in short: so that one more finding than was planted fails too. */
const short = (findings: readonly Finding[]) => findings.map(({ severity, check }) => `${severity} ${check}`);
const state = (checks: readonly Check[], check: string, about?: string) =>
  checks.find((one) => one.check === check && (about === undefined || one.about === about))?.state;

/** A dead-letter queue with its queue, all as it should be but for what is said. */
async function pair(
  name: string,
  {
    dlq = {},
    queue = {},
    fifo = '',
  }: { dlq?: Record<string, string>; queue?: Record<string, string>; fifo?: string } = {},
  server = local,
): Promise<void> {
  await server.createQueue(`${name}-dlq${fifo}`, { ...FORTNIGHT, ...dlq });
  await server.createQueue(`${name}${fifo}`, queue, { queue: `${name}-dlq${fifo}`, maxReceiveCount: 3 });
}

describe.each(['local-aws-sqs', 'fauxqs'] as const)('on %s', (name) => {
  test('a set-up that is well has no finding, and says what it could not know', async () => {
    const server = name === 'fauxqs' ? fauxqs : local;
    await pair('well', {}, server);
    await pair('well', { fifo: '.fifo' }, server);
    const { body, attributes } = deadLettered({ queue: 'well' });
    server.put('well-dlq', { body, attributes });
    createJadpoFile(sandbox.path(`${name}.sqlite`), [parkedRow({ id: 'p1' })]);
    const args = ['--sqs', 'well-dlq', '--sqs', 'well-dlq.fifo', '--jadpo', `${name}.sqlite`];
    const { findings, checks } = await examine(args, { ...server.environment });
    expect(findings).toEqual([]);
    expect(state(checks, 'sqs:ReceiveMessage', 'well-dlq')).toBe('unknown');
    expect(state(checks, 'sqs:SendMessage', 'well')).toBe('unknown');
    expect(state(checks, 'sqs:DeleteMessage', 'well-dlq')).toBe('ok');
    expect(server.lying('well-dlq')).toMatchObject([{ receiveCount: 0, hidden: false }]);

    const sampled = await examine([...args, '--sample', '3'], { ...server.environment });
    expect(sampled.findings).toEqual([]);
    expect(state(sampled.checks, 'sqs:ReceiveMessage', 'well-dlq')).toBe('ok');
    expect(server.lying('well-dlq')).toMatchObject([{ hidden: false }]);
    expect(server.lying('well-dlq')[0]?.receiveCount).toBeGreaterThan(0);
  });
});

describe('each mistake in how queues are set up, alone among its kind', () => {
  let report: DoctorReport;
  const arn = (queue: string) => `arn:aws:sqs:${local.region}:${local.account}:${queue}`;

  beforeAll(async () => {
    await pair('short', { dlq: { MessageRetentionPeriod: '345600' }, queue: { MessageRetentionPeriod: '345600' } });
    await pair('longest', { queue: FORTNIGHT });
    await local.createQueue('onwards');
    await local.createQueue('own-dlq', FORTNIGHT, { queue: 'onwards', maxReceiveCount: 4 });
    await local.createQueue('own', {}, { queue: 'own-dlq', maxReceiveCount: 3 });
    await local.createQueue('bare-dlq', FORTNIGHT);
    await local.createQueue('bare');
    await pair('denied', { dlq: { RedriveAllowPolicy: '{"redrivePermission":"denyAll"}' } });
    const others = { redrivePermission: 'byQueue', sourceQueueArns: [arn('somebody')] };
    await pair('listed', { dlq: { RedriveAllowPolicy: JSON.stringify(others) } });
    await local.createQueue('alone-dlq', FORTNIGHT);
    await local.createQueue('shared', {}, { queue: 'longest-dlq', maxReceiveCount: 3 });
    await local.createQueue('shared-dlq', FORTNIGHT);
    await local.createQueue('other', {}, { queue: 'shared-dlq', maxReceiveCount: 3 });
    await pair('mixed', { fifo: '.fifo' });
    await local.createQueue('plain', {}, { queue: 'longest-dlq', maxReceiveCount: 3 });
    await pair('twin');
    await pair('lost');
    report = await examineFile(`sources:
  - sqs: short-dlq
  - sqs: longest-dlq
  - sqs: own-dlq
  - sqs: own
  - sqs: bare-dlq
  - sqs: denied-dlq
  - sqs: listed-dlq
  - sqs: alone-dlq
  - sqs: shared-dlq
  - { sqs: mixed-dlq.fifo, redrive_to: plain }
  - sqs: twin-dlq
  - { name: again, sqs: twin-dlq }
  - { sqs: lost-dlq, redrive_to: nowhere }
  - { name: itself, sqs: lost-dlq, redrive_to: lost-dlq }
`);
  });

  test.each([
    [
      'short-dlq',
      ['warning retention'],
      /no longer than short \(4d\)/,
      /short-dlq --attributes .*1209600/,
      'message_retention_seconds = 1209600',
    ],
    [
      'own-dlq',
      ['error redrive_policy'],
      /after 4 receives SQS moves a message on to onwards/,
      /own-dlq --attributes '\{"RedrivePolicy":""\}'/,
      'redrive_policy',
    ],
    ['own', ['error redrive_policy', 'warning target'], /moves a message on to own-dlq/, null, null],
    [
      'bare-dlq',
      ['warning dead_letter_queue'],
      /bare has no dead-letter queue/,
      /\/bare --attributes .*maxReceiveCount/,
      'maxReceiveCount     = 5',
    ],
    [
      'denied-dlq',
      ['error redrive_allow_policy'],
      /forbids denied /,
      /denied-dlq --attributes .*byQueue/,
      'redrivePermission = "byQueue"',
    ],
    ['listed-dlq', ['error redrive_allow_policy'], /forbids listed /, /somebody.*listed/, ':somebody", "'],
    ['alone-dlq', ['warning target'], /Nothing around alone-dlq says where/, null, null],
    ['shared-dlq', ['warning target'], /ambiguous.*belongs to shared, but only other/, null, null],
    ['mixed-dlq.fifo', ['error fifo'], /mixed-dlq\.fifo is FIFO and plain is not/, null, null],
    ['twin-dlq', [], null, null, null],
    ['again', ['warning twin'], /again and twin-dlq are the same queue/, null, null],
    ['lost-dlq', ['error target'], /redrive_to names nowhere, which does not exist/, null, null],
    ['itself', ['error target', 'warning twin'], /the dead-letter queue itself/, null, null],
  ] as const)('%s: %j', (source, found, message, command, terraform) => {
    const findings = of(report.findings, source);
    expect(short(findings)).toEqual(found);
    const [first] = findings;
    if (message !== null) expect(first?.message).toMatch(message);
    if (first !== undefined) expect(first.mend.length).toBeGreaterThan(20);
    if (command === null) expect(first?.command ?? null).toBeNull();
    else expect(first?.command).toMatch(command);
    if (terraform !== null) expect(first?.terraform).toContain(terraform);
  });

  test('where both are kept for the longest time it says to shorten the other', () => {
    const [finding] = of(report.findings, 'longest-dlq');
    expect(finding?.message).toContain('no longer than longest (14d)');
    expect(finding?.command).toMatch(/\/longest --attributes .*345600/);
  });
});

describe('each missing permission, by its name', () => {
  const CASES = [
    ['GetQueueUrl', 'sqs:GetQueueUrl'],
    ['GetQueueAttributes', 'sqs:GetQueueAttributes'],
    ['ListDeadLetterSourceQueues', 'sqs:ListDeadLetterSourceQueues'],
    ['ChangeMessageVisibilityBatch', 'sqs:ChangeMessageVisibility'],
    ['DeleteMessageBatch', 'sqs:DeleteMessage'],
    ['SendMessageBatch', 'sqs:SendMessage'],
    ['ListMessageMoveTasks', 'sqs:ListMessageMoveTasks'],
    ['CancelMessageMoveTask', 'sqs:CancelMessageMoveTask'],
    ['ReceiveMessage', 'sqs:ReceiveMessage'],
  ] as const;
  const KEY = '1234abcd-12ab-34cd-56ef-1234567890ab';
  const servers: AnsweringServer[] = [];

  /** A healthy SQS that refuses one call. */
  async function serverWith(refused: string, how: Answer, attributes: Record<string, string> = {}): Promise<string> {
    const server = await startAnswering((call) => {
      if (call === refused) return how;
      if (call === 'GetQueueUrl') return json({ QueueUrl: `${server.endpoint}/123456789012/orders-dlq` });
      if (call === 'GetQueueAttributes') {
        const QueueArn = 'arn:aws:sqs:us-east-1:123456789012:orders-dlq';
        return json({ Attributes: { QueueArn, ApproximateNumberOfMessages: '0', ...FORTNIGHT, ...attributes } });
      }
      if (call === 'ListDeadLetterSourceQueues') return json({ queueUrls: [] });
      if (/Batch$/.test(call) && call !== 'SendMessageBatch') {
        return json({ Successful: [], Failed: [{ Id: '0', Code: 'ReceiptHandleIsInvalid', SenderFault: true }] });
      }
      return json({});
    });
    servers.push(server);
    return server.endpoint;
  }
  const json = (body: unknown): Answer => ({ status: 200, body: JSON.stringify(body) });
  const denial = (action: string) =>
    refusal(
      'AccessDenied',
      `User: ${ANA} is not authorized to perform: ${action.toLowerCase()} on resource: arn:aws:sqs:us-east-1:123456789012:orders-dlq`,
      403,
    );
  const source = (name: string, endpoint: string) =>
    `  - { name: ${name}, sqs: orders-dlq, redrive_to: orders-dlq-two, endpoint: '${endpoint}' }\n`;
  let report: DoctorReport;

  beforeAll(async () => {
    let yaml = 'sources:\n';
    for (const [call, permission] of CASES) yaml += source(call, await serverWith(call, denial(permission)));
    const kms = (call: string, code: string, message = '') =>
      serverWith(call, refusal(code, message), { KmsMasterKeyId: KEY });
    yaml += source(
      'decrypt',
      await kms(
        'ReceiveMessage',
        'KMS.AccessDeniedException',
        `User: ${ANA} is not authorized to perform: kms:Decrypt`,
      ),
    );
    yaml += source('generate', await kms('SendMessageBatch', 'KmsAccessDenied', `${ANA} may not`));
    yaml += source('disabled', await kms('ReceiveMessage', 'KmsDisabled'));
    report = await examineFile(yaml, ['--sample', '1']);
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  test.each(CASES)('%s: %s', (source, permission) => {
    const findings = of(report.findings, source).filter(({ check }) => check === permission);
    const [finding] = findings;
    expect(finding?.message).toContain(`${permission} on orders-dlq is missing`);
    expect(finding?.mend).toContain(`to ${ANA}`);
    expect(finding?.terraform).toContain(`actions   = ["${permission}"]`);
    const policy = /^aws iam put-user-policy --user-name ana --policy-name [\w-]+ --policy-document '(.*)'$/.exec(
      finding?.command ?? '',
    );
    // Without its URL a queue's account isn't known.
    const resource = `arn:aws:sqs:${permission === 'sqs:GetQueueUrl' ? '*:*' : 'us-east-1:123456789012'}:orders-dlq`;
    expect(JSON.parse(policy?.[1] ?? '{}').Statement).toEqual([
      { Effect: 'Allow', Action: permission, Resource: resource },
    ]);
  });

  test('only what was refused is found: the rest is allowed, or not to be told', () => {
    const asked = new Set<string>(CASES.map(([, permission]) => permission));
    for (const [source, permission] of CASES) {
      const found = of(report.findings, source).map(({ check }) => check);
      expect(found.filter((check) => asked.has(check) && check !== permission)).toEqual([]);
    }
  });

  test('an encrypted queue: kms:Decrypt, kms:GenerateDataKey, and a key that is disabled', () => {
    const found = (source: string, check: string) => of(report.findings, source).find((one) => one.check === check);
    expect(found('decrypt', 'kms:Decrypt')?.command).toContain(`arn:aws:kms:*:*:key/${KEY}`);
    expect(found('generate', 'kms:GenerateDataKey')?.message).toContain('nothing can be sent to an encrypted queue');
    expect(found('disabled', 'kms_key')?.command).toContain(`aws kms enable-key --key-id ${KEY}`);
    expect(state(of(report.checks, 'generate'), 'kms:Decrypt')).toBe('ok');
    expect(state(of(report.checks, 'disabled'), 'kms:GenerateDataKey')).toBe('unknown');
  });
});

test('what stops everything: unreachable, expired, none, and a queue that is in another configured region', async () => {
  const expired = await startAnswering(
    refusal('ExpiredToken', 'The security token included in the request is expired', 403),
  );
  const behind = await startAnswering({
    ...(refusal('AWS.SimpleQueueService.NonExistentQueue', 'no') as object),
    status: 400,
    headers: {
      date: new Date(Date.now() + 600_000).toUTCString(),
      'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender',
    },
  } as Answer);
  await pair('here', {}, fauxqs);
  const { findings } = await examineFile(`sources:
  - { name: down, sqs: x-dlq, endpoint: 'http://127.0.0.1:1' }
  - { name: expired, sqs: x-dlq, endpoint: '${expired.endpoint}' }
  - { name: behind, sqs: x-dlq, endpoint: '${behind.endpoint}' }
  - { name: elsewhere, sqs: here-dlq }
  - { name: right, sqs: here-dlq, endpoint: '${fauxqs.endpoint}', region: us-east-1 }
`);
  const say = (source: string) =>
    of(findings, source).map(({ check, message, mend }) => `${check}: ${message} ${mend}`);
  expect(say('down')).toEqual([
    expect.stringMatching(/^connection: No connection to SQS for x-dlq .*127\.0\.0\.1:1.*is up/),
  ]);
  expect(say('expired')).toEqual([expect.stringMatching(/^credentials: .*expired.*aws sso login/)]);
  expect(say('behind')).toContainEqual(
    expect.stringMatching(/^clock: .*[56]\d\d seconds behind.*AWS refuses.*time server/),
  );
  expect(say('elsewhere')).toEqual([
    expect.stringMatching(/^queue: .*does not exist.*source right uses.*region: us-east-1, endpoint: http/),
  ]);
  expect(say('right')).toEqual([]);
  await Promise.all([expired.close(), behind.close()]);

  const none = await examine(['--sqs', 'x-dlq'], { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
  expect(short(none.findings)).toEqual(['error credentials']);
  expect(none.findings[0]?.mend).toContain('AWS_PROFILE');
});

test('with --sample: what expires soon, and what would go nowhere', async () => {
  await local.createQueue('old-dlq', { MessageRetentionPeriod: '345600' });
  await local.createQueue('old', { MessageRetentionPeriod: '3600' }, { queue: 'old-dlq', maxReceiveCount: 3 });
  await local.createQueue('untargeted-dlq', FORTNIGHT);
  local.put('old-dlq', { body: '{}', sentAt: Date.now() - (345_600 - 7200) * 1000 });
  local.put('untargeted-dlq', { body: '{}' });
  const args = ['--sqs', 'old-dlq', '--sqs', 'untargeted-dlq'];
  const { findings, checks } = await examine([...args, '--sample', '5']);
  expect(short(of(findings, 'old-dlq'))).toEqual(['error expiry']);
  expect(findings[0]?.message).toMatch(/expires in (1h|2h)/);
  expect(of(checks, 'old-dlq').find(({ check }) => check === 'sample')?.message).toContain('the oldest sent 3d ago');
  expect(of(findings, 'untargeted-dlq').map(({ message }) => message)).toContainEqual(
    expect.stringContaining("1 message of those that were seen can't be retried"),
  );
  expect(short((await examine(args)).findings)).toEqual(['warning target']);
});

test('a dead-letter queue of several, on a server that need not say which of them a message came from', async () => {
  await local.createQueue('common-dlq', FORTNIGHT);
  for (const one of ['left', 'right']) await local.createQueue(one, {}, { queue: 'common-dlq', maxReceiveCount: 3 });
  const args = ['--sqs', 'common-dlq'];
  const [finding] = (await examine(args)).findings;
  expect(finding).toMatchObject({ check: 'target', severity: 'warning' });
  expect(finding?.message).toMatch(/ambiguous: (left, right|right, left) all dead-letter here/);
  expect(finding?.mend).toMatch(/redrive_to.*--to/);
  // What was seen counts for more: the server says it of what lies there.
  const sourceArn = `arn:aws:sqs:${local.region}:${local.account}:left`;
  local.put('common-dlq', { body: 'text', sourceArn });
  expect((await examine([...args, '--sample', '5'])).findings).toEqual([]);
  local.put('common-dlq', { body: 'text' });
  const { findings } = await examine([...args, '--sample', '5']);
  expect(findings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/1 message .*can't be retried.*all dead-letter here/),
  );
  // As a retry has it.
  const { items } = await sandbox.json<ActionReport>(['retry', '--all', '--dry-run', ...args]);
  expect(items.map(({ outcome, to }) => `${outcome} ${to}`).toSorted()).toEqual(['planned left', 'skipped null']);
});

test('a jadpo app: no table, columns without a meaning, nothing to dismiss by, and rows that no tick takes', async () => {
  const database = (name: string, sql: string) => {
    const made = new Database(sandbox.path(name));
    made.exec(sql);
    made.close();
  };
  const columns =
    'id TEXT PRIMARY KEY, queue TEXT, event TEXT, message_id TEXT, reason TEXT, problems TEXT, body TEXT, status TEXT';
  database('empty.sqlite', 'CREATE TABLE other (x)');
  database(
    'unmapped.sqlite',
    `CREATE TABLE jadpo_parked_messages (${columns.replace(', problems TEXT', ', why TEXT')}, parked_at TEXT, status_at TEXT)`,
  );
  database('unread.sqlite', 'CREATE TABLE jadpo_parked_messages (id TEXT PRIMARY KEY, queue TEXT, code TEXT)');
  database('timeless.sqlite', `CREATE TABLE jadpo_parked_messages (${columns}, parked_at TEXT)`);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  createJadpoFile(sandbox.path('stuck.sqlite'), [
    parkedRow({ id: 'p1', status: 'pending', status_at: ago(30) }),
    parkedRow({ id: 'p2', status: 'pending', status_at: ago(2) }),
  ]);
  createJadpoFile(sandbox.path('ticking.sqlite'), [parkedRow({ id: 'p1', status: 'pending', status_at: ago(0) })]);
  createJadpoFile(sandbox.path('words.sqlite'), [parkedRow({ id: 'p1' }), parkedRow({ id: 'p2', status: 'parked' })]);
  const names = ['empty', 'unmapped', 'unread', 'timeless', 'stuck', 'ticking', 'words', 'gone'];
  const { findings } = await examine(names.flatMap((name) => ['--jadpo', `${name}.sqlite`]));
  const say = (source: string) =>
    of(findings, source).map(({ check, message, mend }) => `${check}: ${message} ${mend}`);
  expect(say('empty')).toEqual([expect.stringMatching(/^table: .*has no table jadpo_parked_messages.*other/)]);
  expect(say('unmapped')).toEqual([
    expect.stringMatching(/^columns: .*for problems, and why has.*columns: \{ problems: why \}/),
  ]);
  expect(say('unread')).toEqual([expect.stringMatching(/^columns: .*can't be read.*columns: \{/)]);
  expect(say('timeless')).toEqual([expect.stringMatching(/^dismissed_at: .*nothing can be dismissed.*status_at/)]);
  expect(say('stuck')).toEqual([expect.stringMatching(/^tick: 2 rows.*30m ago.*the app may not be running/)]);
  expect(say('ticking')).toEqual([]);
  expect(say('words')).toEqual([expect.stringMatching(/^rows: .*"parked" \(1\).*statuses:/)]);
  expect(say('gone')).toEqual([expect.stringMatching(/^database: There is no file/)]);
});

test('the journal: temporary, open to others, not to be written, and with what never ended', async () => {
  createJadpoFile(sandbox.path('j.sqlite'), []);
  const examineJournal = async (path: string) => {
    const { findings } = await examine(['--jadpo', 'j.sqlite', '--journal', path]);
    return of(findings, 'journal').map(({ check, message, command }) => `${check}: ${message} $ ${command}`);
  };
  expect(await examineJournal(sandbox.path('journal.db'))).toEqual([
    expect.stringMatching(/^temporary: .*temporary folder/),
  ]);

  const folder = join(lasting, 'open');
  mkdirSync(folder);
  const file = join(folder, 'journal.db');
  const journal = openJournal({
    path: file,
    create: true,
    clock: { now: () => Date.now() - 600_000, sleep: async () => {} },
  });
  const run = await journal.begin({ action: 'retry', by: 'ana', note: null, asked: 'a test' });
  await journal.intend(run, [anIntent('m1'), anIntent('m2')]);
  await journal.close();
  expect(await examineJournal(file)).toEqual([
    expect.stringMatching(
      /^unfinished: 2 messages of the run \S+ never came to a known end.*\$ babelq log --unfinished/,
    ),
  ]);
  chmodSync(file, 0o644);
  expect(await examineJournal(file)).toContainEqual(
    expect.stringMatching(/^mode: .*mode 0644.*\$ chmod 600 .*journal\.db$/),
  );
  chmodSync(folder, 0o777);
  expect(await examineJournal(file)).toContainEqual(
    expect.stringMatching(/everyone may write to its folder|folder_mode/),
  );
  chmodSync(folder, 0o700);

  writeFileSync(join(lasting, 'no-folder'), '');
  expect(await examineJournal(join(lasting, 'no-folder', 'journal.db'))).toEqual([
    expect.stringMatching(/^journal: .*can't be opened/),
  ]);
});

test('a configuration that cannot be read is a finding with its line', async () => {
  const { findings } = await examineFile('sources:\n  - { sqs: orders-dlq, redriveto: orders }\n');
  expect(findings).toMatchObject([
    { source: 'config', check: 'config', severity: 'error', mend: 'Did you mean redrive_to?' },
  ]);
  expect(findings[0]?.message).toContain(':2: sources[0].redriveto');
  expect(short((await examine([])).findings)).toEqual(['error config']);
});

test('for a person: grouped by source, marks with words, what to type, and nothing hostile', async () => {
  const { stdout, stderr, code } = await sandbox.run(['doctor', '--sqs', 'short-dlq']);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^short-dlq\n {2}! warning retention\n {4}short-dlq keeps/);
  expect(stdout).toMatch(
    /\n {4}Mend: [\s\S]*\n {6}\$ aws sqs set-queue-attributes .*\n {6}resource "aws_sqs_queue" "short_dlq" \{\n/,
  );
  expect(stdout).toMatch(/\n {2}\? unknown [\s\S]*\n {2}✓ ok connection, clock, /);
  expect(stderr).toContain('1 warning. ');
});
