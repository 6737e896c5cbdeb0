import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { csvLine } from '../../src/model/display/csv.ts';
import { startAnswering } from '../support/answering-server.ts';
import { csvCells, EVIL, FORMULAS, HOSTILE_TEXTS, leaksIn } from '../support/hostile.ts';
import { JADPO_TABLE_TYPED, JadpoSchema } from '../support/jadpo-postgres.ts';
import { JADPO_TABLE, parkedRow } from '../support/jadpo-table.ts';
import { type PostgresServer, startPglite } from '../support/postgres-server.ts';
import { BIN } from '../support/run-babelq.ts';
import { type RanHere, runHere } from '../support/run-here.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { HAS_TMUX, TmuxTerminal } from '../support/tmux.ts';

/**
 * Messages, names, notes, files and configurations of somebody who wants something of the terminal they are shown on,
 * through every command and every output.
 */

const MEGABYTE = `${'x'.repeat(1000)}\u001b[31;5;7m`.repeat(1000);
let server: SqsServer;
let home: string;
let env: Record<string, string>;
let ids: string[];

/** An app's record that is hostile in every member that is shown. */
function evilRecord(text: string): string {
  return JSON.stringify({
    job: `urn:${text}`,
    trace_id: text,
    data: { [text]: text, email: text },
    meta: { id: text, queue: text, lang: text, schema_version: 1, created_at: 1 },
    attempts: 3,
    dead_letter: {
      reason: text,
      error: text,
      exception: text,
      failed_at: 1,
      original_queue: text,
      attempts: 3,
      lang: text,
    },
  });
}

function evilRows() {
  return [
    ...HOSTILE_TEXTS.map((text, n) => ({ text, id: `e${n}` })),
    ...FORMULAS.map((text, n) => ({ text, id: `f${n}` })),
    { text: EVIL, id: `id-${EVIL.replaceAll(/[\ud800-\udfff]/g, '')}` },
  ].map(({ text, id }, n) =>
    parkedRow({
      id,
      queue: text,
      event: text,
      message_id: text,
      reason: n % 3 === 0 ? 'unreadable' : text,
      problems: JSON.stringify([{ field: text, rule: text }]),
      body: n % 2 === 0 ? `${text}${n}` : JSON.stringify({ [text]: text, n }),
    }),
  );
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'babelq-hostile-'));
  server = await startLocalAwsSqs();
  await server.createQueue('evil-dlq');
  const attributes = { blob: { type: `Binary.${EVIL}`, value: 'AP8b' }, text: { type: 'String', value: EVIL } };
  const bodies = [evilRecord(EVIL), ...HOSTILE_TEXTS, JSON.stringify({ text: MEGABYTE }), `{"job":"${EVIL}`];
  ids = bodies.map((body) =>
    server.put('evil-dlq', { body, attributes: { ...attributes, [`bq-${EVIL}`]: { type: EVIL, value: EVIL } } }),
  );
  const file = join(home, 'store.sqlite');
  const database = new Sqlite(file);
  database.exec(JADPO_TABLE);
  const insert = database.prepare(
    `INSERT INTO jadpo_parked_messages VALUES (@id, @queue, @event, @message_id, @reason, @problems, @body, @body_sha256,
      @status, @parked_at, @status_at)`,
  );
  for (const row of evilRows()) insert.run(row);
  const bytes = Buffer.from([0x1b, 0x5d, 0xff, 0xfe, 0x9b, 0x33, 0x31, 0x6d, 0xc3, 0x28]);
  insert.run({ ...parkedRow({ id: 'blob' }), body: bytes, body_sha256: 'blob' });
  insert.run(parkedRow({ id: 'long', body: MEGABYTE }));
  insert.run(parkedRow({ id: 'gone', status: 'dismissed', queue: EVIL, body: EVIL }));
  database.close();
  writeFileSync(
    join(home, 'babelq.yaml'),
    `sources:
  - { name: evil, sqs: evil-dlq }
  - { name: store, jadpo: ./store.sqlite }
redact: [data.email]
`,
  );
  env = {
    ...server.environment,
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    BABELQ_OPERATOR: EVIL,
    TERM: 'xterm-256color',
  };
  // The SDK reads the process's own.
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value);
  // A journal with hostile notes, names and ends.
  for (const action of ['dismiss', 'restore']) {
    await babelq([action, 'long', 'e1', '--source', 'store', '--yes', '--reason-note', EVIL]);
  }
  await babelq(['dismiss', ...ids.slice(3, 5), '--source', 'evil', '--yes', '--reason-note', EVIL]);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

function babelq(args: readonly string[], options: { tty?: boolean; input?: string } = {}): Promise<RanHere> {
  return runHere(args, { env, cwd: home, ...options });
}

const OUTPUTS = ['table', 'json', 'ndjson', 'csv', 'ids'] as const;

/** Runs it in a pipe and at a terminal, and tells what a terminal would have acted on. */
async function leaksOf(
  args: readonly string[],
  {
    input = '',
    allowed = '\n',
    at = [false, true],
  }: { input?: string; allowed?: string; at?: readonly boolean[] } = {},
): Promise<{ leaks: string[]; ran: RanHere }> {
  const leaks: string[] = [];
  let last: RanHere | undefined;
  for (const tty of at) {
    const ran = await babelq(args, { tty, input });
    last = ran;
    leaks.push(...leaksIn(ran.stdout, { tty, allowed }), ...leaksIn(ran.stderr, { tty, allowed: tty ? '\n\r' : '\n' }));
  }
  if (last === undefined) throw new Error('nothing ran');
  return { leaks, ran: last };
}

const STORE = ['--source', 'store'];
const ofStore: [string, string[]][] = [
  ['deliveries', ['deliveries', '--with-body', '--state', 'failed,dismissed']],
  ['inspect', ['inspect', 'blob', 'long', 'gone', 'e0', 'e1', 'e10', 'f4', 'e11']],
  ['groups', ['groups']],
  ['groups by all', ['groups', '--by', 'queue,reason,subject,exception,origin']],
  ['check', ['check', '--reason', '*', '--max', '1000']],
  ['retry', ['retry', '--all', '--dry-run']],
  ['dismiss', ['dismiss', '--all', '--dry-run']],
  ['restore', ['restore', '--all', '--dry-run']],
  ['export', ['export', '--redact']],
  ['sources', ['sources']],
  ['log', ['log', '--limit', 'all']],
  ['log of one', ['log', 'e1']],
  ['config show', ['config', 'show']],
  ['journal info', ['journal', 'info']],
  ['doctor', ['doctor']],
];

describe('of parked messages', () => {
  test.each(ofStore)('%s says nothing to a terminal, in any output', async (_, args) => {
    let ran = 0;
    for (const output of [...OUTPUTS, 'prometheus']) {
      const allowed = output === 'csv' ? '\r\n' : '\n';
      const { leaks, ran: one } = await leaksOf([...args, ...STORE, '--output', output], { allowed });
      expect({ output, leaks }).toEqual({ output, leaks: [] });
      if (one.code !== 2) ran += 1;
      if (output === 'csv' && one.code !== 2) {
        const cells = csvCells(one.stdout.toString());
        expect(cells.filter((cell) => /^\s*[=+\-@＝＋－＠]/u.test(cell) && !/^-?\d/.test(cell))).toEqual([]);
      }
    }
    expect(ran).toBeGreaterThan(1);
  });
});

describe('of bytes that are no text, in PostgreSQL', () => {
  /** What PostgreSQL takes for a text. */
  const textOf = (text: string) => text.replaceAll(/[\0\ud800-\udfff]/g, '');
  const BODIES: Record<string, Buffer> = {
    cut: Buffer.from('{"text":"\u00e9"}').subarray(0, 10),
    escapes: Buffer.concat([Buffer.from([0xff]), Buffer.from(EVIL), Buffer.from([0x9b, 0x33, 0x31, 0x6d, 0xc3, 0x28])]),
    all: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
    nul: Buffer.from('{"a":"\0"}'),
    valid: Buffer.from(evilRecord(textOf(EVIL))),
    empty: Buffer.alloc(0),
  };
  const names = Object.keys(BODIES);
  let postgres: PostgresServer;
  let schema: JadpoSchema;
  beforeAll(async () => {
    postgres = await startPglite();
    schema = await JadpoSchema.create(postgres, JADPO_TABLE_TYPED);
    const text = textOf(EVIL);
    const rows = names.map((id) => parkedRow({ id, queue: text, event: text, message_id: text, body: id }));
    await schema.insert(rows.map((row) => ({ ...row, problems: JSON.stringify([{ field: text, rule: text }]) })));
    for (const [id, body] of Object.entries(BODIES)) {
      await schema.run(`UPDATE ${schema.table} SET body = $2::bytea WHERE id = $1`, [id, `\\x${body.toString('hex')}`]);
    }
    const sources = `sources: [{ name: bytes, jadpo: "${schema.url}" }]\n`;
    writeFileSync(join(home, 'bytes.yaml'), `${sources}redact: [data.email]\n`);
    writeFileSync(join(home, 'unblanked.yaml'), sources);
  });
  afterAll(async () => {
    await schema.drop();
    await postgres.stop();
  });
  const BYTES = ['--config', 'bytes.yaml', '--journal', 'bytes.db'];
  const UNBLANKED = ['--config', 'unblanked.yaml', '--journal', 'bytes.db'];

  test.each([
    ['deliveries', ['deliveries', '--with-body']],
    ['inspect', ['inspect', ...names]],
    ['groups', ['groups']],
    ['retry', ['retry', '--all', '--dry-run']],
    ['export', ['export', '--redact']],
  ])('%s says nothing to a terminal, in any output', async (_, args) => {
    let ran = 0;
    for (const output of OUTPUTS) {
      const { leaks, ran: one } = await leaksOf([...args, ...BYTES, '--output', output], {
        allowed: output === 'csv' ? '\r\n' : '\n',
      });
      expect({ output, leaks }).toEqual({ output, leaks: [] });
      if (one.code === 0) ran += 1;
    }
    expect(ran).toBeGreaterThan(0);
  });

  test('each comes out as it is stored, and no verb changes a byte', async () => {
    for (const [id, body] of Object.entries(BODIES)) {
      expect((await babelq(['inspect', id, '--raw', ...UNBLANKED])).stdout.equals(body), id).toBe(true);
      const { failures } = JSON.parse((await babelq(['inspect', id, '--json', ...UNBLANKED])).stdout.toString()) as {
        failures: { body: string | null; body_base64: string | null }[];
      };
      const [{ body: text, body_base64 } = { body: null, body_base64: null }] = failures;
      expect(Buffer.from(text ?? '').equals(body) || Buffer.from(body_base64 ?? '', 'base64').equals(body), id).toBe(
        true,
      );
    }
    for (const verb of [
      ['dismiss', '--all'],
      ['restore', '--all'],
      ['retry', '--all'],
    ]) {
      expect((await babelq([...verb, '--yes', ...UNBLANKED])).code, verb[0]).toBe(0);
    }
    const rows = await schema.run(
      `SELECT id, encode(body, 'hex'), status FROM ${schema.table} ORDER BY id COLLATE "C"`,
    );
    expect(rows).toEqual(names.toSorted().map((id) => [id, BODIES[id]?.toString('hex'), 'pending']));
  });
});

describe('of a dead-letter queue', () => {
  test.each([
    // Reading takes seconds, and what is printed from it is the same code for both kinds of sources.
    ['deliveries, as a table on a terminal', ['deliveries', '--output', 'table'], [true]],
    ['deliveries, as JSON in a pipe', ['deliveries', '--with-body', '--json'], [false]],
    ['a dry run on a terminal', ['retry', '--all', '--dry-run'], [true]],
    ['what is dismissed', ['deliveries', '--state', 'dismissed'], [false, true]],
  ])('%s says nothing to a terminal', async (_, args, at) => {
    const { leaks, ran } = await leaksOf([...args, '--source', 'evil'], { at });
    expect(leaks).toEqual([]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.length).toBeGreaterThan(100);
  });

  test('each message on its own page, and one that is edited before it is sent', async () => {
    const [first = '', second = ''] = ids;
    const inspected = await leaksOf(['inspect', ...ids, '--source', 'evil'], { at: [true] });
    expect(inspected).toMatchObject({ leaks: [], ran: { code: 0 } });
    const edited = await leaksOf([
      'retry',
      first,
      '--source',
      'evil',
      '--to',
      'evil-dlq',
      '--set',
      `data."x"="${'\\u001b'}]52;c"`,
      '--dry-run',
    ]);
    expect(edited.leaks).toEqual([]);
    const asked = await leaksOf(['dismiss', second, '--source', 'evil', '--reason-note', EVIL], { input: 'n\n' });
    expect(asked.leaks).toEqual([]);
    expect(asked.ran.stderr.toString()).toContain('Nothing was changed.');
  });
});

describe('of a server', () => {
  test.each([
    ['refusals', 'doctor', { status: 400, body: JSON.stringify({ __type: `Kms${EVIL}`, message: EVIL }) }],
    ['attributes', 'doctor', null],
    ['names', 'sources discover', null],
  ] as const)('%s: %s says nothing to a terminal, in any output', async (_, command, refused) => {
    const server = await startAnswering((call) => {
      if (call === 'ListQueues')
        return json({ QueueUrls: [`http://${EVIL}/1/evil-dlq`, `http://h/1/${EVIL}`, 'http://h/1/evil-dlq'] });
      if (call === 'GetQueueUrl') return json({ QueueUrl: `http://${EVIL}/1/evil-dlq` });
      if (call === 'GetQueueAttributes') {
        const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: EVIL, maxReceiveCount: EVIL });
        const RedriveAllowPolicy = JSON.stringify({ redrivePermission: 'byQueue', sourceQueueArns: [EVIL] });
        return json({ Attributes: { QueueArn: EVIL, KmsMasterKeyId: EVIL, RedrivePolicy, RedriveAllowPolicy } });
      }
      return (
        refused ?? json({ queueUrls: [`http://${EVIL}/1/${EVIL}`], Failed: [{ Id: '0', Code: EVIL, Message: EVIL }] })
      );
    });
    const args = command === 'doctor' ? ['doctor', '--sqs', 'evil-dlq'] : ['sources', 'discover'];
    vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
    try {
      for (const output of OUTPUTS) {
        const { leaks } = await leaksOf([...args, '--output', output], { allowed: output === 'csv' ? '\r\n' : '\n' });
        expect({ output, leaks }).toEqual({ output, leaks: [] });
      }
    } finally {
      vi.stubEnv('AWS_ENDPOINT_URL', env.AWS_ENDPOINT_URL ?? '');
      await server.close();
    }
  });
  const json = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });
});

describe('of what was typed, and of files', () => {
  const evilFile = `evil \u001b]52;c;eA==\u0007\u202e.yaml`;

  test.each([
    ['an id', ['inspect', EVIL, ...STORE]],
    ['ids that are prefixes', ['inspect', 'e', ...STORE]],
    ['a command', [EVIL]],
    ['an option', ['deliveries', `--${EVIL}`]],
    ['a filter', ['deliveries', '--since', EVIL]],
    ['a glob', ['retry', '--queue', EVIL, '--yes', '--source', 'store']],
    ['a path', ['deliveries', '--where', EVIL]],
    ['an edit', ['retry', 'e1', '--set', EVIL, '--dry-run', ...STORE]],
    ['a queue', ['deliveries', '--sqs', EVIL]],
    ['a target', ['retry', '--all', '--to', EVIL, '--yes']],
    ['a source', ['deliveries', '--source', EVIL]],
    ['a database', ['deliveries', '--jadpo', `${EVIL.replaceAll('\u0000', '')}.sqlite`]],
    ['a plan', ['retry', '--plan', EVIL, '--yes']],
    ['names of queues to find', ['sources', 'discover', EVIL, '--prefix', EVIL]],
    ['a place to find queues in', ['sources', 'discover', '--region', EVIL, '--profile', EVIL]],
    ['a server to find queues on', ['sources', 'discover', '--endpoint', EVIL]],
    ['a file to import', ['import', EVIL, '--yes']],
    ['a journal', ['log', '--journal', `/nosuch/${EVIL.replaceAll('\u0000', '')}`]],
    ['a time limit', ['deliveries', '--timeout', EVIL]],
    ['a schema', ['schema', EVIL]],
    ['a shell', ['completion', EVIL]],
    ['a run', ['log', '--run', EVIL]],
    ['an output', ['deliveries', '--output', EVIL]],
    ['a configuration that is not there', ['deliveries', '--config', EVIL.replaceAll('\u0000', '')]],
  ])('a complaint about %s, also verbose and as JSON', async (_, args) => {
    for (const how of [[], ['--verbose'], ['--json']]) {
      const { leaks } = await leaksOf([...args, ...how]);
      expect(leaks).toEqual([]);
    }
  });

  test.each([
    ['a key', `"${'\\e'}]52;c;eA==${'\\a'}\\u202e": 1\n`],
    ['a value', `sources:\n  - { sqs: "a\\e[31m\\x9b\\u202e" }\n`],
    ['a name', `sources:\n  - { sqs: a, name: "a\\e[31m\\u202e" }\n`],
    ['no YAML at all', 'sources: "\u202e\u0085\u200b'],
    ['a variable', `journal: "\${\\e]52;c;\\u202e}"\n`],
    ['an included file', 'include: ["\\e]52;c;\\u202e.yaml"]\n'],
    ['a redacted path', 'redact: ["a..\\e[31m\\u202e"]\n'],
    ['an endpoint', 'sources:\n  - { sqs: a, endpoint: "\\e]8;;x" }\n'],
  ])('a complaint about a configuration with %s', async (_, text) => {
    writeFileSync(join(home, evilFile), text);
    for (const args of [['config', 'show'], ['deliveries'], ['deliveries', '--json'], ['deliveries', '--verbose']]) {
      const { leaks, ran } = await leaksOf([...args, '--config', evilFile]);
      expect(leaks).toEqual([]);
      if (args[0] !== 'config') expect(ran.code).toBeGreaterThan(0);
    }
  });

  test('lines of an import, and a plan, that are not what they should be', async () => {
    for (const text of [
      EVIL,
      `{"failure":{"id":${JSON.stringify(EVIL)}}}`,
      `{"${'\\u001b'}]52":1}\n`,
      JSON.stringify({ action: EVIL, items: [] }),
    ]) {
      writeFileSync(join(home, 'evil.json'), text);
      for (const args of [
        ['import', 'evil.json', '--source', 'evil', '--dry-run'],
        ['retry', '--plan', 'evil.json', '--dry-run'],
        ['retry', '--stdin', '--dry-run', ...STORE],
      ]) {
        const { leaks, ran } = await leaksOf([...args, '--verbose'], { input: text });
        expect(leaks).toEqual([]);
        expect(ran.code).toBeGreaterThan(0);
      }
    }
  });

  test("what Tab offers is plain, and a server's own words are escaped", async () => {
    const journal = ['--journal', join(home, 'state/babelq/journal.db')];
    for (const words of [
      ['inspect', ''],
      ['retry', '--queue', ''],
      ['log', '--by', ''],
      ['deliveries', '--subject', ''],
      ['restore', ''],
    ]) {
      const { stdout } = await babelq(['__complete', ...journal, ...words]);
      expect(leaksIn(stdout, { allowed: '\n\t' })).toEqual([]);
    }
  });
});

test.skipIf(!HAS_TMUX)(
  'the screens write nothing of it to the terminal, byte by byte',
  { timeout: 60_000 },
  async () => {
    const record = join(home, 'screen.bytes');
    const screen = new TmuxTerminal({
      columns: 120,
      rows: 30,
      cwd: home,
      env: { ...env, BABELQ_OPERATOR: 'ana', PATH: process.env.PATH ?? '' },
    });
    try {
      screen.record(record);
      screen.type(`'${process.execPath}' '${BIN}' tui --source store; echo left`);
      screen.press('Enter');
      await screen.waitFor('nothing is held');
      screen.press('Tab');
      await screen.waitFor('Tab groups');
      // One page that has all of it, and one with bytes that are no text.
      for (const text of ['id-evil', 'blob']) {
        screen.type(`/${text}`);
        await screen.waitFor('1 of ');
        screen.press('Enter', 'Enter');
        await screen.waitFor('Attributes');
        screen.press('BTab', 'G', 'q');
        await screen.waitFor('1 of ');
        screen.press('Escape');
        await screen.waitFor('nothing is held');
      }
      screen.press('a', 'd');
      await screen.waitFor('[y/n]');
      screen.press('n', 'q', 'q', 'q');
      await screen.waitFor(/^left/m);
    } finally {
      screen.close();
    }
    const bytes = readFileSync(record);
    // Ink moves the cursor and clears lines; strings of the operating system's kind, and what the messages hold, it never writes.
    const written = bytes
      .toString()
      .replaceAll(/\u001b\[\??[0-9;]*[A-Za-z]|\u001b[=>78(]B?/g, (sequence) =>
        /77;77H|31;5;7m|544e/.test(sequence) ? `found ${JSON.stringify(sequence)}` : '',
      );
    expect(written).not.toContain('found');
    expect(written.length).toBeGreaterThan(1000);
    expect(leaksIn(Buffer.from(written), { allowed: '\n\r' })).toEqual([]);
  },
);

test('CSV holds no formula and no line end in any cell, whatever the text', () => {
  const text = fc
    .array(fc.oneof(fc.constantFrom(...FORMULAS, '"', ',', '\r\n', ...HOSTILE_TEXTS), fc.string({ unit: 'binary' })))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      const line = csvLine(cells);
      expect(line.endsWith('\r\n')).toBe(true);
      const read = csvCells(line.slice(0, -2));
      expect(read).toHaveLength(cells.length);
      expect(leaksIn(Buffer.from(line.slice(0, -2)))).toEqual([]);
      for (const cell of read) expect(cell).not.toMatch(/^[\s]*[=+\-@＝＋－＠]/u);
    }),
    { numRuns: 500 },
  );
});
