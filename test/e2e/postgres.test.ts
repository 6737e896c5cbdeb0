import { writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { JadpoSchema } from '../support/jadpo-postgres.ts';
import { parkedExamples } from '../support/jadpo-table.ts';
import { type PostgresServer, startPglite } from '../support/postgres-server.ts';
import { Sandbox } from '../support/run-babelq.ts';

/** What PGlite lets in with any password; in an address as it is typed, and as it is meant. */
const TYPED = 'hunter2%2Ftop%40';
const SECRETS = [TYPED, 'hunter2/top@', 'hunter2'];

let server: PostgresServer;
let schema: JadpoSchema;
let sandbox: Sandbox;

beforeAll(async () => {
  server = await startPglite();
});
afterAll(() => server.stop());
beforeEach(async () => {
  schema = await JadpoSchema.create(server);
  await schema.insert(parkedExamples(Date.now()));
  sandbox = new Sandbox({ DATABASE_URL: schema.url.replace('hunter2', TYPED) });
  writeFileSync(sandbox.path('babelq.yaml'), `sources:\n  - name: warehouse\n    jadpo: \${DATABASE_URL}\n`);
});
afterEach(async () => {
  await schema.drop();
  sandbox.remove();
});

const statuses = async () => (await schema.rows()).map(({ id, status }) => `${id} ${status}`);

test('every verb works on a jadpo app that is on PostgreSQL', async () => {
  const listed = await sandbox.json<{ failures: { id: string; reason: string }[]; sources: object[] }>(['deliveries']);
  expect(listed.failures.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
    'warehouse/p12 unreadable',
    'warehouse/p13 unreadable',
    'warehouse/p11 unlisted_type',
    'warehouse/p14 too_large',
  ]);
  expect(listed.sources).toMatchObject([{ name: 'warehouse', kind: 'jadpo', listed: 4, about: 4, complete: true }]);
  expect((await sandbox.run(['inspect', 'p12', '--raw'])).stdout).toBe(
    '{"id":9917,"type":"order.shipped","data":{"order_id":1043,"carrier":"DHL"}}',
  );
  const grouped = await sandbox.json<{ groups: { count: number }[] }>(['groups', '--by', 'reason']);
  expect(grouped.groups.map(({ count }) => count)).toEqual([2, 1, 1]);
  expect((await sandbox.run(['check', '--max', '3'])).code).toBe(5);
  const counts = await sandbox.json<object>(['sources']);
  expect(counts).toMatchObject({ sources: [{ name: 'warehouse', visible: 4, in_flight: 0, error: null }] });

  const retried = await sandbox.json<object>(['retry', '--reason', 'unreadable', '--yes']);
  expect(retried).toMatchObject({ matched: 2, done: 2 });
  expect((await sandbox.run(['dismiss', 'p14', '--yes'])).code).toBe(0);
  expect(await statuses()).toEqual(['p11 failed', 'p12 pending', 'p13 pending', 'p14 dismissed']);
  expect((await sandbox.run(['restore', 'p14', '--yes'])).code).toBe(0);
  expect((await sandbox.run(['export', '--queue', 'warehouse_queue'])).stdout.trim().split('\n')).toHaveLength(4);
  const log = await sandbox.json<{ entries: { id: string; action: string; outcome: string }[] }>(['log']);
  expect(log.entries.map(({ id, action, outcome }) => `${action} ${id} ${outcome}`).sort()).toEqual([
    'dismiss warehouse/p14 done',
    'restore warehouse/p14 done',
    'retry warehouse/p12 done',
    'retry warehouse/p13 done',
  ]);
});

test('the password is in no output, whatever is asked and whatever goes wrong', async () => {
  const { DATABASE_URL: url = '' } = sandbox.env;
  const nobody = url.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1');
  const asked: { args: string[]; env?: Record<string, string>; code: number }[] = [
    { args: ['sources', '--json', '--verbose'], code: 0 },
    { args: ['deliveries', '--verbose'], code: 0 },
    { args: ['deliveries', '--verbose'], env: { DATABASE_URL: nobody }, code: 1 },
    { args: ['sources', '--json'], env: { DATABASE_URL: nobody }, code: 1 },
    { args: ['retry', '--all', '--yes', '--verbose', '--json'], env: { DATABASE_URL: nobody }, code: 1 },
    { args: ['--jadpo', nobody, 'deliveries', '--verbose'], code: 1 },
    { args: ['deliveries', '--verbose'], env: { DATABASE_URL: url.replace(TYPED, 'hunter2/top') }, code: 2 },
    { args: ['deliveries', '--verbose'], env: { DATABASE_URL: `${url}&sslmodus=x` }, code: 2 },
    {
      args: ['deliveries', '--verbose'],
      env: { DATABASE_URL: `${url.replace(/:hunter2[^@]*@/, '@')}&password=${TYPED}&sslmode=require` },
      code: 1,
    },
  ];
  for (const { args, env = {}, code } of asked) {
    const ran = await sandbox.run(args, { env });
    expect([args, ran.code, ran.stderr]).toEqual([args, code, ran.stderr]);
    for (const secret of SECRETS) expect(`${ran.stdout}${ran.stderr}`).not.toContain(secret);
  }
  const failed = await sandbox.run(['deliveries'], { env: { DATABASE_URL: nobody } });
  expect(failed.stderr).toContain('Nobody answers at PostgreSQL at 127.0.0.1:1/postgres (ECONNREFUSED).');
});
