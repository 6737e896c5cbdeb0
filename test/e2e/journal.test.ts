import { spawnSync } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { JournalInfo, PruneCount } from '../../src/model/journal-care.ts';
import type { RunStart } from '../../src/model/ports.ts';
import { anIntent, aStart } from '../support/journal-samples.ts';
import { Sandbox } from '../support/run-babelq.ts';

const DAY = 24 * 60 * 60 * 1000;
let sandbox: Sandbox;

/** Ten days ago something was dismissed and something left open; forty days ago both too. */
beforeAll(async () => {
  sandbox = new Sandbox();
  let now = 0;
  const clock = { now: () => now, sleep: async () => {} };
  const journal = openJournal({ path: sandbox.path('journal.db'), clock, create: true });
  const act = async (action: RunStart['action'], id: string, state: 'done' | 'uncertain') => {
    const run = await journal.begin(aStart(action));
    const [entry] = await journal.intend(run, [anIntent(id)]);
    await journal.settle([{ entry: entry ?? 0, state }]);
    await journal.end(run, 'finished');
  };
  for (const age of [40, 10]) {
    now = Date.now() - age * DAY;
    await act('retry', `unheard-${age}`, 'uncertain');
    await act('dismiss', `dismissed-${age}`, 'done');
    await act('retry', `sent-${age}`, 'done');
  }
  await journal.close();
});
afterAll(() => sandbox.remove());

const journal = (...args: string[]) => sandbox.run(['journal', ...args, '--journal', 'journal.db']);
const json = <T>(...args: string[]) => sandbox.json<T>(['journal', ...args, '--journal', 'journal.db']);

test('info says for a person where the journal is, what it keeps, and who left what', async () => {
  const { stdout, code } = await journal('info');
  expect(code).toBe(0);
  expect(stdout).toContain(sandbox.path('journal.db'));
  expect(stdout).toMatch(/archive +2 messages, the oldest dismissed 40d ago, the next is due/);
  expect(stdout).toMatch(/unfinished +2 entries/);
  expect(stdout).toMatch(/RUN +ACTION +BY[\s\S]*retry +ada@desk +10d ago[\s\S]*over +1/);
  const nowhere = await sandbox.run(['journal', 'info', '--journal', 'none.db']);
  expect(nowhere).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was written there yet') });
  expect(nowhere.stdout).toContain(sandbox.path('none.db'));
});

test('each of its commands has its own help, and the three are named where one is missing', async () => {
  for (const what of ['info', 'create', 'prune', 'backup']) {
    expect((await sandbox.run(['journal', what, '--help'])).stdout).toContain(`$ babelq journal ${what}`);
  }
  expect(await sandbox.run(['journal'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('info, create, prune, backup'),
  });
});

test('its modes are mended when it is looked into', async () => {
  chmodSync(sandbox.path('journal.db'), 0o644);
  await journal('info');
  expect(statSync(sandbox.path('journal.db')).mode & 0o777).toBe(0o600);
});

describe('prune', () => {
  test('asks, or needs --yes, and says what --before may be', async () => {
    expect(await journal('prune')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await journal('prune', '--before', '7d', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('30d'),
    });
    expect(await journal('prune', '--archived', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--before'),
    });
    expect(await journal('prune', 'x.db', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^babelq: Too many arguments for 'prune'/),
    });
  });

  test('takes what can’t be had back only where its number was given, and then exactly that', async () => {
    const wide = ['prune', '--before', '5d', '--archived', '--unfinished'];
    const wanted = { archived: 1, unfinished: 2 };
    expect(await json<PruneCount>(...wide, '--dry-run')).toMatchObject({ dry_run: true, expired: 2, ...wanted });
    expect(await journal(...wide, '--yes')).toMatchObject({ code: 2, stderr: expect.stringContaining('--confirm 3') });
    expect(await journal(...wide, '--confirm', '2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('it is 3'),
    });
    expect((await json<JournalInfo>('info')).unfinished.entries).toBe(2);
    expect(await json<PruneCount>('prune', '--before', '30d', '--yes')).toMatchObject({
      expired: 2,
      entries: 2,
      runs: 2,
      unfinished: 0,
    });
    expect((await journal('info')).stdout).toMatch(
      /archive +1 message, the oldest dismissed 10d ago, the next deleted in (19|20)d/,
    );
    expect(await json<PruneCount>(...wide, '--confirm', '3')).toMatchObject({ dry_run: false, expired: 0, ...wanted });
    const info = await json<JournalInfo>('info');
    expect(info).toMatchObject({ entries: 2, archive: { messages: 0 }, unfinished: { entries: 0 } });
    expect((await journal('prune', '--yes')).stdout).toBe('There is nothing to remove.\n');
  });
});

test('a copy can be looked into like the journal, and is not written over', async () => {
  const { stdout, code } = await journal('backup', 'copy.db');
  expect(code).toBe(0);
  expect(stdout).toContain(`to ${sandbox.path('copy.db')} (`);
  expect(statSync(sandbox.path('copy.db')).mode & 0o777).toBe(0o600);
  expect(await journal('backup', 'copy.db')).toMatchObject({ code: 1, stderr: expect.stringContaining('--replace') });
  expect((await journal('backup', 'copy.db', '--replace')).code).toBe(0);
  const [mine, copy] = [
    await sandbox.run(['log', '--json', '--journal', 'journal.db']),
    await sandbox.run(['log', '--json', '--journal', 'copy.db']),
  ];
  expect(copy.stdout).toBe(mine.stdout);
  expect(spawnSync('ls', ['-A', sandbox.home], { encoding: 'utf8' }).stdout).not.toContain('.part');
});
