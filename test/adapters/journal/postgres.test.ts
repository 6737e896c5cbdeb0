import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openPostgresJournal } from '../../../src/adapters/journal/postgres/journal.ts';
import { MIGRATIONS, migrate, versionOf } from '../../../src/adapters/journal/postgres/schema.ts';
import { parseAddress } from '../../../src/adapters/postgres/address.ts';
import { Postgres } from '../../../src/adapters/postgres/postgres.ts';
import type { Journal, Run } from '../../../src/model/ports.ts';
import { journalCareContract } from '../../support/journal-care-contract.ts';
import { journalContract } from '../../support/journal-contract.ts';
import { aMessage, anIntent, aStart, PLACE } from '../../support/journal-samples.ts';
import { inSchema, postgresHome } from '../../support/postgres-journal.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { type PostgresServer, startPglite } from '../../support/postgres-server.ts';
import { wallClock } from '../../support/wall-clock.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPglite();
});
afterAll(() => server.stop());

journalContract('the journal in PostgreSQL (PGlite)', () => postgresHome(server));
journalCareContract('the journal in PostgreSQL (PGlite)', 'postgres', () => postgresHome(server));

describe('a journal on a server', () => {
  let nth = 0;
  let schema: string;
  const opened: { close(): Promise<void> }[] = [];
  function open(url = server.url): Journal {
    const journal = openPostgresJournal({ url: inSchema(url, schema), clock: wallClock, env: {} });
    opened.push(journal);
    return journal;
  }
  function database(): Postgres {
    const postgres = new Postgres(parseAddress(server.url, {}), wallClock);
    opened.push(postgres);
    return postgres;
  }
  const ask = async (sql: string) => (await database().read(sql)).rows.map(([first]) => first);
  const fresh = () => {
    nth += 1;
    schema = `own_${nth}`;
  };
  beforeEach(fresh);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  test('is not made by one that only looks, and is then there for both', async () => {
    const journal = open();
    expect(await journal.log({})).toEqual([]);
    expect(await journal.recall(PLACE, [{ nativeId: 'a', identity: 'a' }], null)).toMatchObject([{ last: null }]);
    expect(await ask(`SELECT count(*) FROM pg_namespace WHERE nspname = '${schema}'`)).toEqual(['0']);
    await open().begin(aStart('retry'));
    await journal.intend(await journal.begin(aStart('retry')), [anIntent('a')]);
    expect(await journal.log({})).toHaveLength(1);
  });

  test('of a newer babelq, or in another program’s schema, is refused and left as it is', async () => {
    await open().begin(aStart('retry'));
    await server.exec(`UPDATE ${schema}.journal SET version = ${MIGRATIONS.length + 1}`);
    for (const call of [() => open().log({}), () => open().begin(aStart('retry'))]) {
      await expect(call()).rejects.toMatchObject({ code: 'journal', hint: expect.stringContaining('Update babelq') });
    }
    expect(await ask(`SELECT count(*) FROM ${schema}.runs`)).toEqual(['1']);
    fresh();
    await server.exec(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.runs (marathon text)`);
    await expect(open().begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
      message: expect.stringContaining('another program'),
    });
  });

  test('moves forward step by step, and a step that fails changes nothing', async () => {
    await open().begin(aStart('retry'));
    const next = [...MIGRATIONS, 'ALTER TABLE S.runs ADD COLUMN host text', `UPDATE S.runs SET host = 'desk'`];
    const version = () => versionOf(database(), schema, 'here', 99);
    await expect(migrate(database(), schema, 'here', [...next, 'INSERT INTO S.nowhere VALUES (1)'])).rejects.toThrow();
    expect(await version()).toBe(MIGRATIONS.length);
    await migrate(database(), schema, 'here', next);
    await migrate(database(), schema, 'here', next);
    expect(await version()).toBe(next.length);
    expect(await ask(`SELECT host FROM ${schema}.runs`)).toEqual(['desk']);
  });

  test.each(MIGRATIONS.map((_, at) => at + 1))('of version %i is read by this one', async (version) => {
    await migrate(database(), schema, 'here', MIGRATIONS.slice(0, version));
    const run = await open().begin(aStart('retry'));
    const [entry] = await open().intend(run, [anIntent('m1')]);
    await open().settle([{ entry: entry ?? 0, state: 'done' }]);
    const copy = { nativeId: 'copy', identity: anIntent('m1').identity };
    expect(await open().recall(PLACE, [copy], run)).toMatchObject([{ sentInRun: true }]);
    expect(await versionOf(database(), schema, 'here')).toBe(MIGRATIONS.length);
  });

  test('keeps texts that PostgreSQL has no room for, and tells them apart', async () => {
    const journal = open();
    const run = await journal.begin(aStart('dismiss', { by: 'a\u0000b' }));
    const ids = ['x\u0000y', 'x\u00010y', 'x\u0001y', 'x\ud800y'];
    const body = 'nul \u0000 and \u0001 and "quotes" \\ and é';
    for (const id of ids) {
      const message = aMessage(id, { body, attributes: { 'n\u0000': { type: 'String', value: '\u0000' } } });
      expect(await journal.intend(run, [anIntent(id, { subject: 's\u0000', message })])).toEqual([expect.any(Number)]);
    }
    const { messages } = await journal.archived(PLACE, { limit: 10 });
    expect(messages.map(({ nativeId }) => nativeId)).toEqual([...ids.slice(0, 3), 'x\ufffdy']);
    expect(messages[0]?.message).toMatchObject({ body, attributes: { 'n\u0000': { value: '\u0000' } } });
    expect(await journal.log({ ids: ['orders/x\u0000y'], by: 'a\u0000b' })).toMatchObject([{ subject: 's\u0000' }]);
    expect((await journal.archived(PLACE, { limit: 10, nativeIdPrefixes: ['x\u0000'] })).messages).toHaveLength(1);
  });

  test('has calls that come in together share one transaction', async () => {
    const journal = open();
    const run = await journal.begin(aStart('retry'));
    const begun = await Promise.all(Array.from({ length: 24 }, (_, n) => journal.intend(run, [anIntent(`m${n}`)])));
    await Promise.all(begun.flat().map((entry) => journal.settle([{ entry: entry ?? 0, state: 'sent' }])));
    expect(new Set(begun.flat()).size).toBe(24);
    expect(Number((await ask(`SELECT count(DISTINCT xmin::text) FROM ${schema}.messages`))[0])).toBeLessThanOrEqual(2);
    expect(Number((await ask(`SELECT count(DISTINCT xmin::text) FROM ${schema}.entries`))[0])).toBeLessThanOrEqual(2);
  });

  describe('whose connection is cut', () => {
    let way: PostgresProxy;
    let journal: Journal;
    let run: Run;
    beforeEach(async () => {
      way = await startPostgresProxy(server.url);
      journal = open(way.url);
      run = await journal.begin(aStart('retry'));
    });
    afterEach(() => way.close());
    const entries = async () => Number((await ask(`SELECT count(*) FROM ${schema}.entries`))[0]);

    test.each(['before', 'after'] as const)('%s it heard COMMIT, finds out what became of an intent', async (when) => {
      way.cutAt({ text: 'COMMIT', when });
      const [entry] = await journal.intend(run, [anIntent('a')]);
      expect(await entries(), 'once, however it went').toBe(1);
      way.cutAt({ text: 'COMMIT', when });
      await journal.settle([{ entry: entry ?? 0, state: 'sent', newId: 'n' }]);
      expect(await journal.log({})).toMatchObject([{ outcome: 'under_way', new_id: 'n' }]);
    });

    test('in the middle of an intent, writes it anew', async () => {
      way.cutAt({ text: 'inserted', when: 'after' });
      expect(await journal.intend(run, [anIntent('a'), anIntent('b')])).toEqual([
        expect.any(Number),
        expect.any(Number),
      ]);
      expect(await entries()).toBe(2);
    });
  });
});
