import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { runHere } from '../support/run-here.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';

/** What must be seen nowhere, each at a place that the configuration names. */
const SECRET = /s3cr3t/;
const DATA =
  '{"email":"s3cr3t-1","card":{"number":"s3cr3t-2","cvc":"s3cr3t-3"},"people":[{"iban":"s3cr3t-4"},{"iban":"s3cr3t-5"}],"email":"s3cr3t-6","kept":"in sight"}';

let server: SqsServer;
let home: string;
let env: Record<string, string>;
let id: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'babelq-redact-'));
  server = await startLocalAwsSqs();
  await server.createQueue('orders-dlq');
  await server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
  const dead =
    '{"reason":"failed","error":"refused for s3cr3t-7","exception":"s3cr3t-8","failed_at":1,"original_queue":"orders"}';
  const meta =
    '{"id":"f1e2d3c4-b5a6-4789-90ab-cdef01234567","queue":"orders","lang":"php","schema_version":1,"created_at":1}';
  const body = `{"job":"urn:babel:orders:created","trace_id":"t","data":${DATA},"meta":${meta},"attempts":3,"dead_letter":${dead}}`;
  id = server.put('orders-dlq', { body });
  createJadpoFile(join(home, 'store.sqlite'), [parkedRow({ id: 'p1', body: `{"id":1,"data":${DATA}}` })]);
  writeFileSync(
    join(home, 'babelq.yaml'),
    `sources:
  - { name: orders, sqs: orders-dlq }
  - { name: store, jadpo: ./store.sqlite }
redact: [data.email, data.card.*, data.people.*.iban, dead_letter.error, dead_letter.exception]
`,
  );
  env = { ...server.environment, HOME: home, XDG_STATE_HOME: join(home, 'state'), BABELQ_OPERATOR: 'ana' };
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

async function shown(...args: string[]): Promise<string> {
  const { stdout, stderr, code } = await runHere(args, { env, cwd: home });
  expect(code).toBe(0);
  return `${stdout}${stderr}`;
}

test('what the configuration names is blanked in every output, and the JSON says so', async () => {
  const outputs = [
    await shown('deliveries', '--with-body', '--json'),
    await shown('deliveries', '--output', 'csv'),
    await shown('inspect', id, 'p1'),
    await shown('inspect', id, 'p1', '--json'),
    await shown('groups'),
    await shown('groups', '--by', 'exception', '--json', '--source', 'orders'),
    await shown('retry', id, 'p1', '--dry-run', '--json'),
    await shown('retry', id, '--set', 'data.card.number="4"', '--unset', 'data.email', '--dry-run'),
    await shown('export', '--redact', id, 'p1'),
  ];
  for (const output of outputs) expect(output).not.toMatch(SECRET);
  expect(outputs[0]).toContain('in sight');
  const { failures } = JSON.parse(outputs[3] ?? '') as { failures: Record<string, unknown>[] };
  expect(failures).toMatchObject([
    { redacted: true, error: '[redacted]', exception: '[redacted]' },
    { redacted: true },
  ]);
});

test('--raw, and an export without --redact, hold what is stored', async () => {
  expect(await shown('inspect', id, '--raw')).toContain('s3cr3t-6');
  expect(await shown('export', id)).toContain('s3cr3t-7');
});

test('the journal keeps no body of what was retried, and its log shows nothing of it', async () => {
  expect(await shown('retry', id, '--yes', '--json')).not.toMatch(SECRET);
  expect(await shown('log', '--json')).not.toMatch(SECRET);
  expect(await shown('log', id)).not.toMatch(SECRET);
  expect(readFileSync(join(home, 'state/babelq/journal.db'), 'latin1')).not.toMatch(SECRET);
});
