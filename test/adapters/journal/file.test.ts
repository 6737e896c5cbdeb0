import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open as openHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultJournalPath, journalOver, openJournal } from '../../../src/adapters/journal/journal.ts';
import { MIGRATIONS, migrate } from '../../../src/adapters/journal/schema.ts';
import type { Clock, Journal } from '../../../src/model/ports.ts';
import { anIntent, aStart, PLACE } from '../../support/journal-samples.ts';
import { wallClock } from '../../support/wall-clock.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;
const WRITER = fileURLToPath(new URL('../../support/journal-writer.ts', import.meta.url));

let folder: string;
let path: string;
const opened: Journal[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'babelq-journal-'));
  path = join(folder, 'state', 'babelq', 'journal.db');
});
afterEach(async () => {
  for (const journal of opened.splice(0)) await journal.close();
  rmSync(folder, { recursive: true });
});

function open(options: { at?: string; clock?: Clock; create?: boolean } = {}): Journal {
  const journal = openJournal({
    path: options.at ?? path,
    clock: options.clock ?? wallClock,
    create: options.create ?? true,
    env: { XDG_STATE_HOME: join(folder, 'state') },
  });
  opened.push(journal);
  return journal;
}

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

function writer(name: string, count: number) {
  const child = spawn(process.execPath, [WRITER, path, name, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return { child, ended, lines: createInterface({ input: child.stdout }) };
}

describe('where it lies', () => {
  test('follows XDG_STATE_HOME, else the home folder', () => {
    expect(defaultJournalPath({ XDG_STATE_HOME: '/state', HOME: '/home/ada' })).toBe('/state/babelq/journal.db');
    expect(defaultJournalPath({ XDG_STATE_HOME: '', HOME: '/home/ada' })).toBe(
      '/home/ada/.local/state/babelq/journal.db',
    );
    expect(defaultJournalPath({ XDG_STATE_HOME: 'relative', HOME: '/home/ada' })).toBe(
      '/home/ada/.local/state/babelq/journal.db',
    );
  });

  test('is empty to a reader where there is none, and a reader makes none', async () => {
    const journal = open();
    expect(await journal.recall(PLACE, [{ nativeId: 'a', identity: 'a' }], null)).toEqual([
      { last: null, unfinished: null, finished: null, remembered: null, sentInRun: false },
    ]);
    expect(await journal.archived(PLACE, { limit: 10 })).toEqual({ messages: [], next: null });
    expect(await journal.countArchived(PLACE)).toBe(0);
    expect(await journal.log({})).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    await journal.intend(await journal.begin(aStart('retry')), [anIntent('a')]);
    expect(await journal.log({}), 'the same journal sees what was made meanwhile').toHaveLength(1);
  });

  test('is not made by one that may not, and said to be missing', async () => {
    await expect(open({ create: false }).begin(aStart('retry'))).rejects.toMatchObject({ code: 'journal' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('who may read it', () => {
  test.each([0o000, 0o027])('nobody but its owner, whatever the umask (%o)', async (mask) => {
    const before = process.umask(mask);
    try {
      const journal = open();
      await journal.intend(await journal.begin(aStart('retry')), [anIntent('a')]);
    } finally {
      process.umask(before);
    }
    expect(modeOf(dirname(path))).toBe('700');
    const files = readdirSync(dirname(path));
    expect(files.sort()).toEqual(['journal.db', 'journal.db-shm', 'journal.db-wal']);
    for (const file of files) expect(modeOf(join(dirname(path), file)), file).toBe('600');
  });

  test('its modes are mended; those of a folder that isn’t babelq’s own are not touched', async () => {
    await open().begin(aStart('retry'));
    for (const journal of opened.splice(0)) await journal.close();
    chmodSync(path, 0o644);
    chmodSync(dirname(path), 0o755);
    await open().log({});
    expect([modeOf(path), modeOf(dirname(path))]).toEqual(['600', '700']);
    chmodSync(folder, 0o755);
    const elsewhere = join(folder, 'mine.db');
    await open({ at: elsewhere }).begin(aStart('retry'));
    expect([modeOf(elsewhere), modeOf(folder)]).toEqual(['600', '755']);
  });

  test('a symbolic link is refused, in place of the file or of its write-ahead log', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, '');
    const linked = join(folder, 'linked.db');
    symlinkSync(target, linked);
    const refusal = { code: 'journal', message: expect.stringContaining('symbolic link') };
    await expect(open({ at: linked }).begin(aStart('retry'))).rejects.toMatchObject(refusal);
    await expect(open({ at: linked }).log({})).rejects.toMatchObject(refusal);
    symlinkSync(target, join(folder, 'journal.db-wal'));
    await expect(open({ at: join(folder, 'journal.db') }).begin(aStart('retry'))).rejects.toMatchObject(refusal);
    expect(readFileSync(target, 'utf8')).toBe('');
  });

  test('a folder that is a symbolic link is refused, and the real place named', async () => {
    const real = join(folder, 'real');
    mkdirSync(real, { mode: 0o700 });
    symlinkSync(real, join(folder, 'linked'));
    const journal = open({ at: join(folder, 'linked', 'journal.db') });
    await expect(journal.begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('symbolic link'),
      hint: expect.stringContaining(join(real, 'journal.db')),
    });
    expect(readdirSync(real)).toEqual([]);
  });

  test.runIf(isRoot)(
    'a folder that another group may write to is refused, one of the user’s own group is not',
    async () => {
      const shared = join(folder, 'shared');
      mkdirSync(shared);
      chmodSync(shared, 0o775);
      await open({ at: join(shared, 'mine.db') }).begin(aStart('retry'));
      chownSync(shared, 0, NOBODY);
      await expect(open({ at: join(shared, 'journal.db') }).begin(aStart('retry'))).rejects.toMatchObject({
        code: 'journal',
        hint: expect.stringContaining('g-w'),
      });
    },
  );

  test('a folder that everyone may write to is refused, one with a sticky bit is not', async () => {
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    const journal = open({ at: join(shared, 'journal.db') });
    await expect(journal.begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
      hint: expect.stringContaining('chmod'),
    });
    expect(readdirSync(shared)).toEqual([]);
    chmodSync(shared, 0o1777);
    await journal.begin(aStart('retry'));
  });

  test.runIf(isRoot)('another user’s file or folder is refused', async () => {
    const theirs = join(folder, 'theirs');
    mkdirSync(theirs);
    chownSync(theirs, NOBODY, NOBODY);
    const refusal = { code: 'journal', message: expect.stringContaining('another user') };
    await expect(open({ at: join(theirs, 'journal.db') }).begin(aStart('retry'))).rejects.toMatchObject(refusal);
    const file = join(folder, 'journal.db');
    writeFileSync(file, '');
    chownSync(file, NOBODY, NOBODY);
    await expect(open({ at: file }).begin(aStart('retry'))).rejects.toMatchObject(refusal);
  });
});

describe('what it refuses to open', () => {
  test.each(['not a database\n', 'x'.repeat(10_000)])(
    'a file that is no database, and it stays as it is',
    async (text) => {
      const file = join(folder, 'notes.txt');
      writeFileSync(file, text);
      for (const call of [() => open({ at: file }).begin(aStart('retry')), () => open({ at: file }).log({})]) {
        await expect(call()).rejects.toMatchObject({ code: 'journal', hint: expect.any(String) });
      }
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  test('another program’s database, and it stays as it is', async () => {
    const file = join(folder, 'app.db');
    new Sqlite(file).exec('CREATE TABLE orders (id)').close();
    const bytes = readFileSync(file);
    await expect(open({ at: file }).begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('another program'),
    });
    expect(readFileSync(file)).toEqual(bytes);
  });

  test('a newer babelq’s journal, and it stays as it is', async () => {
    await open().begin(aStart('retry'));
    for (const journal of opened.splice(0)) await journal.close();
    const database = new Sqlite(path);
    database.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    database.pragma('journal_mode = DELETE');
    database.close();
    const bytes = readFileSync(path);
    for (const call of [() => open().begin(aStart('retry')), () => open().log({})]) {
      await expect(call()).rejects.toMatchObject({ code: 'journal', hint: expect.stringContaining('Update babelq') });
    }
    expect(readFileSync(path)).toEqual(bytes);
  });

  test.runIf(process.platform === 'linux')('a folder that nothing can be made in', async () => {
    await expect(open({ at: '/proc/nowhere/below/journal.db' }).begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining("can't be opened"),
    });
  });

  test('a folder, and a file that is cut off', async () => {
    mkdirSync(join(folder, 'journal.db'));
    await expect(open({ at: join(folder, 'journal.db') }).begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
    });
    const journal = open();
    await journal.intend(await journal.begin(aStart('retry')), [anIntent('a')]);
    for (const one of opened.splice(0)) await one.close();
    truncateSync(path, 8192);
    await expect(open().log({})).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('damaged'),
    });
  });
});

describe('its schema', () => {
  const FIRST = join(import.meta.dirname, 'fixtures', 'version-1.sql');

  test.each(MIGRATIONS.map((_, at) => at + 1))('of version %i is read by this one', async (version) => {
    const file = join(folder, 'old.db');
    const database = new Sqlite(file).exec(readFileSync(FIRST, 'utf8'));
    migrate(database, file, MIGRATIONS.slice(0, version));
    database.close();
    const journal = open({ at: file });
    expect(await journal.log({})).toMatchObject([
      { id: 'orders/m2', outcome: 'done', action: 'dismiss' },
      { id: 'orders/m1', outcome: 'uncertain', action: 'retry', by: 'ada@desk' },
    ]);
    expect(await journal.log({ unfinished: true })).toMatchObject([{ id: 'orders/m1' }]);
    const run = await journal.begin(aStart('retry'));
    const [entry] = await journal.intend(run, [anIntent('m1')]);
    expect((await journal.log({})).map(({ outcome }) => outcome)).toEqual(['under_way', 'done', 'overtaken']);
    await journal.settle([{ entry: entry ?? 0, state: 'done' }]);
    const copy = { nativeId: 'copy', identity: anIntent('m1').identity };
    expect(await journal.recall(PLACE, [copy], run)).toMatchObject([{ sentInRun: true }]);
  });

  test('moves forward step by step, and a step that fails changes nothing', async () => {
    const database = new Sqlite(join(folder, 'old.db')).exec(readFileSync(FIRST, 'utf8'));
    const next = [...MIGRATIONS, 'ALTER TABLE runs ADD COLUMN host TEXT', `UPDATE runs SET host = 'desk'`];
    const version = () => database.pragma('user_version', { simple: true });
    expect(() => migrate(database, 'old.db', [...next, 'INSERT INTO nowhere VALUES (1)'])).toThrow();
    expect(version()).toBe(1);
    migrate(database, 'old.db', next);
    migrate(database, 'old.db', next);
    expect(version()).toBe(next.length);
    expect(database.prepare('SELECT DISTINCT host, by FROM runs').all()).toEqual([{ host: 'desk', by: 'ada@desk' }]);
    database.close();
  });
});

describe('trouble', () => {
  test('a full disk records nothing, says so, and is over when there is room again', async () => {
    const database = new Sqlite(join(folder, 'small.db'));
    const journal = journalOver(database, wallClock);
    const run = await journal.begin(aStart('dismiss'));
    database.pragma(`max_page_count = ${Number(database.pragma('page_count', { simple: true })) + 2}`);
    const large = anIntent('large', {
      message: { messageId: 'large', body: 'x'.repeat(100_000), attributes: {}, systemAttributes: {} },
    });
    const results = await Promise.allSettled([journal.intend(run, [large]), journal.intend(run, [anIntent('small')])]);
    for (const result of results) {
      expect(result).toMatchObject({ reason: { code: 'journal', message: expect.stringContaining('disk is full') } });
    }
    expect(await journal.log({})).toEqual([]);
    database.pragma('max_page_count = 100000');
    expect(await journal.intend(run, [large])).toEqual([1]);
    database.close();
  });

  test('a lock of another program is waited for without holding the process up', async () => {
    await open().begin(aStart('retry'));
    const other = new Sqlite(path).exec('BEGIN IMMEDIATE');
    let waits = 0;
    const sleep = async () => {
      waits += 1;
      if (waits === 3) other.exec('COMMIT');
    };
    await open({ clock: { now: Date.now, sleep } }).begin(aStart('retry'));
    expect(waits).toBe(3);
    other.close();
  });

  test('a lock that is kept is an error in the end, and nothing was recorded', async () => {
    const waited: number[] = [];
    const clock: Clock = { now: Date.now, sleep: async (ms) => void waited.push(ms) };
    const journal = open({ clock });
    const run = await journal.begin(aStart('retry'));
    const other = new Sqlite(path).exec('BEGIN IMMEDIATE');
    await expect(journal.intend(run, [anIntent('a')])).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('locked'),
    });
    expect(waited.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(10_000);
    other.exec('COMMIT').close();
    expect(await journal.log({})).toEqual([]);
    expect(await journal.intend(run, [anIntent('a')])).toEqual([1]);
  });

  test('a place that can’t be written is said before anything is begun', () => {
    const readOnly = join(folder, 'read-only');
    mkdirSync(readOnly);
    chmodSync(folder, 0o755);
    // Root may write everywhere, so where the tests are root's this one becomes nobody.
    if (isRoot) chownSync(readOnly, NOBODY, NOBODY);
    chmodSync(readOnly, 0o500);
    const answer = spawnSync(process.execPath, [WRITER, join(readOnly, 'journal.db'), 'nobody', '1'], {
      encoding: 'utf8',
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    expect(answer.stdout).toBe('');
    expect(answer.stderr).toContain("can't be written");
    expect(existsSync(join(readOnly, 'journal.db'))).toBe(false);
    chmodSync(readOnly, 0o700);
  });
});

describe('what is promised is on disk', () => {
  test.each([1, 40, 120])('a process killed after %i promises has kept each of them', async (promises) => {
    const { child, ended, lines } = writer('dying', 100_000);
    const promised: string[] = [];
    for await (const line of lines) {
      if (line !== 'begun') promised.push(line);
      if (promised.length === promises) child.kill('SIGKILL');
    }
    await ended;
    const { messages } = await open().archived(PLACE, { limit: 100_000 });
    const kept = new Set(messages.map(({ entry, nativeId }) => `${entry} ${nativeId}`));
    expect(promised.length).toBeGreaterThanOrEqual(promises);
    expect(promised.filter((line) => !kept.has(line))).toEqual([]);
  });

  test('two processes that make one journal and write to it at once lose nothing', async () => {
    const writers = [writer('one', 150), writer('two', 150)];
    for (const { lines } of writers) lines.on('line', () => {});
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual([0, 0]);
    const log = await open().log({});
    for (const name of ['one', 'two']) {
      expect(new Set(log.filter(({ by }) => by === name).map(({ id }) => id)).size).toBe(150);
    }
  });

  test('calls that come in together share a commit', async () => {
    const said: string[] = [];
    const database = new Sqlite(join(folder, 'counted.db'), { verbose: (sql) => said.push(String(sql)) });
    const journal = journalOver(database, wallClock);
    const run = await journal.begin(aStart('retry'));
    said.length = 0;
    const entries = await Promise.all(Array.from({ length: 24 }, (_, n) => journal.intend(run, [anIntent(`m${n}`)])));
    expect(new Set(entries.flat()).size).toBe(24);
    expect(said.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
    database.close();
  });

  test('every call waits until the disk has what it wrote', async () => {
    const probe = await openHandle(join(folder, 'probe'), 'w');
    const handles: { datasync(): Promise<void> } = Object.getPrototypeOf(probe);
    await probe.close();
    const { datasync } = handles;
    const synced: (() => void)[] = [];
    handles.datasync = async function (this: typeof probe) {
      await new Promise<void>((resolve) => synced.push(resolve));
      await datasync.call(this);
    };
    const journal = openJournal({ path: join(folder, 'journal.db'), clock: wallClock, create: true });
    try {
      let begun = false;
      const begin = journal.begin(aStart('retry')).then((run) => {
        begun = true;
        return run;
      });
      await vi.waitFor(() => expect(synced).toHaveLength(1), 10_000);
      expect(begun).toBe(false);
      synced[0]?.();
      await begin;
    } finally {
      handles.datasync = datasync;
      await journal.close();
    }
  });
});

test('the number of unfinished entries that a run is known by is right, whatever happens', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('intend' as const), native: fc.nat(2), restores: fc.option(fc.nat(20)) }),
    fc.record({
      kind: fc.constant('settle' as const),
      entry: fc.nat(20),
      state: fc.constantFrom(...(['uncertain', 'sent', 'done', 'failed', 'void'] as const)),
    }),
    fc.record({
      kind: fc.constant('begin' as const),
      action: fc.constantFrom(...(['retry', 'dismiss', 'restore'] as const)),
    }),
    fc.record({ kind: fc.constant('wait' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const database = new Sqlite(':memory:');
      let now = 0;
      const journal = journalOver(database, { now: () => now, sleep: async () => {} });
      let run = await journal.begin(aStart('dismiss'));
      for (const one of steps) {
        if (one.kind === 'wait') now += 61_000;
        else if (one.kind === 'begin') run = await journal.begin(aStart(one.action));
        else if (one.kind === 'settle') await journal.settle([one]).catch(() => {});
        else {
          const restores = one.restores === null ? {} : { restores: one.restores };
          await journal.intend(run, [anIntent(`m${one.native}`, restores)]);
        }
      }
      const wrong = database.prepare(`
        SELECT r.id FROM runs r WHERE r.unfinished <> (
          SELECT count(*) FROM entries e WHERE e.run = r.number AND e.state IN ('intended', 'uncertain', 'sent'))`);
      expect(wrong.all()).toEqual([]);
      database.close();
    }),
    { numRuns: 200 },
  );
});

describe('what is no longer needed', () => {
  test.each(['done', 'failed'] as const)(
    'the body of a retried message is gone when it is %s, its digest stays',
    async (state) => {
      const database = new Sqlite(':memory:');
      const journal = journalOver(database, wallClock);
      const run = await journal.begin(aStart('retry'));
      const [entry] = await journal.intend(run, [anIntent('a')]);
      const bodies = () => database.prepare('SELECT body FROM messages').pluck().all();
      await journal.settle([{ entry: entry ?? 0, state: 'sent' }]);
      expect(bodies()).toHaveLength(1);
      await journal.settle([{ entry: entry ?? 0, state }]);
      expect(bodies()).toEqual([]);
      expect(database.prepare('SELECT length(digest) FROM entries').pluck().all()).toEqual([32]);
      database.close();
    },
  );

  test('messages older than thirty days are dropped by the runs that come, so many at a time', async () => {
    const database = new Sqlite(':memory:');
    let now = 0;
    const journal = journalOver(database, { now: () => now, sleep: async () => {} });
    const count = () => database.prepare('SELECT count(*) FROM messages').pluck().get();
    const dismissing = await journal.begin(aStart('dismiss'));
    await journal.intend(
      dismissing,
      Array.from({ length: 600 }, (_, n) => anIntent(`m${n}`)),
    );
    now = 15 * 24 * 60 * 60 * 1000;
    const retrying = await journal.begin(aStart('retry'));
    await journal.intend(retrying, [anIntent('retried')]);
    expect(count()).toBe(601);
    now *= 2;
    await journal.begin(aStart('retry'));
    expect(count(), 'not by one clock alone').toBe(601);
    now += 24 * 60 * 60 * 1000;
    await journal.begin(aStart('retry'));
    expect(count()).toBe(101);
    await journal.begin(aStart('retry'));
    expect(count()).toBe(1);
    database.close();
  });
});
