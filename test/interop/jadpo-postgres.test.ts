import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { openJadpoSource } from '../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { Journal } from '../../src/model/ports.ts';
import { actOn, ids, readAll } from '../support/drive-source.ts';
import { jadpoContract } from '../support/jadpo-contract.ts';
import { JADPO_TABLE_TYPED, JadpoSchema, postgresBed } from '../support/jadpo-postgres.ts';
import { parkedRow } from '../support/jadpo-table.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { realPostgres, startPostgres } from '../support/postgres-server.ts';
import { wallClock } from '../support/wall-clock.ts';

const server = await realPostgres();

describe.skipIf('missing' in server)('jadpo on a real PostgreSQL', () => {
  if ('missing' in server) return;
  afterAll(() => server.stop());

  jadpoContract(`${server.name}, all columns text`, () => postgresBed(server));
  jadpoContract(`${server.name}, timestamptz and bytea`, () => postgresBed(server, JADPO_TABLE_TYPED));

  describe('beside the app', () => {
    const folder = mkdtempSync(join(tmpdir(), 'babelq-jadpo-'));
    let journal: Journal;
    let schema: JadpoSchema;
    beforeEach(async () => {
      schema = await JadpoSchema.create(server);
      journal = openJournal({ path: join(folder, `${Math.random()}.db`), clock: wallClock, create: true });
      await schema.insert(['a', 'b', 'c'].map((id) => parkedRow({ id })));
      return async () => {
        await journal.close();
        await schema.drop();
      };
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test('a row that its transaction is at is waited for without a hold on any other', async () => {
      const source = openJadpoSource({ name: 'w', database: schema.url }, { journal, clock: wallClock });
      const other = await JadpoSchema.create(server);
      const app = schema.database;
      let acted: ReturnType<typeof actOn> | undefined;
      await app.transaction(async ({ run }) => {
        await run(`UPDATE ${schema.table} SET reason = 'too_large' WHERE id = 'b'`);
        acted = actOn(source, journal, { action: 'retry', selection: ids('a', 'b', 'c') });
        // The rows that nobody is at are done at once, although b still waits; and the app may take them.
        const done = async () => {
          const { rows } = await other.database.read(`SELECT count(*) FROM ${schema.table} WHERE status = 'pending'`);
          return rows[0]?.[0] === '2';
        };
        while (!(await done())) await wallClock.sleep(5);
        await run(`SET LOCAL lock_timeout = '100ms'`);
        await run(`UPDATE ${schema.table} SET status = 'failed' WHERE id IN ('a', 'c')`);
        await run(`UPDATE ${schema.table} SET status = 'dismissed' WHERE id = 'b'`);
      });
      const { items } = (await acted) ?? { items: [] };
      expect(items.map(({ id, outcome, detail }) => [id, outcome, detail])).toEqual([
        ['w/a', 'done', null],
        ['w/b', 'skipped', 'It changed meanwhile: it was failed, and is dismissed now.'],
        ['w/c', 'done', null],
      ]);
      await other.drop();
      await source.close();
    });

    test('a user who may only read is told so before and when it acts', async () => {
      const reader = `reader_${process.pid}`;
      const [space] = schema.table.split('.jadpo');
      await schema.run(`CREATE ROLE ${reader} LOGIN PASSWORD 'reads'`);
      await schema.run(`GRANT USAGE ON SCHEMA ${space} TO ${reader}`);
      await schema.run(`GRANT SELECT ON ${schema.table} TO ${reader}`);
      const url = new URL(schema.url);
      url.username = reader;
      url.password = 'reads';
      const database = url.href.replaceAll('+', '%20');
      const source = openJadpoSource({ name: 'w', database }, { journal, clock: wallClock });
      expect((await readAll(source)).failures).toHaveLength(3);
      expect(await source.diagnose?.({ signal: new AbortController().signal, received: null })).toMatchObject({
        readOnly: true,
      });
      const { items, error } = await actOn(source, journal, { action: 'retry', selection: ids('a') });
      expect(items.map(({ outcome }) => outcome)).toEqual(['failed']);
      expect(error).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('UPDATE to act') });
      await source.close();
      await schema.run(`REVOKE ALL ON ${schema.table} FROM ${reader}`);
      await schema.run(`REVOKE ALL ON SCHEMA ${space} FROM ${reader}`);
      await schema.run(`DROP ROLE ${reader}`);
    });

    test('a row that is never let go of is skipped and said', async () => {
      const source = openJadpoSource({ name: 'w', database: schema.url }, { journal, clock: wallClock });
      await schema.database.transaction(async ({ run }) => {
        await run(`SELECT 1 FROM ${schema.table} WHERE id = 'b' FOR UPDATE`);
        const { items } = await actOn(source, journal, { action: 'retry', selection: ids('a', 'b') });
        expect(items.map(({ id, outcome }) => [id, outcome])).toEqual([
          ['w/a', 'done'],
          ['w/b', 'skipped'],
        ]);
      });
      expect((await readAll(source)).failures.map(({ state }) => state)).toEqual(['pending', 'failed', 'failed']);
      await source.close();
    });

    test('a connection that is lost at the COMMIT says what became of it, and never more', async () => {
      const proxy = await startPostgresProxy(`${schema.url}&sslmode=disable`);
      const through = (): ReturnType<typeof openJadpoSource> =>
        openJadpoSource({ name: 'w', database: proxy.url.replaceAll('+', '%20') }, { journal, clock: wallClock });
      const COMMIT = 'COMMIT\0';
      const retry = async (id: string): Promise<(string | null)[]> => {
        const source = through();
        const { items, error } = await actOn(source, journal, { action: 'retry', selection: ids(id) });
        await source.close();
        return [...items.flatMap(({ outcome }) => outcome), error?.code ?? null];
      };
      proxy.cutAt({ text: COMMIT, when: 'after' });
      expect(await retry('a')).toEqual(['done', null]);
      proxy.cutAt({ text: COMMIT, when: 'before' });
      expect(await retry('b')).toEqual(['failed', 'unreachable']);
      proxy.cutAt({ text: COMMIT, when: 'after', forGood: true });
      expect(await retry('c')).toEqual(['uncertain', 'unreachable']);
      await proxy.close();
      expect((await schema.rows()).map(({ id, status }) => `${id} ${status}`)).toEqual([
        'a pending',
        'b failed',
        'c pending',
      ]);
      expect((await journal.log({ unfinished: true })).map(({ id, outcome }) => `${id} ${outcome}`)).toEqual([
        'w/c uncertain',
      ]);
    });
  });
});

test('a server that is stopped in the middle of an action leaves each row as it is told', async ({ skip }) => {
  const own = await startPostgres();
  if ('missing' in own) return skip(own.missing);
  const schema = await JadpoSchema.create(own);
  await schema.run(
    `INSERT INTO ${schema.table} SELECT 'r' || n, 'q', NULL, NULL, 'unreadable', '[]', 'b' || n, n::text, 'failed', '2026-11-30T14:02:11.034Z', '2026-11-30T14:02:11.034Z' FROM generate_series(1, 20000) AS n`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'babelq-jadpo-'));
  const journal = openJournal({ path: join(folder, 'journal.db'), clock: wallClock, create: true });
  const source = openJadpoSource({ name: 'w', database: schema.url }, { journal, clock: wallClock });
  let stopped = false;
  const { items, error } = await actOn(source, journal, {
    action: 'retry',
    selection: { kind: 'match', states: new Set(['failed']), matches: () => true, startedAt: Date.now() },
    onProgress: ({ done }) => {
      if (done < 2000 || stopped) return;
      stopped = true;
      own.halt('immediate');
    },
  });
  expect(error).toMatchObject({ code: 'unreachable' });
  await source.close();
  await own.resume();
  const told = new Map(items.map(({ id, outcome }) => [id.slice(2), outcome]));
  const done = [...told.values()].filter((outcome) => outcome === 'done').length;
  expect(done).toBeGreaterThanOrEqual(2000);
  expect(done).toBeLessThan(20_000);
  const rows = await schema.run(`SELECT id, status FROM ${schema.table}`);
  expect(rows).toHaveLength(20_000);
  for (const [id = '', status] of rows) {
    const outcome = told.get(id ?? '');
    if (outcome !== 'uncertain') expect([id, status]).toEqual([id, outcome === 'done' ? 'pending' : 'failed']);
  }
  await journal.close();
  await schema.drop();
  await own.stop();
  rmSync(folder, { recursive: true });
});
