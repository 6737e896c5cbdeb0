import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type JadpoOptions, openJadpoSource } from '../../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../../src/adapters/journal/journal.ts';
import type { State } from '../../../src/model/failure.ts';
import { nativeIdOf } from '../../../src/model/ids.ts';
import type { Journal, Source } from '../../../src/model/ports.ts';
import { actOn, ids, JumpingClock, readAll } from '../../support/drive-source.ts';
import { interposed, matching } from '../../support/jadpo-contract.ts';

const NOW = Date.parse('2026-11-30T15:00:00.000Z');

let folder: string;
let path: string;
let app: Database.Database;
let journal: Journal;
let clock: JumpingClock;
const opened: Source[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'babelq-tables-'));
  path = join(folder, 'app.db');
  app = new Database(path);
  app.pragma('synchronous = OFF');
  clock = new JumpingClock(NOW);
  journal = openJournal({ path: join(folder, 'journal.db'), clock, create: true });
});
afterEach(async () => {
  for (const source of opened.splice(0)) await source.close();
  await journal.close();
  app.close();
  rmSync(folder, { recursive: true });
});

function open(options: Partial<JadpoOptions> = {}): Source {
  const source = openJadpoSource({ name: 'w', database: path, ...options }, { journal, clock });
  opened.push(source);
  return source;
}

/** The least a table needs, with other columns beside it. */
function table(columns: string, rest = ''): void {
  app.exec(`CREATE TABLE jadpo_parked_messages (${columns}) ${rest}`);
}

function stored(columns = '*'): unknown[] {
  return app.prepare(`SELECT ${columns} FROM jadpo_parked_messages`).raw(true).all();
}

describe('columns', () => {
  test('other names for the same meanings are understood', async () => {
    table(
      'messageUuid TEXT PRIMARY KEY, "connection" TEXT, event_type TEXT, MessageId TEXT, code TEXT, errors TEXT, payload BLOB, state TEXT, created_at TEXT, updated_at TEXT',
    );
    app.exec(
      `INSERT INTO jadpo_parked_messages VALUES ('k1','shop_queue','Paid','77','too_large','[]','{}','failed','2026-11-01 10:00:00','2026-11-02 10:00:00')`,
    );
    const { failures } = await readAll(open());
    expect(failures).toMatchObject([
      {
        id: 'w/k1',
        queue: 'shop_queue',
        subject: 'Paid',
        message_id: '77',
        reason: 'too_large',
        body: '{}',
        state: 'failed',
        failed_at: '2026-11-01T10:00:00.000Z',
      },
    ]);
  });

  test('what is needed at least is enough; the rest is null', async () => {
    table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT');
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (12,'q','unreadable','x','failed'), (120,'q','','x','failed')`);
    const source = open();
    const { failures } = await readAll(source);
    expect(failures).toMatchObject([
      { id: 'w/12', subject: null, failed_at: null, problems: [], message_id: null, title: 'queue q' },
      { id: 'w/120', reason: 'unclassified', reason_basis: 'inferred' },
    ]);
    expect((await readAll(source, { nativeIdPrefixes: ['12'] })).failures.map(nativeIdOf)).toEqual(['12']);
    expect((await readAll(source, { nativeIdPrefixes: ['1'] })).failures.map(nativeIdOf)).toEqual(['12', '120']);
    expect((await readAll(source, { nativeIdPrefixes: ['012'] })).failures).toEqual([]);
    const retried = await actOn(source, journal, { action: 'retry', selection: ids('12') });
    expect(retried.items[0]?.outcome).toBe('done');
    expect(stored('id, status')).toEqual([
      [12, 'pending'],
      [120, 'failed'],
    ]);
  });

  test('without a time of the status a dismissal is refused: its app might delete it at once', async () => {
    table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT, parked_at TEXT');
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (1,'q','unreadable','x','failed','2020-01-01T00:00:00Z')`);
    const dismissal = actOn(open(), journal, { action: 'dismiss', selection: ids('1') });
    await expect(dismissal).rejects.toMatchObject({ code: 'refused', source: 'w' });
    expect(stored('status')).toEqual([['failed']]);
  });

  test('what is missing and what is ambiguous is said at once, with what to write', async () => {
    table('id TEXT PRIMARY KEY, queue TEXT, payload TEXT, raw TEXT, lifecycle TEXT, "a ""b" TEXT');
    await expect(readAll(open())).rejects.toMatchObject({
      code: 'bad_table',
      message:
        "jadpo_parked_messages can't be read as it is: no column for the reason was found; " +
        'payload and raw could each be the body; no column for the status was found.',
      hint:
        'It has the columns id, queue, payload, raw, lifecycle, "a "b". ' +
        'Say which is which under this source: columns: { reason: …, body: payload, status: … }.',
    });
    const columns = { reason: 'a "b', body: 'raw', status: 'LIFECYCLE' };
    app.exec(`INSERT INTO jadpo_parked_messages VALUES ('k','q','not this','this','failed','because')`);
    expect((await readAll(open({ columns }))).failures).toMatchObject([{ body: 'this', reason: 'because' }]);
  });

  test('a mapping to a column that is not there, or of a meaning that does not exist, is refused', async () => {
    table('id TEXT PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT');
    await expect(readAll(open({ columns: { event: 'kind' } }))).rejects.toMatchObject({ code: 'bad_table' });
    const wrong = { colour: 'red' } as unknown as NonNullable<JadpoOptions['columns']>;
    expect(() => open({ columns: wrong })).toThrow('columns: has no "colour".');
    expect(() => open({ columns: { body: 'x', event: 'X' } })).toThrow('gives "X" to both body and event');
  });

  test('a key must be unique: a column that only looks like one is refused', async () => {
    table('id TEXT, queue TEXT, reason TEXT, body TEXT, status TEXT');
    app.exec(`INSERT INTO jadpo_parked_messages VALUES ('k','q','r','1','failed'), ('k','q','r','2','failed')`);
    await expect(readAll(open())).rejects.toMatchObject({
      code: 'bad_table',
      message: "jadpo_parked_messages can't be read as it is: id isn't unique, so it can't be the key.",
    });
    const byNumber = open({ columns: { key: 'rowid' } });
    expect((await readAll(byNumber)).failures.map(nativeIdOf)).toEqual(['1', '2']);
    await actOn(byNumber, journal, { action: 'retry', selection: ids('2') });
    expect(stored('body, status')).toEqual([
      ['1', 'failed'],
      ['2', 'pending'],
    ]);
  });

  test('names that try to be SQL are only names', async () => {
    const hostile = `st"; DROP TABLE other; --`;
    app.exec('CREATE TABLE other (x)');
    app.exec(
      `CREATE TABLE "park""ed; --" (id TEXT PRIMARY KEY, queue, reason, body, "${hostile.replaceAll('"', '""')}" TEXT, "__proto__" TEXT)`,
    );
    app.exec(`INSERT INTO "park""ed; --" VALUES ('k','q','r','b','failed','ev')`);
    const source = open({ table: 'park"ed; --', columns: { status: hostile, event: '__proto__' } });
    expect((await readAll(source)).failures).toMatchObject([{ id: 'w/k', subject: 'ev', held_in: 'park"ed; --' }]);
    await actOn(source, journal, { action: 'retry', selection: ids('k') });
    expect(app.prepare('SELECT * FROM "park""ed; --"').raw(true).all()).toEqual([
      ['k', 'q', 'r', 'b', 'pending', 'ev'],
    ]);
    expect(app.prepare('SELECT count(*) FROM other').pluck().get()).toBe(0);
  });
});

describe('keys', () => {
  const MINIMUM = 'queue TEXT, reason TEXT, body TEXT, status TEXT, status_at TEXT';

  test('one of several columns, in a table without row numbers', async () => {
    table(`part TEXT, n INTEGER, ${MINIMUM}, PRIMARY KEY (part, n)`, 'WITHOUT ROWID');
    const insert = app.prepare(`INSERT INTO jadpo_parked_messages VALUES (?, ?, 'q', 'r', 'b', 'failed', NULL)`);
    const many = Array.from({ length: 700 }, (_, n) => ['a,%', n] as const);
    for (const [part, n] of [...many, ['b', 1] as const]) insert.run(part, n);
    const source = open();
    const { failures } = await readAll(source);
    expect(failures).toHaveLength(701);
    expect(failures.slice(-2).map(nativeIdOf)).toEqual(['a%2C%25,699', 'b,1']);
    expect((await readAll(source, { nativeIdPrefixes: ['b', 'a%2C%25,69'] })).failures.map(nativeIdOf)).toEqual([
      'a%2C%25,69',
      'b,1',
    ]);
    await actOn(source, journal, { action: 'retry', selection: ids('a%2C%25,5', 'nonsense') });
    expect(app.prepare(`SELECT part, n FROM jadpo_parked_messages WHERE status = 'pending'`).raw(true).all()).toEqual([
      ['a,%', 5],
    ]);
  });

  test('bytes, and text that is not UTF-8, are found again by what they are', async () => {
    table(`id PRIMARY KEY, ${MINIMUM}`);
    app.exec(`INSERT INTO jadpo_parked_messages VALUES
      (x'00ff', 'q', 'r', 'b', 'failed', NULL), (CAST(x'80ff' AS TEXT), 'q', 'r', 'b', 'failed', NULL),
      (CAST(x'f5' AS TEXT), 'q', 'r', 'b', 'failed', NULL), ('plain', 'q', 'r', 'b', 'failed', NULL),
      (1.5, 'q', 'r', 'b', 'failed', NULL), (9007199254740993, 'q', 'r', 'b', 'failed', NULL)`);
    const source = open();
    const natives = (await readAll(source)).failures.map(nativeIdOf);
    expect(natives.sort()).toEqual(['00ff', '1.5', '9007199254740993', 'bytes:80ff', 'bytes:f5', 'plain']);
    for (const native of natives) {
      const { items } = await actOn(source, journal, { action: 'dismiss', selection: ids(native) });
      expect(items.map(({ id, outcome }) => [id, outcome])).toEqual([[`w/${native}`, 'done']]);
    }
    expect(stored('DISTINCT status')).toEqual([['dismissed']]);
  });

  test('many rows at once are those that were meant, and no others, whatever their keys are', async () => {
    table(`id PRIMARY KEY, ${MINIMUM}`);
    const insert = app.prepare(`INSERT INTO jadpo_parked_messages VALUES (?, ?, 'r', 'b', 'failed', NULL)`);
    const odd = [
      'a"b',
      "c'd",
      'back\\slash',
      'é😀',
      'line\nend',
      '\\u0061',
      ' 7',
      '7.0',
      '9007199254740993',
      '[1]',
      'null',
    ];
    for (const key of [...odd, 9007199254740993n, -5n]) insert.run(key, 'meant');
    for (const key of ['a', 'n', 7n, 9007199254740992n, 5n, 'aa']) insert.run(key, 'other');
    const retry = () => {
      const selection = matching(['failed'], clock.now(), ({ queue }) => queue === 'meant');
      return actOn(open(), journal, { action: 'retry', selection });
    };
    expect((await retry()).items).toHaveLength(odd.length + 2);
    for (const key of ['n\0ul', 'n\0']) insert.run(key, 'meant');
    expect((await retry()).items).toHaveLength(2);
    expect(stored('DISTINCT queue, status')).toEqual([
      ['meant', 'pending'],
      ['other', 'failed'],
    ]);
  });

  test('a page that ends in a text that is not UTF-8 goes on behind it', async () => {
    table(`id TEXT PRIMARY KEY, ${MINIMUM}`);
    const insert = app.prepare(
      `INSERT INTO jadpo_parked_messages VALUES (CAST(? AS TEXT), 'q', 'r', 'b', 'failed', NULL)`,
    );
    for (let n = 0; n < 1200; n += 1) insert.run(Buffer.from([0x80 + (n >> 8), n & 0xff]));
    expect((await readAll(open())).failures).toHaveLength(1200);
  });

  test('rows without a key are counted, not hidden', async () => {
    table(`id TEXT PRIMARY KEY, ${MINIMUM}`);
    app.exec(`INSERT INTO jadpo_parked_messages VALUES ('a', 'q', 'r', 'b', 'failed', NULL),
      (NULL, 'q', 'r', 'b', 'failed', NULL), (NULL, 'q', 'r', 'b', 'failed', NULL)`);
    const { failures, note } = await readAll(open());
    expect(failures.map(nativeIdOf)).toEqual(['a']);
    expect(note).toBe("2 rows have no key (NULL) and can't be shown");
  });
});

describe('bodies', () => {
  test('any bytes come out as they lie there, and are never altered', async () => {
    table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body BLOB, status TEXT, status_at TEXT');
    const source = open();
    const insert = app.prepare(`INSERT INTO jadpo_parked_messages VALUES (NULL, 'q', 'r', ?, 'failed', NULL)`);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' })), async (body) => {
        const { lastInsertRowid } = insert.run(body);
        const key = String(lastInsertRowid);
        const [failure] = (await readAll(source, { nativeIdPrefixes: [key] })).failures;
        const bytes = Buffer.from(body);
        expect(failure?.size_bytes).toBe(bytes.length);
        const text = bytes.toString('utf8');
        const isText = Buffer.from(text).equals(bytes);
        expect(failure?.body).toBe(isText ? text : null);
        expect(failure?.body_base64).toBe(isText ? null : bytes.toString('base64'));
        await actOn(source, journal, { action: 'retry', selection: ids(key) });
        const kept = app.prepare('SELECT body, typeof(body), status FROM jadpo_parked_messages WHERE id = ?');
        expect(kept.raw(true).get(lastInsertRowid)).toEqual([
          typeof body === 'string' ? body : bytes,
          typeof body === 'string' ? 'text' : 'blob',
          'pending',
        ]);
      }),
      { numRuns: 60 },
    );
  });

  test('one that is missing is said, and cannot be retried', async () => {
    table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT');
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (1, 'q', 'r', NULL, 'failed')`);
    const source = open();
    expect((await readAll(source)).failures).toMatchObject([
      { body: null, body_base64: null, size_bytes: 0, retry_blocked: 'Its body is missing from the table.' },
    ]);
    const { items } = await actOn(source, journal, { action: 'retry', selection: ids('1') });
    expect(items[0]?.outcome).toBe('skipped');
  });

  test('large ones do not come all at once, and none is left out', async () => {
    table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT');
    const insert = app.prepare(`INSERT INTO jadpo_parked_messages VALUES (?, 'q', 'r', ?, 'failed')`);
    for (let n = 1; n <= 20; n += 1) insert.run(n, 'x'.repeat(1_000_000));
    const source = open();
    expect((await readAll(source)).failures.map(nativeIdOf)).toEqual(Array.from({ length: 20 }, (_, n) => `${n + 1}`));
    const all = Array.from({ length: 20 }, (_, n) => String(n + 1));
    const { items } = await actOn(source, journal, { action: 'retry', selection: ids(...all) });
    expect(items.map(({ outcome }) => outcome)).toEqual(all.map(() => 'done'));
  });
});

describe('a long table', () => {
  test('is listed without being counted: about how many there are is an estimate, near the truth however they lie', async () => {
    table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT');
    // The old half is dismissed, a part in the middle is gone, and a tenth of what follows is pending.
    app.exec(`INSERT INTO jadpo_parked_messages
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 120000)
      SELECT n, 'q', 'r', 'b', CASE WHEN n < 60000 THEN 'dismissed' WHEN n % 10 = 0 THEN 'pending' ELSE 'failed' END
      FROM n WHERE n NOT BETWEEN 70000 AND 90000`);
    const source = open();
    const first = await source.read(
      { states: new Set<State>(['failed', 'pending']), allowReceive: false, signal: new AbortController().signal },
      () => 'enough',
    );
    expect(first).toMatchObject({ seen: 1, complete: false });
    expect(first.about).toBeGreaterThan(36_000);
    expect(first.about).toBeLessThan(44_000);
    const facts = await source.facts(new AbortController().signal);
    expect([facts.visible, facts.in_flight]).toEqual([36_000, 4000]);
  });
});

describe('statuses', () => {
  const TABLE = 'id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status, status_at TEXT';

  test('the table may have other words for them', async () => {
    table(TABLE);
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (1,'q','r','b','FAILED',NULL), (2,'q','r','b','again',NULL)`);
    const source = open({ statuses: { failed: 'FAILED', pending: 'again' } });
    expect((await readAll(source)).failures.map(({ state }) => state)).toEqual(['failed', 'pending']);
    await actOn(source, journal, { action: 'retry', selection: ids('1') });
    expect(stored('status')).toEqual([['again'], ['again']]);
    await actOn(source, journal, { action: 'dismiss', selection: ids('1') });
    await actOn(source, journal, { action: 'restore', selection: ids('1') });
    expect(stored('status')).toEqual([['FAILED'], ['again']]);
  });

  test('they may be numbers', async () => {
    table(TABLE.replace('status,', 'status INTEGER,'));
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (1,'q','r','b',0,NULL), (2,'q','r','b',2,NULL)`);
    const source = open({ statuses: { failed: '0', pending: '1', dismissed: '2' } });
    await actOn(source, journal, { action: 'retry', selection: ids('1') });
    expect(stored('status, typeof(status)')).toEqual([
      [1, 'integer'],
      [2, 'integer'],
    ]);
  });

  test('unknown ones are said, and where all are, the table is refused', async () => {
    table(TABLE);
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (1,'q','r','b','FAILED',NULL), (2,'q','r','b',NULL,NULL)`);
    const source = open();
    await expect(readAll(source)).rejects.toMatchObject({
      code: 'bad_table',
      message: 'No row of jadpo_parked_messages has a status that is known; found are "FAILED" (1), none (1).',
    });
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (3,'q','r','b','failed',NULL)`);
    const { failures, note } = await readAll(source);
    expect(failures.map(nativeIdOf)).toEqual(['3']);
    expect(note).toBe('2 rows have a status that is none of the three and can\'t be shown: "FAILED" (1), none (1)');
    const { items } = await actOn(source, journal, { action: 'retry', selection: ids('1') });
    expect(items).toMatchObject([{ outcome: 'skipped', detail: 'Its status is none of the three.' }]);
  });

  test('two states with one word, or a state that does not exist, are refused before anything is opened', () => {
    expect(() => open({ statuses: { failed: 'x', pending: 'x' } })).toThrow('gives two states the same word');
    const wrong = { parked: 'x' } as unknown as Partial<Record<State, string>>;
    expect(() => open({ statuses: wrong })).toThrow('statuses: has no "parked".');
  });

  test("a row that the table's own rules hold back fails alone", async () => {
    table(TABLE);
    app.exec(`INSERT INTO jadpo_parked_messages VALUES (1,'q','r','b','failed',NULL), (2,'q','r','b','failed',NULL),
      (3,'q','r','b','failed',NULL), (4,'q','r','b','failed',NULL)`);
    app.exec(`CREATE TRIGGER t2 BEFORE UPDATE ON jadpo_parked_messages WHEN old.id = 2
      BEGIN SELECT RAISE(ABORT, 'two stays'); END`);
    app.exec(`CREATE TRIGGER t3 BEFORE UPDATE ON jadpo_parked_messages WHEN old.id = 3
      BEGIN SELECT RAISE(ROLLBACK, 'three stays'); END`);
    const { items } = await actOn(open(), journal, { action: 'retry', selection: ids('1', '2', '3', '4') });
    expect(items.map(({ outcome, detail }) => [outcome, detail])).toEqual([
      ['done', null],
      ['failed', "The table's own rules refused it: two stays"],
      ['failed', "The table's own rules refused it: a trigger of the table's own undid it"],
      ['done', null],
    ]);
    expect(stored('status')).toEqual([['pending'], ['failed'], ['failed'], ['pending']]);
  });
});

test("what the table's own triggers do is done once for each row that is changed, and for no other", async () => {
  table('id INTEGER PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT, status_at TEXT');
  app.exec(`CREATE TABLE heard (id INTEGER);
    CREATE TRIGGER tell AFTER UPDATE ON jadpo_parked_messages BEGIN INSERT INTO heard VALUES (new.id); END`);
  const insert = app.prepare(`INSERT INTO jadpo_parked_messages VALUES (?, 'q', 'r', 'b', 'failed', NULL)`);
  for (let id = 1; id <= 9; id += 1) insert.run(id);
  const racing = openJadpoSource(
    { name: 'w', database: path },
    {
      journal: interposed(journal, async () => {
        app.exec(`DROP TRIGGER tell; UPDATE jadpo_parked_messages SET status = 'dismissed' WHERE id = 5;
          CREATE TRIGGER tell AFTER UPDATE ON jadpo_parked_messages BEGIN INSERT INTO heard VALUES (new.id); END`);
      }),
      clock,
    },
  );
  opened.push(racing);
  const { items } = await actOn(racing, journal, { action: 'retry', selection: matching(['failed'], clock.now()) });
  expect(items.map(({ outcome }) => outcome)).toEqual([
    'done',
    'done',
    'done',
    'done',
    'skipped',
    'done',
    'done',
    'done',
    'done',
  ]);
  expect(app.prepare('SELECT id FROM heard ORDER BY id').pluck().all()).toEqual([1, 2, 3, 4, 6, 7, 8, 9]);
});

describe('times', () => {
  test.each([
    ['TEXT', '2026-11-01T10:00:00.123Z', '2026-11-01T10:00:00.123Z', '2026-11-30T15:00:00.000Z'],
    ['TEXT', '2026-11-01T10:00:00Z', '2026-11-01T10:00:00.000Z', '2026-11-30T15:00:00Z'],
    ['TEXT', '2026-11-01 10:00:00', '2026-11-01T10:00:00.000Z', '2026-11-30 15:00:00'],
    ['TEXT', '2026-11-01 10:00:00.123456+00', '2026-11-01T10:00:00.123Z', '2026-11-30 15:00:00.000000+00'],
    ['TEXT', '2026-11-01T10:00:00+02:00', '2026-11-01T08:00:00.000Z', '2026-11-30T17:00:00+02:00'],
    ['TEXT', '1793527200123', '2026-11-01T10:00:00.123Z', '1796050800000'],
    ['INTEGER', 1793527200, '2026-11-01T10:00:00.000Z', 1796050800],
    ['INTEGER', 1793527200123, '2026-11-01T10:00:00.123Z', 1796050800000],
    ['INTEGER', 1793527200123456, '2026-11-01T10:00:00.123Z', 1796050800000000],
    ['REAL', 1793527200.5, '2026-11-01T10:00:00.500Z', 1796050800],
  ])('%s %s is read, and written back in the same style', async (type, value, read, written) => {
    table(`id TEXT PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT, parked_at ${type}, status_at ${type}`);
    const insert = app.prepare(`INSERT INTO jadpo_parked_messages VALUES (?, 'q', 'r', 'b', 'failed', ?, ?)`);
    insert.run('own', value, value);
    // Its own time says nothing: the others' does.
    insert.run('other', null, null);
    const source = open();
    expect((await readAll(source)).failures.map(({ failed_at }) => failed_at)).toEqual([null, read]);
    await actOn(source, journal, { action: 'dismiss', selection: ids('own', 'other') });
    expect(stored('status_at, typeof(status_at)')).toEqual([
      [written, type.toLowerCase()],
      [written, type.toLowerCase()],
    ]);
  });

  test.each(['yesterday', '2026-02-31T10:00:00Z', '2026-13-01', '', 7, -1, 1e30, Buffer.from('x')])(
    '%s is no time, and shows as none',
    async (value) => {
      table('id TEXT PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT, parked_at');
      app.prepare(`INSERT INTO jadpo_parked_messages VALUES ('k', 'q', 'r', 'b', 'failed', ?)`).run(value);
      expect((await readAll(open())).failures.map(({ failed_at }) => failed_at)).toEqual([null]);
    },
  );

  test('a number that nothing explains is not made up', async () => {
    table('id TEXT PRIMARY KEY, queue TEXT, reason TEXT, body TEXT, status TEXT, status_at BIGINT');
    app.exec(`INSERT INTO jadpo_parked_messages VALUES ('k', 'q', 'r', 'b', 'failed', NULL)`);
    const { items } = await actOn(open(), journal, { action: 'dismiss', selection: ids('k') });
    expect(items).toMatchObject([{ outcome: 'skipped', detail: expect.stringContaining('seconds or milliseconds') }]);
    expect(stored('status')).toEqual([['failed']]);
  });
});
