import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isPostgresAddress, parseAddress } from '../../../src/adapters/postgres/address.ts';
import { Postgres } from '../../../src/adapters/postgres/postgres.ts';
import { Interrupted, OutcomeUnknown } from '../../../src/model/errors.ts';
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts';
import { type PostgresServer, startPglite } from '../../support/postgres-server.ts';
import { wallClock } from '../../support/wall-clock.ts';

let server: PostgresServer;
let proxy: PostgresProxy;
let database: Postgres;

beforeAll(async () => {
  server = await startPglite();
  await server.exec('CREATE TABLE words (word text PRIMARY KEY)');
});
afterAll(() => server.stop());
afterEach(async () => {
  await database.close();
  await proxy.close();
  await server.exec('DELETE FROM words');
});

async function open(clock = wallClock): Promise<void> {
  proxy = await startPostgresProxy(server.url);
  database = new Postgres(parseAddress(proxy.url), clock);
}

// Its own message, not a part of BEGIN's READ COMMITTED.
const COMMIT = 'COMMIT\0';

const insert = (word: string) =>
  database.transaction(async (statements) => {
    const { count } = await statements.run('INSERT INTO words VALUES ($1)', [word]);
    return count;
  });
const words = async (): Promise<(string | null)[]> =>
  (await database.read('SELECT word FROM words ORDER BY word')).rows.map(([word]) => word ?? null);

describe('a database', () => {
  test('gives values as PostgreSQL writes them, and takes them bound', async () => {
    await open();
    const { rows } = await database.read(
      `SELECT $1::text, $2::bytea, $3::bigint, $4::text[], '{"a": 1.0}'::json, NULL, $5::boolean`,
      [`'; --`, new Uint8Array([0, 255]), 2n ** 62n, ['a', null, '"{,}\\'], true],
    );
    expect(rows).toEqual([
      [`'; --`, '\\x00ff', '4611686018427387904', '{a,NULL,"\\"{,}\\\\"}', '{"a": 1.0}', null, 't'],
    ]);
    expect(isPostgresAddress(server.url)).toBe(true);
  });

  test('tells which it is, the same by whatever address it is reached', async () => {
    await open();
    const direct = new Postgres(parseAddress(server.url), wallClock);
    expect(await database.identity()).toBe(await direct.identity());
    expect(await database.identity()).toMatch(/^postgres:\d+\/\d+$/);
    await direct.close();
  });

  test('a reading is made again where the connection is cut', async () => {
    await open();
    await insert('a');
    proxy.cutAt({ text: 'FROM words', when: 'before' });
    expect(await words()).toEqual(['a']);
    proxy.cutAt({ text: 'FROM words', when: 'after' });
    expect(await words()).toEqual(['a']);
  });

  test('a change whose news was lost is asked after, and never made twice', async () => {
    await open();
    // The news of what was committed is lost.
    proxy.cutAt({ text: COMMIT, when: 'after' });
    expect(await insert('a')).toBe(1);
    // It is cut before the COMMIT arrives: surely nothing was changed.
    proxy.cutAt({ text: COMMIT, when: 'before' });
    await expect(insert('b')).rejects.toMatchObject({ code: 'unreachable' });
    // It is cut in the middle: surely nothing was changed.
    proxy.cutAt({ text: 'INSERT', when: 'after' });
    await expect(insert('c')).rejects.toMatchObject({ code: 'unreachable' });
    // It is cut before anything was done: it is done on the next connection.
    proxy.cutAt({ text: 'BEGIN', when: 'before' });
    expect(await insert('d')).toBe(1);
    expect(await words()).toEqual(['a', 'd']);
  });

  test('where nobody can be asked any more, a change is uncertain, not failed', async () => {
    let now = 0;
    await open({
      now: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    });
    await insert('a');
    proxy.cutAt({ text: COMMIT, when: 'after', forGood: true });
    await expect(insert('b')).rejects.toThrow(OutcomeUnknown);
  });

  test('work that throws changes nothing, and the next call finds a whole connection', async () => {
    await open();
    const failing = database.transaction(async (statements) => {
      await statements.run(`INSERT INTO words VALUES ('x')`);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await expect(insert('a').then(() => insert('a'))).rejects.toMatchObject({ code: 'bad_table' });
    expect(await words()).toEqual(['a']);
  });

  test('an abort before it has begun ends it, also while it waits for a connection', async () => {
    await open();
    await expect(database.read('SELECT 1', [], AbortSignal.abort())).rejects.toThrow(Interrupted);
    const abort = new AbortController();
    const reading = database.read('SELECT 1', [], abort.signal);
    abort.abort();
    await expect(reading).rejects.toThrow(Interrupted);
    expect(await words()).toEqual([]);
  });
});
