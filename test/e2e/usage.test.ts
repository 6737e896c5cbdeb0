import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJadpoFile, parkedExamples } from '../support/jadpo-table.ts';
import { Sandbox } from '../support/run-babelq.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox();
});
afterAll(() => sandbox.remove());

const COMMANDS = [
  ...['deliveries', 'inspect', 'retry', 'dismiss', 'restore', 'log', 'sources', 'groups', 'check', 'doctor', 'reasons'],
  ...['export', 'import', 'config show', 'config schema', 'sources discover', 'schema', 'completion'],
];

/** Every file that a run loads, with its text as V8 saw it. */
async function loaded(args: readonly string[]): Promise<string> {
  const folder = sandbox.path(`coverage-${args.join('')}`);
  await sandbox.run(args, { env: { NODE_V8_COVERAGE: folder } });
  const texts = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] };
    return result
      .filter(({ url }) => url.startsWith('file:'))
      .map(({ url }) => `${url}\n${url.includes('/dist/') ? readFileSync(fileURLToPath(url), 'utf8') : ''}`);
  });
  return texts.join('\n');
}

test('the version and the help load neither the AWS SDK nor SQLite nor React', async () => {
  const heavy = async (args: readonly string[]) => {
    const text = await loaded(args);
    return ['com.amazonaws.sqs', 'better_sqlite3.node', 'react.element'].filter((mark) => text.includes(mark));
  };
  expect(await heavy(['--version'])).toEqual([]);
  expect(await heavy(['--help'])).toEqual([]);
  expect(await heavy(['retry', '--help'])).toEqual([]);
  // The marks are true ones: what needs SQLite shows its own.
  const parked = sandbox.path('parked.db');
  createJadpoFile(parked, parkedExamples(Date.now()));
  expect(await heavy(['deliveries', '--jadpo', parked])).toEqual(['better_sqlite3.node']);
});

test('the version is a number, and the help names every command', async () => {
  expect(await sandbox.run(['--version'])).toEqual({
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
    code: 0,
  });
  const { stdout, code } = await sandbox.run(['--help']);
  // Each command says what it is for, those too that only hold others.
  expect(stdout.slice(stdout.indexOf('Commands:'))).not.toMatch(/^ {2}[a-z]+$/m);
  expect(stdout).toMatch(/^ {2}journal +is followed by info, create/m);
  expect(stdout).toContain('babelq sources discover --write');
  expect(code).toBe(0);
  for (const command of COMMANDS) expect(stdout).toContain(`  ${command.split(' ')[0]}`);
});

test('babelq alone, off a terminal, prints its help', async () => {
  expect(await sandbox.run([])).toEqual({ ...(await sandbox.run(['--help'])), stderr: '' });
});

test.each(COMMANDS)('%s has its own help, with an example to copy', async (command) => {
  const { stdout, code } = await sandbox.run([...command.split(' '), '--help']);
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`Examples:\n[^]*\\$ babelq .*${command}`));
  expect(stdout).toContain('--sqs <queue>');
});

test.each([
  [['lst'], "Unknown command 'lst'.", 'Did you mean list?'],
  [['help', 'lst'], "Unknown command 'lst'.", 'Did you mean list?'],
  [['deliveries', '--resaon', 'x'], "Unknown option '--resaon'.", 'Did you mean --reason?'],
  [['--foo'], "Unknown option '--foo'.", 'babelq --help'],
  [['inspect'], "Missing required argument 'id'.", 'babelq inspect --help'],
  [['sources', 'discovr'], 'There is no babelq sources discovr.', 'Did you mean discover?'],
  [['sources', 'discover', '--sqs', 'x'], '--sqs and --source have no place here', '--prefix orders-'],
  [['reasons', 'x'], "Too many arguments for 'reasons'.", 'babelq reasons --help'],
  [['--output', 'xml', 'reasons'], "argument 'xml' is invalid", 'babelq --help'],
  [['reasons', '--json', '--output', 'csv'], '--json and --output csv', 'Give one'],
  [['deliveries', '--since', 'yesterday'], '--since needs a duration or an ISO time', '--since 2h'],
  [['deliveries', '--state', 'lost'], '--state can\'t be "lost"', 'failed, pending, dismissed'],
  [['deliveries', '--limit', '0'], '--limit needs a whole number above 0', '--limit 100'],
  [
    ['deliveries'],
    'No source is named.',
    '--sqs QUEUE or --jadpo DATABASE, or list them under sources: in babelq.yaml',
  ],
  [['deliveries', '--sqs', 'a b'], '"a b" is not a queue\'s name, URL or ARN.', 'A name has letters'],
  [['deliveries', '--jadpo', 'x.db', '--source', 'y'], 'There is no source y.', 'It is one of x.'],
  [['deliveries', '--jadpo', 'x.db', '--jadpo', 'a/x.db'], 'Two sources are named x.', 'another name'],
  [['inspect', 'a', 'b', '--raw'], '--raw prints one body', 'Give one id'],
  [['inspect', 'a', '--raw', '--json'], "--raw and --output json can't go together", '--raw prints'],
  [['retry', '--yes'], 'Nothing says what to retry.', '--all for everything'],
  [['dismiss', 'a', '--queue', 'q', '--yes'], "Ids and filters can't go together.", 'Give one of them'],
  [['restore', '--stdin', '--all', '--yes'], "--stdin and --all can't go together.", 'Give one of them'],
  [['retry', '--stdin', '--reason', 'x', '--yes'], "--stdin and filters can't go together.", 'Give one of them'],
  [['retry', 'a'], 'There is nobody here to confirm', 'Add --yes'],
  [['retry', 'a', '--yes', '--to', ''], '--to needs a queue\'s name, URL or ARN, not "".', '--to orders'],
  [['retry', '--all', '--dry-run', '--to', 'a b/c'], "--to needs a queue's name, URL or ARN", '--to orders'],
  [['retry', '--native', '--all', '--yes', '--to', 'a b'], "--to needs a queue's name, URL or ARN", '--to orders'],
  [['import', 'nosuch.ndjson', '--yes', '--to', ''], "--to needs a queue's name, URL or ARN", '--to orders'],
  [['log', '--journal', ''], '--journal needs the name of a file', 'Leave it out'],
  [['retry', 'a', '--yes', '--max', '1.5'], '--max needs a whole number', '--max 100'],
  [['retry', 'a', '--yes', '--rate', '0'], '--rate needs messages a second', '--rate 50'],
] as const)('babelq %j is refused with what to do instead', async (args, said, hint) => {
  const { stdout, stderr, code } = await sandbox.run(args);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
  expect(stderr).toContain(hint);
  expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  expect(stdout).toBe('');
});

test('with --json an error is a document on stderr, before the command or after it', async () => {
  for (const args of [
    ['--json', 'retry', '--yes'],
    ['retry', '--yes', '--output', 'json'],
    ['retry', '--yes', '--json', '--foo'],
  ]) {
    const { stdout, stderr, code } = await sandbox.run(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'usage', message: expect.any(String), hint: expect.any(String), source: null },
    });
  }
});

test('a stack trace is printed only where it was asked for', async () => {
  expect((await sandbox.run(['deliveries', '--since', 'x'])).stderr).not.toContain('    at ');
  expect((await sandbox.run(['deliveries', '--since', 'x', '--verbose'])).stderr).toContain('    at ');
});

test('what was typed cannot write to the terminal through an error', async () => {
  const { stderr } = await sandbox.run(['deliveries', '--since', '\u001b]0;x\u0007', '--source', '\u009b2J']);
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test('every reason is explained, in every output', async () => {
  const { reasons } = await sandbox.json<{ reasons: { code: string; before_retry: string }[] }>(['reasons']);
  expect(reasons.map(({ code }) => code)).toContain('unsupported_schema_version');
  const { stdout } = await sandbox.run(['reasons']);
  for (const { code } of reasons) expect(stdout).toContain(`${code}  (`);
  const ids = await sandbox.run(['reasons', '--output', 'ids']);
  expect(ids.stdout.trimEnd().split('\n')).toEqual(reasons.map(({ code }) => code));
  const lines = (await sandbox.run(['reasons', '--output', 'ndjson'])).stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(reasons);
});
