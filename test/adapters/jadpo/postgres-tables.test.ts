import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JadpoOptions, openJadpoSource } from '../../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../../src/adapters/journal/journal.ts';
import { nativeIdOf } from '../../../src/model/ids.ts';
import type { Journal, Source } from '../../../src/model/ports.ts';
import { actOn, ids, JumpingClock, readAll } from '../../support/drive-source.ts';
import { JadpoSchema } from '../../support/jadpo-postgres.ts';
import { type PostgresServer, startPglite } from '../../support/postgres-server.ts';

const MINIMUM = 'queue text, reason text, body text, status text, status_at text';

let server: PostgresServer;
let folder: string;
let journal: Journal;
let schema: JadpoSchema;
const clock = new JumpingClock(Date.parse('2026-11-30T15:00:00.000Z'));
const opened: Source[] = [];

beforeAll(async () => {
  server = await startPglite();
});
afterAll(() => server.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'babelq-jadpo-'));
  journal = openJournal({ path: join(folder, 'journal.db'), clock, create: true });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
  await journal.close();
  await schema.drop();
  rmSync(folder, { recursive: true });
});

async function table(columns: string, name = 'jadpo_parked_messages'): Promise<void> {
  schema = await JadpoSchema.create(server, `CREATE TABLE jadpo_parked_messages (${columns})`);
  if (name !== 'jadpo_parked_messages') await schema.run(`ALTER TABLE ${schema.table} RENAME TO ${name}`);
}

function open(options: Partial<JadpoOptions> = {}): Source {
  const source = openJadpoSource({ name: 'w', database: schema.url, ...options }, { journal, clock });
  opened.push(source);
  return source;
}

const insert = (values: string): Promise<unknown> => schema.run(`INSERT INTO ${schema.table} VALUES ${values}`);
const stored = (columns: string): Promise<(string | null)[][]> =>
  schema.run(`SELECT ${columns} FROM ${schema.table} ORDER BY 1`);

describe('keys', () => {
  test.each([
    ['bigint', `9007199254740993`, '9007199254740993', ['012', '9e3', '99999999999999999999', 'x']],
    ['smallint', `-7`, '-7', ['40000', '-07']],
    ['uuid', `'8A1F0c2e-0000-4000-8000-00000000000a'`, '8a1f0c2e-0000-4000-8000-00000000000a', ['8A1F', 'x', '']],
    ['varchar(5)', `'a%_,b'`, 'a%_,b', ['a%_,bc', 'a']],
    ['char(4)', `'ab'`, 'ab', []],
    ['bytea', `'\\x00ff'::bytea`, '00ff', ['00f', '\\x00ff', 'zz']],
    ['numeric', `1.50`, '1.50', ['1.5', 'NaN']],
    ['timestamptz', `'2026-11-01 10:00:00.5+00'`, /^2026-11-01 10:00:00.5/, ['yesterday']],
    ['text', `'a' || chr(10) || '"'`, 'a\n"', ['a\0b']],
  ])('of the type %s are found by what is shown, and by nothing else', async (type, value, shown, others) => {
    await table(`id ${type} PRIMARY KEY, ${MINIMUM}`);
    await insert(`(${value}, 'q', 'r', 'b', 'failed', NULL)`);
    const source = open();
    const [native = ''] = (await readAll(source)).failures.map(nativeIdOf);
    expect(native).toEqual(typeof shown === 'string' ? shown : expect.stringMatching(shown));
    expect((await readAll(source, { nativeIdPrefixes: [native] })).failures).toHaveLength(1);
    const wrong = await actOn(source, journal, { action: 'retry', selection: ids(...others) });
    expect(wrong.items.map(({ outcome }) => outcome)).toEqual(others.map(() => 'skipped'));
    expect(await stored('status')).toEqual([['failed']]);
    await actOn(source, journal, { action: 'retry', selection: ids(native) });
    expect(await stored('status')).toEqual([['pending']]);
  });

  test('one of several columns, in the order of the primary key, over several pages', async () => {
    await table(`n int, part text, ${MINIMUM}, PRIMARY KEY (part, n)`);
    await schema.run(
      `INSERT INTO ${schema.table} SELECT n, 'a,%', 'q', 'r', 'b', 'failed', NULL FROM generate_series(0, 699) AS n`,
    );
    await insert(`(1, 'b', 'q', 'r', 'b', 'failed', NULL)`);
    const source = open();
    const { failures } = await readAll(source);
    expect(failures).toHaveLength(701);
    expect(failures.slice(-2).map(nativeIdOf)).toEqual(['a%2C%25,699', 'b,1']);
    const acted = await actOn(source, journal, { action: 'retry', selection: ids('a%2C%25,5', 'nonsense', 'b,x') });
    expect(acted.items.filter(({ outcome }) => outcome === 'done').map(({ id }) => id)).toEqual(['w/a%2C%25,5']);
    expect(acted.items).toHaveLength(3);
    expect(await schema.run(`SELECT part, n FROM ${schema.table} WHERE status = 'pending'`)).toEqual([['a,%', '5']]);
  });

  test('must be unique: by an index over that column alone, and over every row', async () => {
    await table(`id text, other int, ${MINIMUM}`);
    const refused = { code: 'bad_table', message: expect.stringContaining("id isn't unique") };
    await expect(readAll(open())).rejects.toMatchObject(refused);
    await schema.run(`CREATE UNIQUE INDEX ON ${schema.table} (id, other)`);
    await schema.run(`CREATE UNIQUE INDEX ON ${schema.table} (id) WHERE other > 1`);
    await schema.run(`CREATE UNIQUE INDEX ON ${schema.table} (lower(id))`);
    await expect(readAll(open())).rejects.toMatchObject(refused);
    await schema.run(`CREATE UNIQUE INDEX ON ${schema.table} (id)`);
    await insert(`('k', 1, 'q', 'r', 'b', 'failed', NULL), (NULL, 1, 'q', 'r', 'b', 'failed', NULL)`);
    const { failures, note } = await readAll(open());
    expect(failures.map(nativeIdOf)).toEqual(['k']);
    expect(note).toBe("1 row has no key (NULL) and can't be shown");
  });
});

describe('bodies', () => {
  test('bytes, UTF-8 or not, come out as they lie there, and are never altered', async () => {
    await table(
      `id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, queue text, reason text, body bytea, status text, status_at text`,
    );
    const source = open();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (body) => {
        const bytes = Buffer.from(body);
        const hex = `\\x${bytes.toString('hex')}`;
        const [[key = ''] = []] = await schema.run(
          `INSERT INTO ${schema.table} (queue, reason, body, status) VALUES ('q', 'r', $1::bytea, 'failed') RETURNING id`,
          [hex],
        );
        const [failure] = (await readAll(source, { nativeIdPrefixes: [key ?? ''] })).failures;
        const text = bytes.toString('utf8');
        const isText = Buffer.from(text).equals(bytes);
        expect(failure?.size_bytes).toBe(bytes.length);
        expect(failure?.body).toBe(isText ? text : null);
        expect(failure?.body_base64).toBe(isText ? null : bytes.toString('base64'));
        await actOn(source, journal, { action: 'retry', selection: ids(key ?? '') });
        expect(await schema.run(`SELECT body, status FROM ${schema.table} WHERE id = $1`, [key ?? ''])).toEqual([
          [hex, 'pending'],
        ]);
      }),
      { numRuns: 25 },
    );
  });

  test('JSON keeps every digit and blank, and one that is missing is said', async () => {
    await table(`id int PRIMARY KEY, queue text, reason text, body json, status text`);
    await insert(`(1, 'q', 'r', '{"n": 1.000000000000000001,  "n": 2}', 'failed'), (2, 'q', 'r', NULL, 'failed')`);
    expect((await readAll(open())).failures.map(({ body, retryable }) => [body, retryable])).toEqual([
      ['{"n": 1.000000000000000001,  "n": 2}', true],
      [null, false],
    ]);
  });

  test('large ones do not come all at once, and none is left out', async () => {
    await table('id int PRIMARY KEY, queue text, reason text, body text, status text, status_at text');
    await schema.run(
      `INSERT INTO ${schema.table} SELECT n, 'q', 'r', repeat('x', 1000000), CASE WHEN n = 7 THEN 'dismissed' ELSE 'failed' END
       FROM generate_series(1, 20) AS n`,
    );
    const source = open();
    const all = Array.from({ length: 20 }, (_, n) => String(n + 1));
    let pages = 0;
    const read = await readAll(source, {
      onProgress: () => {
        pages += 1;
      },
    });
    expect(read.failures.map(nativeIdOf)).toEqual(all);
    expect(pages).toBeGreaterThanOrEqual(4);
    const { items } = await actOn(source, journal, { action: 'retry', selection: ids('nothing', ...all) });
    expect(items.filter(({ outcome }) => outcome === 'done')).toHaveLength(19);
    expect(items.map(({ id }) => id).sort()).toEqual(['nothing', ...all].map((id) => `w/${id}`).sort());
  });
});

describe('statuses and times', () => {
  test.each([
    ['timestamptz', '2026-11-01 12:00:00.123456+02', '2026-11-01T10:00:00.123Z', '2026-11-30 15:00:00+00'],
    ['timestamp', '2026-11-01 10:00:00.123456', '2026-11-01T10:00:00.123Z', '2026-11-30 15:00:00'],
    ['text', '2026-11-01T10:00:00.123Z', '2026-11-01T10:00:00.123Z', '2026-11-30T15:00:00.000Z'],
    ['bigint', '1793527200123', '2026-11-01T10:00:00.123Z', '1796050800000'],
    ['integer', '1793527200', '2026-11-01T10:00:00.000Z', '1796050800'],
    ['double precision', '1793527200.5', '2026-11-01T10:00:00.500Z', '1796050800'],
    ['date', '2026-11-01', '2026-11-01T00:00:00.000Z', '2026-11-30'],
  ])('a time of the type %s is read, and written back as one', async (type, value, read, written) => {
    await table(
      `id text PRIMARY KEY, queue text, reason text, body text, status text, parked_at ${type}, status_at ${type}`,
    );
    await insert(
      `('own', 'q', 'r', 'b', 'failed', '${value}', '${value}'), ('other', 'q', 'r', 'b', 'failed', NULL, NULL)`,
    );
    const source = open();
    expect((await readAll(source)).failures.map(({ failed_at }) => failed_at)).toEqual([null, read]);
    await actOn(source, journal, { action: 'dismiss', selection: ids('own', 'other') });
    expect(await stored('status_at, parked_at IS NULL')).toEqual([
      [written, 'f'],
      [written, 't'],
    ]);
  });

  test('a status may be of an enumerated type, or a number', async () => {
    await table('id int PRIMARY KEY, queue text, reason text, body text, status int');
    await insert(`(1, 'q', 'r', 'b', 0), (2, 'q', 'r', 'b', 2)`);
    const numbered = open({ statuses: { failed: '0', pending: '1', dismissed: '2' } });
    await actOn(numbered, journal, { action: 'retry', selection: ids('1') });
    expect(await stored('id, status')).toEqual([
      ['1', '1'],
      ['2', '2'],
    ]);
    const [space] = schema.table.split('.jadpo');
    await schema.run(`CREATE TYPE ${space}.state AS ENUM ('failed', 'pending', 'gone')`);
    await schema.run(`ALTER TABLE ${schema.table} ALTER status TYPE ${space}.state USING 'failed'`);
    await schema.run(`ALTER TABLE ${schema.table} ADD status_at timestamptz`);
    const enumerated = open();
    const retried = await actOn(enumerated, journal, { action: 'retry', selection: ids('1') });
    expect(retried.items.map(({ outcome }) => outcome)).toEqual(['done']);
    // A word that the type doesn't have is the configuration's fault, and nothing is changed.
    const { items, error } = await actOn(enumerated, journal, { action: 'dismiss', selection: ids('2') });
    expect(items.map(({ outcome }) => outcome)).toEqual(['failed']);
    expect(error).toMatchObject({ code: 'bad_table', hint: expect.stringContaining('statuses:') });
  });

  test("rows that the table's own rules hold back fail alone", async () => {
    await table(`id int PRIMARY KEY, ${MINIMUM}, CHECK (NOT (id = 17 AND status = 'pending'))`);
    await schema.run(
      `INSERT INTO ${schema.table} SELECT n, 'q', 'r', 'b', 'failed', NULL FROM generate_series(1, 40) AS n`,
    );
    const [space] = schema.table.split('.jadpo');
    await schema.run(`CREATE FUNCTION ${space}.stay() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF OLD.id = 30 THEN RAISE 'thirty stays'; END IF; RETURN NEW; END $$`);
    await schema.run(`CREATE TRIGGER t BEFORE UPDATE ON ${schema.table} FOR EACH ROW EXECUTE FUNCTION ${space}.stay()`);
    const all = Array.from({ length: 40 }, (_, n) => String(n + 1));
    const { items } = await actOn(open(), journal, { action: 'retry', selection: ids(...all) });
    expect(
      items.filter(({ outcome }) => outcome !== 'done').map(({ id, outcome, detail }) => [id, outcome, detail]),
    ).toEqual([
      ['w/17', 'failed', expect.stringMatching(/^The table's own rules refused it: .*check constraint/)],
      ['w/30', 'failed', "The table's own rules refused it: thirty stays"],
    ]);
    expect(await schema.run(`SELECT count(*) FROM ${schema.table} WHERE status = 'pending'`)).toEqual([['38']]);
  });
});

describe('the table', () => {
  test('names that try to be SQL are only names', async () => {
    const hostile = `st"; DROP TABLE other; --`;
    await table(
      `id text PRIMARY KEY, queue text, reason text, body text, "${hostile.replaceAll('"', '""')}" text, "n" text`,
    );
    const [space] = schema.table.split('.jadpo');
    await schema.run(`ALTER TABLE ${schema.table} RENAME TO "park""ed; --"`);
    await schema.run(`INSERT INTO ${space}."park""ed; --" VALUES ('k', 'q', 'r', 'b', 'failed', 'ev')`);
    const source = open({ table: 'park"ed; --', columns: { status: hostile, event: 'n' } });
    expect((await readAll(source)).failures).toMatchObject([{ id: 'w/k', subject: 'ev', held_in: 'park"ed; --' }]);
    await actOn(source, journal, { action: 'retry', selection: ids('k') });
    expect(await schema.run(`SELECT * FROM ${space}."park""ed; --"`)).toEqual([['k', 'q', 'r', 'b', 'pending', 'ev']]);
  });

  test('one that is not there is told with what is, and in which schema; a view is none', async () => {
    await table(`id text PRIMARY KEY, ${MINIMUM}`, 'parked');
    await expect(readAll(open())).rejects.toMatchObject({
      code: 'no_table',
      hint: 'Tables that look like it: "parked". If one of them is it, name it as table: of this source.',
    });
    const elsewhere = new URL(schema.url);
    const name = elsewhere.searchParams.get('schema') ?? '';
    elsewhere.searchParams.delete('schema');
    await expect(readAll(open({ database: elsewhere.href, table: 'parked' }))).rejects.toMatchObject({
      code: 'no_table',
      hint: `There is one in the schema "${name}": add ?schema=${encodeURIComponent(name)} to its address.`,
    });
    const [space] = schema.table.split('.jadpo');
    await schema.run(`CREATE VIEW ${space}.jadpo_parked_messages AS SELECT * FROM ${space}.parked`);
    await expect(readAll(open())).rejects.toMatchObject({
      code: 'no_table',
      message: expect.stringContaining('is a view'),
    });
  });

  test('a table in partitions is one table', async () => {
    schema = await JadpoSchema.create(
      server,
      `CREATE TABLE jadpo_parked_messages (id int PRIMARY KEY, ${MINIMUM}) PARTITION BY RANGE (id)`,
    );
    const [space] = schema.table.split('.jadpo');
    await schema.run(`CREATE TABLE ${space}.low PARTITION OF ${schema.table} FOR VALUES FROM (0) TO (10)`);
    await schema.run(`CREATE TABLE ${space}.high PARTITION OF ${schema.table} FOR VALUES FROM (10) TO (20)`);
    await insert(`(1, 'q', 'r', 'b', 'failed', NULL), (11, 'q', 'r', 'b', 'failed', NULL)`);
    const source = open();
    expect((await readAll(source)).failures.map(nativeIdOf)).toEqual(['1', '11']);
    const { items } = await actOn(source, journal, { action: 'retry', selection: ids('1', '11') });
    expect(items.map(({ outcome }) => outcome)).toEqual(['done', 'done']);
  });
});
