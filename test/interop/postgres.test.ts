import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAddress } from '../../src/adapters/postgres/address.ts';
import { Postgres } from '../../src/adapters/postgres/postgres.ts';
import { type BabelqError, OutcomeUnknown } from '../../src/model/errors.ts';
import { realPostgres, startPostgres } from '../support/postgres-server.ts';
import { wallClock } from '../support/wall-clock.ts';

const server = await startPostgres({ tls: true });

describe.skipIf('missing' in server)('a real PostgreSQL', () => {
  if ('missing' in server) return;
  const folder = mkdtempSync(join(tmpdir(), 'babelq-pg-'));
  const opened: Postgres[] = [];
  const open = (change: (url: URL) => void, env: Record<string, string> = {}): Postgres => {
    const url = new URL(server.url);
    change(url);
    const database = new Postgres(parseAddress(url.href, env), wallClock);
    opened.push(database);
    return database;
  };
  const mode = (sslmode: string, more: Record<string, string> = {}, host = 'localhost') =>
    open((url) => {
      url.hostname = host;
      for (const [name, value] of Object.entries({ sslmode, ...more })) url.searchParams.set(name, value);
    });
  const encrypted = async (database: Postgres): Promise<unknown> =>
    (await database.read('SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).rows[0]?.[0];
  let rootcert = '';

  beforeAll(() => {
    rootcert = join(folder, 'root.crt');
    copyFileSync(server.rootCert ?? '', rootcert);
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  test('each sslmode checks what it says, and nothing less', async () => {
    expect(await encrypted(mode('disable'))).toBe('false');
    expect(await encrypted(mode('prefer'))).toBe('true');
    expect(await encrypted(mode('require'))).toBe('true');
    expect(await encrypted(mode('verify-full', { sslrootcert: rootcert }))).toBe('true');
    expect(await encrypted(mode('verify-ca', { sslrootcert: rootcert }, '127.0.0.1'))).toBe('true');
    // Signed by nobody who is trusted; made out to another name; libpq checks the authority here as well.
    for (const refused of [
      mode('verify-ca'),
      mode('verify-full'),
      mode('verify-full', { sslrootcert: rootcert }, '127.0.0.1'),
      mode('require', { sslrootcert: '/etc/ssl/certs/ca-certificates.crt' }),
      mode('require', { sslrootcert: 'system' }),
    ]) {
      await expect(refused.read('SELECT 1')).rejects.toMatchObject({
        code: 'unreachable',
        message: expect.stringContaining('The certificate of'),
      });
    }
    await expect(mode('verify-full', { sslrootcert: '/nowhere' }).read('SELECT 1')).rejects.toMatchObject({
      code: 'config',
    });
  });

  test('a wrong password is told as such, and never shown', async () => {
    const wrong = open((url) => {
      url.password = 'swordfish';
    });
    const error = (await wrong.read('SELECT 1').catch((reason: unknown) => reason)) as BabelqError;
    expect(error).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('password authentication failed'),
    });
    expect(`${error.message}${error.hint}${error.stack}${JSON.stringify(error.cause)}`).not.toContain('swordfish');
    const none = open((url) => {
      url.password = '';
    });
    await expect(none.read('SELECT 1')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('a password is found in ~/.pgpass, unless others may read it', async () => {
    const { password, host, port } = new URL(server.url);
    const file = join(folder, 'pgpass');
    const secret = decodeURIComponent(password).replaceAll(/[\\:]/g, '\\$&');
    writeFileSync(file, `# mine\n${host.split(':')[0]}:${port}:other:*:no\n*:${port}:*:babelq:${secret}\n`);
    process.env.PGPASSFILE = file;
    try {
      const bare = () =>
        open((url) => {
          url.password = '';
        });
      chmodSync(file, 0o644);
      await expect(bare().read('SELECT 1')).rejects.toMatchObject({ code: 'forbidden' });
      chmodSync(file, 0o600);
      expect((await bare().read('SELECT 1')).rows).toEqual([['1']]);
    } finally {
      delete process.env.PGPASSFILE;
    }
  });

  test('what is never answered is given up, and what waits for a lock too', async () => {
    const short = open((url) => url.searchParams.set('statement_timeout', '200'));
    await expect(short.read('SELECT pg_sleep(20)')).rejects.toMatchObject({ code: 'locked' });
    expect((await short.read('SHOW application_name')).rows).toEqual([['babelq']]);
  });

  test('a server that is restarted is found again, and one that crashed in the middle says how it ended', async () => {
    const database = open(() => {});
    await database.transaction(({ run }) => run('CREATE TABLE kept (n int)'));
    server.halt('fast');
    const later = database.read('SELECT count(*) FROM kept');
    await server.resume();
    expect((await later).rows).toEqual([['0']]);
    let resumed: Promise<void> = Promise.resolve();
    const crashed = database.transaction(async ({ run }) => {
      await run('INSERT INTO kept VALUES (1)');
      server.halt('immediate');
      resumed = server.resume();
    });
    const error: unknown = await crashed.catch((reason: unknown) => reason);
    // Once it is back it knows: nothing was changed, and nothing is uncertain.
    expect(error).toMatchObject({ code: 'unreachable' });
    expect(error).not.toBeInstanceOf(OutcomeUnknown);
    await resumed;
    expect((await database.read('SELECT count(*) FROM kept')).rows).toEqual([['0']]);
  });
});

test('the server that the environment names, or this machine has, tells which database it is', async ({ skip }) => {
  const named = await realPostgres();
  if ('missing' in named) return skip(named.missing);
  const database = new Postgres(parseAddress(named.url), wallClock);
  expect(await database.identity()).toMatch(/^postgres:\d+\/\d+$/);
  await database.close();
  await named.stop();
});
