import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JadpoOptions, openJadpoSource } from '../../../src/adapters/jadpo/source.ts';
import { journalOver, openJournal } from '../../../src/adapters/journal/journal.ts';
import { nativeIdOf } from '../../../src/model/ids.ts';
import type { Clock, Journal, Source } from '../../../src/model/ports.ts';
import { actOn, ids, JumpingClock, readAll } from '../../support/drive-source.ts';
import { APP_TABLES } from '../../support/jadpo-app/app.ts';
import { startApp } from '../../support/jadpo-app/beside.ts';
import type { Listed } from '../../support/jadpo-read.ts';
import { createJadpoFile, insertParked, JADPO_TABLE, type ParkedRow, parkedRow } from '../../support/jadpo-table.ts';

const NOW = Date.parse('2026-11-30T15:00:00.000Z');

/** The user whom nothing belongs to. */
const NOBODY = 65534;

let folder: string;
let path: string;
let journal: Journal;
let clock: Clock;
const opened: Source[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'babelq-files-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'app'));
  path = join(folder, 'app', 'local.sqlite');
  clock = new JumpingClock(NOW);
  journal = openJournal({ path: join(folder, 'journal.db'), clock, create: true });
});
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
  await journal.close();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<JadpoOptions> = {}, using: Clock = clock): Source {
  const source = openJadpoSource({ name: 'warehouse', database: path, ...options }, { journal, clock: using });
  opened.push(source);
  return source;
}

/** Runs as a user who may do nothing but what everybody may: a test that runs as root would be allowed everything. */
async function unprivileged<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Whether a user whom nothing belongs to could run what lies here. */
function everybodyMayRead(path: string): boolean {
  if (path === dirname(path)) return true;
  return (statSync(path).mode & 0o005) === 0o005 && everybodyMayRead(dirname(path));
}

const beside = (): string[] => readdirSync(join(folder, 'app'));

describe('opening', () => {
  test('touches nothing, and names the source after its file', () => {
    const source = openJadpoSource({ database: join(folder, 'nowhere', 'shop.sqlite3') }, { journal, clock });
    expect(source).toMatchObject({ name: 'shop', kind: 'jadpo', heldIn: 'jadpo_parked_messages' });
    expect(source.held()).toEqual({ count: 0, until: null });
  });

  test('an address of another database is refused without repeating its password', () => {
    expect(() => open({ database: 'mysql://app:s3cret@db/shop' })).toThrow(
      /^SQLite files and PostgreSQL are read, not mysql:\/\/ addresses\.$/,
    );
    for (const database of ['', ' ', ':memory:', 'a\0b', 'file://host/x%00', 'postgres://app:s3/cret@db/shop']) {
      expect(() => open({ database })).toThrow(expect.objectContaining({ code: 'config' }));
    }
  });

  test('a file: URL and a path with odd characters lead to the file and to no other', async () => {
    const odd = join(folder, 'app', 'a b?mode=memory#%41.sqlite');
    createJadpoFile(odd, [parkedRow({ id: 'a' })]);
    expect((await readAll(open({ database: odd }))).failures).toHaveLength(1);
    const url = `file://${join(folder, 'app')}/${encodeURIComponent('a b?mode=memory#%41.sqlite')}`;
    expect((await readAll(open({ database: url }))).failures).toHaveLength(1);
    expect(beside()).toEqual(['a b?mode=memory#%41.sqlite']);
  });
});

describe('what is no jadpo file is told, and left as it is', () => {
  test('one that is not there is not created', async () => {
    await expect(readAll(open())).rejects.toMatchObject({
      code: 'no_database',
      message: `There is no file ${path}.`,
      source: 'warehouse',
      exit: 1,
    });
    await expect(readAll(open({ database: join(folder, 'nowhere', 'x.db') }))).rejects.toMatchObject({
      code: 'no_database',
    });
    expect(beside()).toEqual([]);
  });

  test('a folder, and a file that is not a database', async () => {
    await expect(readAll(open({ database: join(folder, 'app') }))).rejects.toMatchObject({
      code: 'not_a_database',
      message: expect.stringContaining('is a folder'),
    });
    writeFileSync(path, 'This is a text file, and long enough to be taken for something else. '.repeat(100));
    await expect(readAll(open())).rejects.toMatchObject({ code: 'not_a_database' });
    await expect(actOn(open(), journal, { action: 'retry', selection: ids('a') })).rejects.toMatchObject({
      code: 'not_a_database',
    });
  });

  test('an empty database, and one with other tables', async () => {
    writeFileSync(path, '');
    await expect(readAll(open())).rejects.toMatchObject({
      code: 'no_table',
      hint: 'The database is empty: is it the right file, and has the app run?',
    });
    expect(readFileSync(path)).toHaveLength(0);
    const database = new Database(path);
    database.exec(
      'CREATE TABLE users (id); CREATE TABLE parked_mail (id); CREATE VIEW jadpo_parked_messages AS SELECT 1',
    );
    await expect(readAll(open({ table: 'parked' }))).rejects.toMatchObject({
      code: 'no_table',
      hint: 'Tables that look like it: "parked_mail". If one of them is it, name it as table: of this source.',
    });
    await expect(readAll(open())).rejects.toMatchObject({ message: expect.stringContaining('is a view, not a table') });
    database.close();
  });

  test('a damaged one is an error, in reading and in acting, and no crash', async () => {
    createJadpoFile(
      path,
      Array.from({ length: 500 }, (_, n) => parkedRow({ id: `r${n}` })),
    );
    truncateSync(path, 4096 * 8);
    const damaged = { code: 'not_a_database', message: expect.stringContaining('is damaged') };
    await expect(readAll(open())).rejects.toMatchObject(damaged);
  });

  test('one that may not be read', async () => {
    createJadpoFile(path, [parkedRow({ id: 'a' })]);
    chmodSync(path, 0o000);
    await expect(unprivileged(() => readAll(open()))).rejects.toMatchObject({ code: 'forbidden' });
    chmodSync(path, 0o644);
    chmodSync(join(folder, 'app'), 0o000);
    await expect(unprivileged(() => readAll(open()))).rejects.toMatchObject({ code: 'forbidden' });
    chmodSync(join(folder, 'app'), 0o755);
  });
});

describe('a file that may only be read', () => {
  const readOnly = async (mode: 'delete' | 'wal', check: () => Promise<void>): Promise<void> => {
    createJadpoFile(path, [parkedRow({ id: 'a' })]);
    const app = new Database(path);
    app.pragma(`journal_mode = ${mode}`);
    app.close();
    chmodSync(path, 0o444);
    chmodSync(join(folder, 'app'), 0o555);
    try {
      await unprivileged(check);
    } finally {
      chmodSync(join(folder, 'app'), 0o755);
    }
  };

  test.each(['delete', 'wal'] as const)('is listed in journal mode %s, and nothing is made beside it', async (mode) => {
    await readOnly(mode, async () => {
      const source = open();
      const { failures, complete, note } = await readAll(source);
      expect(failures.map(nativeIdOf)).toEqual(['a']);
      expect(complete).toBe(true);
      expect(note).toBe(mode === 'wal' ? 'read from a copy, since the file may not be written' : null);
      expect(beside()).toEqual(['local.sqlite']);
    });
  });

  test.skipIf(process.geteuid?.() === 0 && !everybodyMayRead(import.meta.dirname))(
    'is read without leaving a file beside it, also where that could be made',
    async () => {
      createJadpoFile(path, [parkedRow({ id: 'a' })]);
      const app = new Database(path);
      app.pragma('journal_mode = wal');
      app.close();
      chmodSync(path, 0o444);
      chmodSync(join(folder, 'app'), 0o777);
      const scratch = join(folder, 'tmp');
      mkdirSync(scratch);
      chmodSync(scratch, 0o777);
      const user = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
      const options = { ...user, env: { ...process.env, TMPDIR: scratch } };
      const script = resolve(import.meta.dirname, '../../support/jadpo-read.ts');
      const { stdout } = await promisify(execFile)(process.execPath, [script, path], options);
      const listed: Listed = JSON.parse(stdout);
      expect(listed).toEqual({
        ids: ['warehouse/a'],
        note: 'read from a copy, since the file may not be written',
      });
      expect(beside()).toEqual(['local.sqlite']);
      expect(readdirSync(scratch)).toEqual([]);
    },
  );

  test.each(['delete', 'wal'] as const)('is not acted on in journal mode %s, and that is told', async (mode) => {
    await readOnly(mode, async () => {
      const before = readFileSync(path);
      const own = journalOver(new Database(':memory:'), clock);
      const source = openJadpoSource({ name: 'warehouse', database: path }, { journal: own, clock });
      const { items, error } = await actOn(source, own, { action: 'retry', selection: ids('a') });
      expect(error).toMatchObject({ code: 'read_only', source: 'warehouse' });
      expect(items.map(({ outcome }) => outcome)).toEqual(['failed']);
      expect((await own.log({})).map(({ outcome }) => outcome)).toEqual(['failed']);
      expect(readFileSync(path)).toEqual(before);
      await source.close();
      await own.close();
    });
  });

  test('with changes that are only in its write-ahead log is read with them', async () => {
    const original = join(folder, 'live.sqlite');
    createJadpoFile(original, [parkedRow({ id: 'a' })]);
    const app = new Database(original);
    app.pragma('journal_mode = wal');
    insertParked(app, [parkedRow({ id: 'b' })]);
    // As a machine that died leaves it: the log is there, nobody is.
    copyFileSync(original, path);
    copyFileSync(`${original}-wal`, `${path}-wal`);
    app.close();
    chmodSync(path, 0o444);
    chmodSync(`${path}-wal`, 0o444);
    chmodSync(join(folder, 'app'), 0o555);
    const { failures } = await unprivileged(() => readAll(open()));
    chmodSync(join(folder, 'app'), 0o755);
    expect(failures.map(nativeIdOf)).toEqual(['a', 'b']);
    expect(beside()).toEqual(['local.sqlite', 'local.sqlite-wal']);
  });

  test('while its app is there, is read where it lies and up to date', async () => {
    createJadpoFile(path, [parkedRow({ id: 'a' })]);
    const app = new Database(path);
    app.pragma('journal_mode = wal');
    insertParked(app, [parkedRow({ id: 'b' })]);
    for (const ending of ['', '-wal', '-shm']) chmodSync(`${path}${ending}`, 0o444);
    chmodSync(join(folder, 'app'), 0o555);
    await unprivileged(async () => {
      const source = open();
      const first = await readAll(source);
      expect({ found: first.failures.map(nativeIdOf), note: first.note }).toEqual({ found: ['a', 'b'], note: null });
      await source.close();
    });
    chmodSync(join(folder, 'app'), 0o755);
    app.close();
  });
});

describe('beside its app', () => {
  test('nothing is left there, and the journal mode stays', async () => {
    for (const mode of ['delete', 'wal'] as const) {
      rmSync(path, { force: true });
      createJadpoFile(path, [parkedRow({ id: 'a' })]);
      const app = new Database(path);
      app.pragma(`journal_mode = ${mode}`);
      app.close();
      const source = open();
      await readAll(source);
      await actOn(source, journal, { action: 'dismiss', selection: ids('a') });
      await source.close();
      expect(beside()).toEqual(['local.sqlite']);
      const after = new Database(path);
      expect(after.pragma('journal_mode', { simple: true })).toBe(mode);
      expect(after.prepare('SELECT sql FROM sqlite_master WHERE type = ?').pluck().all('table')).toEqual([JADPO_TABLE]);
      after.close();
    }
  });

  test('a file that was replaced, as a build does, is read anew', async () => {
    createJadpoFile(path, [parkedRow({ id: 'old' })]);
    const source = open();
    expect((await readAll(source)).failures.map(nativeIdOf)).toEqual(['old']);
    const next = join(folder, 'next.sqlite');
    createJadpoFile(next, [parkedRow({ id: 'new' })]);
    renameSync(next, path);
    expect((await readAll(source)).failures.map(nativeIdOf)).toEqual(['new']);
    rmSync(path);
    await expect(readAll(source)).rejects.toMatchObject({ code: 'no_database' });
    expect(existsSync(path)).toBe(false);
  });

  test('two names of one file are one place to the journal', async () => {
    createJadpoFile(path, [parkedRow({ id: 'a' })]);
    const link = join(folder, 'link.sqlite');
    symlinkSync(path, link);
    const places: string[] = [];
    for (const database of [path, link]) {
      const watching = new Proxy(journal, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          if (name !== 'intend') return value.bind(target);
          return async (...given: Parameters<Journal['intend']>) => {
            places.push(...given[1].map(({ place }) => place));
            return target.intend(...given);
          };
        },
      });
      const source = openJadpoSource({ name: 'warehouse', database }, { journal: watching, clock });
      const action = places.length === 0 ? 'dismiss' : 'restore';
      await actOn(source, journal, { action, selection: ids('a') });
      await source.close();
    }
    expect(places).toHaveLength(2);
    expect(places[0]).toBe(places[1]);
  });

  test('a lock that is held too long is told, in reading and in acting, and nothing was changed', async () => {
    createJadpoFile(path, [parkedRow({ id: 'a' })]);
    const app = new Database(path);
    app.exec('BEGIN EXCLUSIVE');
    // A second goes by with every nap, whatever it was to be.
    let time = NOW;
    const napping: Clock = {
      now: () => time,
      sleep: async () => {
        time += 1000;
      },
    };
    const source = open({}, napping);
    const locked = { code: 'locked', source: 'warehouse', message: `${path} is locked by another program.` };
    const started = performance.now();
    await expect(readAll(source)).rejects.toMatchObject(locked);
    // It waited ten seconds by the clock, asleep: the process itself was hardly held up.
    expect(time - NOW).toBe(10_000);
    expect(performance.now() - started).toBeLessThan(5_000);
    app.exec('COMMIT');
    app.exec('BEGIN IMMEDIATE');
    const acted = await actOn(source, journal, { action: 'retry', selection: ids('a') });
    expect(acted.error).toMatchObject(locked);
    expect(acted.items.map(({ outcome }) => outcome)).toEqual(['failed']);
    app.exec('COMMIT');
    expect(app.prepare('SELECT status FROM jadpo_parked_messages').pluck().get()).toBe('failed');
    expect(await journal.log({ unfinished: true })).toEqual([]);
    app.close();
  });

  test('a lock that is let go is waited for, and Ctrl+C ends the waiting', async () => {
    createJadpoFile(path, [parkedRow({ id: 'a' })]);
    const app = new Database(path);
    app.exec('BEGIN IMMEDIATE');
    let sleeps = 0;
    const abort = new AbortController();
    const patient: Clock = {
      now: () => NOW,
      sleep: async () => {
        sleeps += 1;
        if (sleeps === 3) abort.abort();
        if (sleeps === 6) app.exec('COMMIT');
      },
    };
    const source = open({}, patient);
    const stopped = await actOn(source, journal, { action: 'retry', selection: ids('a'), signal: abort.signal });
    expect({ interrupted: stopped.interrupted, error: stopped.error }).toEqual({ interrupted: true, error: null });
    expect(stopped.items).toMatchObject([{ outcome: 'skipped', detail: 'Interrupted before it was changed.' }]);
    const { items } = await actOn(source, journal, { action: 'retry', selection: ids('a') });
    expect(items.map(({ outcome }) => outcome)).toEqual(['done']);
    app.close();
  });

  test('twenty thousand rows are retried while the app writes: each told once, none overwritten, in flat memory', async () => {
    const count = 20_000;
    const name = (n: number): string => `r${String(n).padStart(6, '0')}`;
    const rows = Array.from({ length: count }, (_, n) =>
      parkedRow({ id: name(n), body: `{"id":"m${n}","type":"order.shipped","order":${n}}` }),
    );
    createJadpoFile(path, rows, [JADPO_TABLE, ...APP_TABLES].join(';'));
    const real: Clock = { now: Date.now, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) };
    const app = await startApp(path, { queued: 5000 });
    try {
      const source = open({}, real);
      const outcomes = new Map<string, number>();
      const told = new Set<string>();
      let progress = 0;
      let longestTurn = 0;
      let turn = performance.now();
      let most = 0;
      const watch = setInterval(() => {
        longestTurn = Math.max(longestTurn, performance.now() - turn);
        turn = performance.now();
        most = Math.max(most, process.memoryUsage().arrayBuffers);
      }, 1);
      const { error, interrupted } = await actOn(source, journal, {
        action: 'retry',
        selection: { kind: 'ids', ids: new Map(rows.map(({ id }) => [id, { to: null, state: 'failed' as const }])) },
        onItem: ({ id, outcome }) => {
          told.add(id);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        },
        onProgress: () => {
          progress += 1;
        },
      });
      clearInterval(watch);
      const report = await app.stop();
      expect({ error, interrupted, errors: report.errors }).toEqual({ error: null, interrupted: false, errors: [] });
      expect(told.size).toBe(count);
      expect(Object.fromEntries(outcomes)).toEqual({ done: count });
      expect(progress).toBeGreaterThanOrEqual(count / 1000);
      expect(report.ticks).toBeGreaterThan(10);
      // Each of the app's writes had its turn before long, and so had everything else in this process.
      expect(report.slowest).toBeLessThan(2000);
      expect(longestTurn).toBeLessThan(2000);
      expect(most).toBeLessThan(50_000_000);

      const database = new Database(path);
      const left = database.prepare<[], ParkedRow>('SELECT * FROM jadpo_parked_messages').all();
      database.close();
      const parkedAgain = new Set(report.parkedAgain);
      const kept = new Set(report.kept);
      for (const row of left) {
        if (row.id.startsWith('new-')) expect(row.status).toBe('failed');
        else if (row.status !== (parkedAgain.has(row.id) ? 'failed' : 'pending'))
          throw new Error(`${row.id}: ${row.status}`);
      }
      expect(left.length + kept.size).toBe(count + report.added.length);
    } finally {
      app.kill();
    }
  }, 120_000);
});
