import { spawnSync } from 'node:child_process';
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startAnswering } from '../support/answering-server.ts';
import { createJadpoFile, parkedExamples, parkedRow } from '../support/jadpo-table.ts';
import { BIN, Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';

let server: SqsServer;
let sandbox: Sandbox;
const proxies: Server[] = [];

beforeAll(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
  await server.createQueue('archive-dlq');
  await server.createQueue('orders-dlq', {}, { queue: 'archive-dlq', maxReceiveCount: 5 });
  await server.createQueue('plain-dlq');
  for (let n = 0; n < 30; n++) server.put('plain-dlq', deadLettered());
  server.put('orders-dlq', deadLettered());
  createJadpoFile(sandbox.path('warehouse.sqlite'), parkedExamples(Date.now()));
});
afterAll(async () => {
  for (const proxy of proxies) proxy.close();
  await server.close();
  sandbox.remove();
});

/** In front of the server, with a principal who may not do one thing. */
async function denying(action: string): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (target === `AmazonSQS.${action}`) {
      response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' }).end(
        JSON.stringify({
          __type: 'com.amazon.coral.service#AccessDeniedException',
          message: `User: arn:aws:iam::1:user/ana is not authorized to perform: sqs:${action} because no policy allows it`,
        }),
      );
      return;
    }
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(server.endpoint, { method: 'POST', headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(await answer.text());
  });
  proxies.push(proxy);
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** One or two sentences, never a stack. */
function expectSentences(stderr: string): void {
  expect(stderr).not.toContain('    at ');
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
}

test('a queue that does not exist is named, with how to find the right one', async () => {
  const { stderr, code } = await sandbox.run(['deliveries', '--sqs', 'nope-dlq']);
  expect(code).toBe(1);
  expect(stderr).toContain('The queue nope-dlq does not exist');
  expect(stderr).toContain('list-queues');
  expectSentences(stderr);
});

test('without credentials it says which variables give them', async () => {
  const env = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
  const { stderr, code } = await sandbox.run(['deliveries', '--sqs', 'plain-dlq'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('No AWS credentials were found');
  expect(stderr).toContain('AWS_PROFILE');
  expectSentences(stderr);
});

test('a profile without credentials is told, and nothing else is said of it', async () => {
  writeFileSync(sandbox.path('profile.yaml'), 'sources:\n  - sqs: plain-dlq\n    profile: nope\n');
  const { stderr, code } = await sandbox.run(['deliveries', '--config', 'profile.yaml']);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^plain-dlq: No AWS credentials were found for plain-dlq with the profile nope\. AWS_PROFILE or .*\n$/,
  );
});

test('a missing permission is named', async () => {
  const env = { AWS_ENDPOINT_URL: await denying('ReceiveMessage') };
  const { stderr, code } = await sandbox.run(['deliveries', '--sqs', 'plain-dlq'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('sqs:ReceiveMessage is missing');
  expect(stderr).toContain('IAM policy');
  expectSentences(stderr);
});

test('a permission that only costs evidence costs no more than that', async () => {
  const env = { AWS_ENDPOINT_URL: await denying('ListDeadLetterSourceQueues') };
  const { stdout, stderr, code } = await sandbox.run(['deliveries', '--sqs', 'plain-dlq', '--limit', '1'], { env });
  expect(code).toBe(0);
  expect(stdout).toContain('Payment gateway timeout');
  expect(stderr).toContain('ListDeadLetterSourceQueues');
});

test('a server that is down is told with its address', async () => {
  const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  const { stderr, code } = await sandbox.run(['deliveries', '--sqs', 'plain-dlq'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('127.0.0.1:1 refused it');
  expectSentences(stderr);
});

test('a dead-letter queue where each look counts is refused, and read only when told', async () => {
  const refused = await sandbox.run(['deliveries', '--sqs', 'orders-dlq']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('--allow-receive');
  expect(server.lying('orders-dlq')[0]?.receiveCount).toBe(0);
  const told = await sandbox.run(['deliveries', '--sqs', 'orders-dlq', '--allow-receive']);
  expect(told.code).toBe(0);
  expect(told.stdout).toContain('urn:babel:orders:created');
});

test('one source in trouble hides no other, in any output, and the exit says it', async () => {
  const args = ['deliveries', '--sqs', 'nope-dlq', '--jadpo', 'warehouse.sqlite'];
  const table = await sandbox.run(args);
  expect(table.code).toBe(1);
  expect(table.stdout).toContain('p12');
  expect(table.stderr).toContain('nope-dlq: The queue nope-dlq does not exist');
  const json = await sandbox.run([...args, '--json']);
  expect(json).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(json.stdout).sources).toMatchObject([
    { name: 'nope-dlq', complete: false, error: expect.stringContaining('does not exist') },
    { name: 'warehouse', listed: 4, error: null },
  ]);
  const ids = await sandbox.run([...args, '--output', 'ids', '--quiet']);
  expect(ids.code).toBe(1);
  expect(ids.stdout).toContain('warehouse/p12\n');
  expect(ids.stderr).toContain('does not exist');
  const sources = await sandbox.run([...args.slice(1), 'sources', '--json']);
  expect(sources.code).toBe(1);
  expect(JSON.parse(sources.stdout).sources[0].error).toContain('does not exist');
});

test.each([
  ['nope.sqlite', 'There is no file'],
  ['text.sqlite', 'is not a SQLite database'],
  ['empty.sqlite', 'jadpo_parked_messages'],
])('a jadpo database that is none is told: %s', async (file, said) => {
  writeFileSync(
    sandbox.path('text.sqlite'),
    'this is no database, whatever its name says, and is long enough for a header',
  );
  new Database(sandbox.path('empty.sqlite')).exec('CREATE TABLE IF NOT EXISTS other (id)').close();
  const { stderr, code } = await sandbox.run(['deliveries', '--jadpo', file]);
  expect(code).toBe(1);
  expect(stderr).toContain(said);
  expectSentences(stderr);
});

test('a bad configuration is told by file, line and path, before anything is touched', async () => {
  const file = sandbox.path('bad.yaml');
  writeFileSync(file, 'sources:\n  - name: orders\n    sqss: orders-dlq\n');
  for (const run of [
    sandbox.run(['deliveries', '--config', 'bad.yaml']),
    sandbox.run(['log'], { env: { BABELQ_CONFIG: file } }),
  ]) {
    const { stderr, code } = await run;
    expect(code).toBe(2);
    expect(stderr).toContain(`${file}:3: sources[0].sqss: there is no such setting`);
    expect(stderr).toContain('Did you mean sqs?');
  }
  const none = await sandbox.run(['deliveries', '--config', 'none.yaml']);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('none.yaml does not exist');
  if (process.getuid?.() !== 0) {
    chmodSync(file, 0);
    expect((await sandbox.run(['deliveries', '--config', file])).stderr).toContain('permission denied');
  }
});

test('a journal that cannot be used stops an action before anything is changed', async () => {
  writeFileSync(sandbox.path('journal.db'), 'not a journal, but long enough that SQLite reads a header from it.....');
  const args = ['--jadpo', 'warehouse.sqlite', '--journal', 'journal.db'];
  const { stdout, stderr, code } = await sandbox.run(['retry', 'p12', '--yes', ...args]);
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain('journal.db');
  expectSentences(stderr);
  const { failures } = JSON.parse((await sandbox.run(['deliveries', '--json', '--jadpo', 'warehouse.sqlite'])).stdout);
  expect(failures.every(({ state }: { state: string }) => state === 'failed')).toBe(true);
});

test('dismissing from SQS with nobody watching needs a journal that was named', async () => {
  const args = ['dismiss', '--all', '--yes', '--sqs', 'plain-dlq'];
  const { stderr, code } = await sandbox.run(args, { env: { XDG_STATE_HOME: '' } });
  expect(code).toBe(2);
  expect(stderr).toContain('needs a journal that will still be there');
  expect(server.lying('plain-dlq')).toHaveLength(30);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s while a queue is read lets go of everything', async (signal, code) => {
  const running = sandbox.start(['deliveries', '--sqs', 'plain-dlq']);
  await vi.waitFor(() => expect(server.lying('plain-dlq').some(({ hidden }) => hidden)).toBe(true), 10_000);
  running.kill(signal);
  const ended = await running.done;
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain('letting go of what is held');
  expect(server.lying('plain-dlq').filter(({ hidden }) => hidden)).toEqual([]);
});

test('Ctrl+C ends at once what only waits for a server that says nothing', async () => {
  const mute = await startAnswering('silent');
  try {
    for (const args of [['deliveries'], ['retry', '--all', '--yes'], ['check'], ['sources']]) {
      mute.calls.length = 0;
      const running = sandbox.start([...args, '--sqs', 'plain-dlq'], { env: { AWS_ENDPOINT_URL: mute.endpoint } });
      await vi.waitFor(() => expect(mute.calls).not.toEqual([]), 10_000);
      const asked = Date.now();
      running.kill('SIGINT');
      expect(await running.done).toMatchObject({ code: 130 });
      expect(Date.now() - asked).toBeLessThan(3_000);
    }
  } finally {
    await mute.close();
  }
});

test('a second Ctrl+C leaves at once, and says what stays hidden for how long', async () => {
  const running = sandbox.start(['deliveries', '--sqs', 'plain-dlq']);
  await vi.waitFor(() => expect(server.lying('plain-dlq').some(({ hidden }) => hidden)).toBe(true), 10_000);
  running.kill('SIGINT');
  await running.said('letting go of what is held');
  running.kill('SIGINT');
  const { stderr, code } = await running.done;
  expect(code).toBe(130);
  expect(stderr).toMatch(/Still hidden from everyone: at least \d+ messages? of plain-dlq for up to \d+ s\./);
});

test('a reader that goes away ends a listing quietly, and never an action', async () => {
  const rows = Array.from({ length: 2000 }, (_, n) =>
    parkedRow({ id: `r${n}`, body: JSON.stringify({ n, text: 'x'.repeat(200) }) }),
  );
  createJadpoFile(sandbox.path('long.sqlite'), rows);
  const listing = sandbox.start(['deliveries', '--jadpo', 'long.sqlite', '--limit', 'all', '--with-body', '--json']);
  listing.closeStdout();
  expect(await listing.done).toMatchObject({ code: 0, stderr: '' });
  const retry = sandbox.start(['retry', '--all', '--yes', '--jadpo', 'long.sqlite', '--output', 'ndjson', '--quiet']);
  retry.closeStdout();
  expect(await retry.done).toMatchObject({ code: 0, stderr: '' });
  const database = new Database(sandbox.path('long.sqlite'));
  const pending = database.prepare("SELECT count(*) AS n FROM jadpo_parked_messages WHERE status = 'pending'").get();
  database.close();
  expect(pending).toEqual({ n: 2000 });
});

test.skipIf(process.platform !== 'linux')("output that can't be written whole is told, and never exits as done", () => {
  createJadpoFile(sandbox.path('unwritten.sqlite'), parkedExamples(Date.now()));
  const into = (file: string, args: string, before = '') => {
    const line = `${before} exec "$NODE" "$BIN" ${args} --jadpo unwritten.sqlite > ${file}`;
    const env = { ...sandbox.env, NODE: process.execPath, BIN };
    const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: sandbox.home, env, encoding: 'utf8' });
    return { status, stderr };
  };
  const full = {
    status: 1,
    stderr: expect.stringContaining('could not be written, or not all of it: the disk is full.'),
  };
  for (const looking of [
    'deliveries',
    'deliveries --json',
    'export',
    'inspect p12 --raw',
    'retry --all --dry-run --json',
  ]) {
    expect(into('/dev/full', looking)).toEqual(full);
  }
  expect(into('/dev/full', '--help')).toEqual(full);
  expect(into('/dev/full', '--version').status).toBe(1);
  // The system writes as much as there is room for, and calls that a success.
  const cut = into('cut.ndjson', 'export', "trap '' XFSZ; ulimit -f 1;");
  expect(cut).toEqual({ status: 1, stderr: expect.stringContaining('not all of it: the file is too large.') });
  expect(statSync(sandbox.path('cut.ndjson')).size).toBeGreaterThan(0);
  const retried = into('/dev/full', 'retry p12 --yes --json');
  expect(retried.status).toBe(3);
  const { error } = JSON.parse(retried.stderr.trimEnd().split('\n').at(-1) ?? '') as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code: 'output', hint: expect.stringContaining('babelq log') });
});

test('an id with its source is looked for there and nowhere else', async () => {
  const args = ['--sqs', 'plain-dlq', '--jadpo', 'warehouse.sqlite'];
  const before = server.lying('plain-dlq').map(({ receiveCount }) => receiveCount);
  expect(await sandbox.run(['inspect', 'warehouse/p12', ...args])).toMatchObject({ code: 0, stderr: '' });
  expect(await sandbox.run(['dismiss', 'warehouse/p12', '--dry-run', ...args])).toMatchObject({ code: 0, stderr: '' });
  expect(server.lying('plain-dlq').map(({ receiveCount }) => receiveCount)).toEqual(before);
  const env = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
  const { stderr, code } = await sandbox.run(['dismiss', 'warehouse/p12', '--yes', ...args], { env });
  // As it has to be typed to reach the same sources.
  const undo = 'To undo it: babelq restore warehouse/p12 --sqs plain-dlq --jadpo warehouse.sqlite\n';
  expect({ stderr, code }).toEqual({ stderr: undo, code: 0 });
  expect((await sandbox.run(['restore', 'warehouse/p12', '--yes', ...args], { env })).code).toBe(0);
});

test('a source in trouble does not matter where the whole id was found in another', async () => {
  // A queue of its own: of what others hold still it could not be sure that it is not the one.
  await server.createQueue('found-dlq');
  const id = server.put('found-dlq', deadLettered());
  const { stderr, code } = await sandbox.run(['dismiss', id, '--yes', '--sqs', 'found-dlq', '--sqs', 'nope-dlq']);
  const undo = `To undo it: babelq restore found-dlq/${id} --sqs found-dlq --sqs nope-dlq\n`;
  expect({ stderr, code }).toEqual({ stderr: undo, code: 0 });
});

test('a message that is not there is looked up in the journal, one to restore in the archive', async () => {
  const id = server.put('plain-dlq', deadLettered());
  await sandbox.run(['dismiss', id, '--yes', '--sqs', 'plain-dlq']);
  await sandbox.run(['restore', id, '--yes', '--sqs', 'plain-dlq']);
  const inspected = await sandbox.run(['inspect', id, '--sqs', 'plain-dlq']);
  expect(inspected.code).toBe(4);
  expect(inspected.stderr).toContain(`babelq log ${id}`);
  const restored = await sandbox.run(['restore', id, '--yes', '--sqs', 'plain-dlq']);
  expect(restored.code).toBe(4);
  expect(restored.stderr).toContain('babelq deliveries --state dismissed');
  const matched = await sandbox.run(['restore', '--reason', 'nope', '--yes', '--sqs', 'plain-dlq']);
  expect(matched.code).toBe(4);
  expect(matched.stderr).toContain('babelq deliveries --state dismissed');
});

test.each([
  ['columns: { stauts: state }', 'columns: has no "stauts"'],
  ['statuses: { filed: state }', 'statuses: has no "filed"'],
])('what only the database knows to be wrong in the configuration has its line: %s', async (setting, said) => {
  writeFileSync(sandbox.path('wrong.yaml'), `sources:\n  - jadpo: ./warehouse.sqlite\n    ${setting}\n`);
  const { stderr, code } = await sandbox.run(['sources', '--config', 'wrong.yaml']);
  expect(code).toBe(2);
  expect(stderr).toContain(`wrong.yaml:2: sources[0]: ${said}`);
  expectSentences(stderr);
});

test('a table with another name is read where the configuration names it', async () => {
  createJadpoFile(sandbox.path('renamed.sqlite'), parkedExamples(Date.now()));
  const database = new Database(sandbox.path('renamed.sqlite'));
  database.exec('ALTER TABLE jadpo_parked_messages RENAME TO parked');
  database.close();
  const without = await sandbox.run(['deliveries', '--jadpo', 'renamed.sqlite']);
  expect(without.code).toBe(1);
  expect(without.stderr).toContain('table: of this source');
  writeFileSync(sandbox.path('renamed.yaml'), 'sources:\n  - jadpo: ./renamed.sqlite\n    table: parked\n');
  const { stdout, code } = await sandbox.run(['deliveries', '--config', 'renamed.yaml']);
  expect(code).toBe(0);
  expect(stdout).toContain('p12');
});
