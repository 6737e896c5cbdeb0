import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { RunStart } from '../../src/model/ports.ts';
import { anIntent, aStart } from '../support/journal-samples.ts';
import { BIN, Sandbox } from '../support/run-babelq.ts';

const execute = promisify(execFile);
const uuid = (n: number) => `${n}0000000-0000-4000-8000-000000000000`;
let sandbox: Sandbox;
let env: Record<string, string>;

beforeAll(async () => {
  sandbox = new Sandbox();
  mkdirSync(sandbox.path('bin'));
  writeFileSync(sandbox.path('bin/babelq'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(sandbox.path('bin/babelq'), 0o755);
  env = { ...sandbox.env, PATH: `${sandbox.path('bin')}${delimiter}${process.env.PATH}` };
  writeFileSync(
    sandbox.path('babelq.yaml'),
    'sources:\n  - { name: orders, sqs: orders-dlq }\n  - { sqs: payments-dlq }\n  - { jadpo: ./warehouse.sqlite }\njournal: ./journal.db\n',
  );
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const journal = openJournal({ path: sandbox.path('journal.db'), clock, create: true });
  const act = async (action: RunStart['action'], id: string, state: 'done' | 'failed', more = {}) => {
    const run = await journal.begin(aStart(action));
    const [entry] = await journal.intend(run, [anIntent(id, more)]);
    await journal.settle([{ entry: entry ?? 0, state, ...(action === 'restore' && { newId: uuid(4) }) }]);
    return entry ?? 0;
  };
  await act('dismiss', uuid(1), 'done', { queue: '$(touch pwned)', subject: '`touch pwned`', reason: '; rm -rf /' });
  await act('retry', uuid(2), 'failed', { queue: '--all', subject: '=ls' });
  const dismissed = await act('dismiss', uuid(3), 'done');
  await act('restore', uuid(3), 'done', { restores: dismissed });
  await act('retry', uuid(5), 'done', { to: 'orders-v2', reason: 'custom_reason' });
  await journal.close();
});
afterAll(() => sandbox.remove());

/** What `babelq __complete` offers after these words. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout, stderr, code } = await sandbox.run(['__complete', ...words]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] || `<${line.trim()}>`]));
}

describe('what is offered', () => {
  test.each([
    [['re'], ['retry', 'redrive', 'restore', 'reasons']],
    [['--json', 'gro'], ['groups']],
    [
      ['retry', '--re'],
      ['--reason', '--reason-note'],
    ],
    [['retry', '--yes', '--y'], []],
    [['retry', '--reason', 'failed', '--reason='], undefined],
    [
      ['deliveries', '--source', ''],
      ['orders', 'payments-dlq', 'warehouse'],
    ],
    [['deliveries', '--sqs', 'a-dlq', '--source', ''], ['a-dlq']],
    [
      ['deliveries', '--reason', 'un'],
      ['unknown_urn', 'unsupported_schema_version', 'unlisted_type', 'unreadable', 'unclassified'],
    ],
    [['deliveries', '--reason=cus'], ['--reason=custom_reason']],
    [
      ['deliveries', '--queue', ''],
      ['orders', 'orders-v2'],
    ],
    [['retry', '--to', 'orders-'], ['orders-v2']],
    [['deliveries', '--subject', 'urn:babel:'], ['urn:babel:orders:created']],
    [['deliveries', '--output', 'c'], ['csv']],
    [['check', '--output', 'p'], ['prometheus']],
    [
      ['deliveries', '--state', 'failed,'],
      ['failed,pending', 'failed,dismissed'],
    ],
    [['groups', '--by', 'queue,so'], ['queue,source']],
    [['log', '--by', 'a'], ['ada@desk']],
    [['schema', 'de'], ['deliveries']],
    [['schema', 'deliveries', 're'], []],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['deliveries', '--config', ''], ['<files>']],
    [['deliveries', '--jadpo=./b'], ['<files>']],
    [['restore', ''], [`orders/${uuid(1)}`]],
    [['restore', '1'], [uuid(1)]],
    [
      ['retry', ''],
      [`orders/${uuid(4)}`, `orders/${uuid(2)}`],
    ],
    [['inspect', 'orders/1'], [`orders/${uuid(1)}`]],
    [['log', ''], [5, 3, 2, 1].map((n) => `orders/${uuid(n)}`)],
    [['retry', '--', '--al'], []],
    [['nonsense', '--flag', ''], undefined],
  ] as const)('babelq %j', async (words, expected) => {
    const found = await offered(...words);
    if (expected !== undefined) expect(found).toEqual(expected);
  });

  test('nothing that a shell would act on, whatever the journal holds', async () => {
    for (const option of ['--queue', '--subject', '--reason']) {
      for (const value of await offered('deliveries', option, '')) expect(value).toMatch(/^[\w./][\w@%+=:,./-]*$/);
    }
  });

  test('nothing, and no error, where nothing can be known', async () => {
    writeFileSync(sandbox.path('broken.yaml'), 'sources: [');
    writeFileSync(sandbox.path('broken.db'), 'this is no journal, and is long enough for a header of sixteen');
    expect(await offered('deliveries', '--config', 'broken.yaml', '--source', '')).toEqual([]);
    expect(await offered('restore', '--journal', 'broken.db', '')).toEqual([]);
    expect(await offered('restore', '--journal', 'none.db', '')).toEqual([]);
  });
});

test('every command and option of the help is offered', async () => {
  const commands = await offered('');
  for (const command of commands.filter((name) => name !== 'help')) {
    const { stdout } = await sandbox.run([command, '--help']);
    const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((found) => found[1] ?? '');
    expect(await offered(command, '-'), command).toEqual(
      expect.arrayContaining(options.filter((one) => one !== '--version')),
    );
  }
});

const has = (shell: string) => spawnSync(shell, ['-c', 'true']).error === undefined;

/** Whole lines as a person would type them, and what the shell itself makes of them. */
describe.each([
  [
    'bash',
    (line: string) => [
      '--norc',
      '-c',
      `source <(babelq completion bash); COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
      COMP_LINE=$1; COMP_POINT=\${#1}; _babelq babelq; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      line,
    ],
    'orders:created',
  ],
  [
    'zsh',
    (line: string) => [
      '-f',
      '-c',
      `compdef() {}; _files() { print files }; _describe() { print -rl -- "\${(@P)2}" | sed 's/\\\\:/;/g; s/:.*//; s/;/:/g' }
      source <(babelq completion zsh); words=("\${(@s: :)1}"); CURRENT=$#words; PREFIX=$words[CURRENT]; _babelq`,
      'zsh',
      line,
    ],
    'urn:babel:orders:created',
  ],
  [
    'fish',
    (line: string) => [
      '--no-config',
      '-c',
      "babelq completion fish | source; complete -C $argv[1] | string replace -r '\\t.*' ''; true",
      line,
    ],
    'urn:babel:orders:created',
  ],
])('%s', (shell, args, subject) => {
  test.skipIf(!has(shell)).each([
    ['babelq gro', ['groups']],
    ['babelq retry --reas', ['--reason', '--reason-note']],
    ['babelq deliveries --source ', ['orders', 'payments-dlq', 'warehouse']],
    ['babelq deliveries --subject urn:babel:', [subject]],
    ['babelq restore ', [`orders/${uuid(1)}`]],
  ])('completes %s', async (line, expected) => {
    const { stdout } = await execute(shell, args(line), { cwd: sandbox.home, env });
    expect(
      stdout
        .split('\n')
        .filter((one) => one !== '')
        .sort(),
    ).toEqual([...expected].sort());
  });
});
