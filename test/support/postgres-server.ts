import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** A PostgreSQL server for tests and the bench, reached over its real protocol. */
export interface PostgresServer {
  /** What it is, with its version. */
  readonly name: string;
  /** Its address, with the password. */
  readonly url: string;
  /** Runs statements as its owner, several in one text. */
  exec(sql: string): Promise<void>;
  stop(): Promise<void>;
}

/** A server that can be taken down and brought up again where it was. */
interface RealPostgres extends PostgresServer {
  /** What its certificate, made out to `localhost`, is checked against; null where it has no TLS. */
  readonly rootCert: string | null;
  /** `immediate`: as if it had crashed. */
  halt(how: 'fast' | 'immediate'): void;
  resume(): Promise<void>;
}

/**
 * PGlite over its socket, in this process: PostgreSQL's own code, compiled for one session. Its faults: all connections
 * share that one session, so no two may be in the middle of something at the same time; it has no TLS, asks for no
 * password, and its limits on time do nothing.
 */
export async function startPglite(): Promise<PostgresServer> {
  const database = await PGlite.create();
  const server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1', maxConnections: 20 });
  await server.start();
  const { rows } = await database.query<{ server_version: string }>('SHOW server_version');
  // Until a checkpoint is a second old it can't be told from one that follows a crash, and lost news stay lost.
  const settled = "SELECT checkpoint_time < date_trunc('second', now()) AS is FROM pg_control_checkpoint()";
  while (!(await database.query<{ is: boolean }>(settled)).rows[0]?.is) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    name: `PGlite, PostgreSQL ${rows[0]?.server_version}`,
    url: `postgres://postgres:hunter2@${server.getServerConn()}/postgres?sslmode=disable`,
    exec: async (sql) => {
      await database.exec(sql);
    },
    stop: async () => {
      await server.stop();
      await database.close();
    },
  };
}

/** Where PostgreSQL's programs are: on the PATH, or where Debian puts them (the newest); null where there are none. */
function programs(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) ?? null;
}

const PASSWORD = 'correct horse/battery@staple';

/**
 * A real PostgreSQL in a temporary folder, on a free port, with a password. It won't run as root, so there it runs as the
 * user `postgres`, else `nobody`.
 * @returns why there can be none, where there can't
 */
export async function startPostgres({ tls = false } = {}): Promise<RealPostgres | { missing: string }> {
  const folder = programs();
  if (folder === null)
    return { missing: 'PostgreSQL is not installed here: no initdb on the PATH or in /usr/lib/postgresql' };
  const user = process.getuid?.() === 0 ? anotherUser() : null;
  if (user === null && process.getuid?.() === 0)
    return { missing: "PostgreSQL won't run as root, and there is no other user" };
  const home = mkdtempSync(join(tmpdir(), 'babelq-postgres-'));
  const data = join(home, 'data');
  if (user !== null) chownSync(home, user.uid, user.gid);
  const as = { uid: user?.uid, gid: user?.gid, cwd: home, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } };
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(join(folder, program), args, { ...as, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  writeFileSync(join(home, 'password'), PASSWORD);
  run('initdb', [
    '-D',
    data,
    '-U',
    'babelq',
    '--auth=scram-sha-256',
    `--pwfile=${join(home, 'password')}`,
    '-E',
    'UTF8',
    '-N',
  ]);
  const port = await freePort();
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      `port = ${port}`,
      `listen_addresses = '127.0.0.1'`,
      `unix_socket_directories = '${home}'`,
      `ssl = ${tls ? 'on' : 'off'}`,
      '',
    ].join('\n'),
  );
  let rootCert: string | null = null;
  if (tls) {
    rootCert = join(data, 'server.crt');
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    const files = ['-keyout', join(data, 'server.key'), '-out', rootCert, '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...request, ...files], { ...as, stdio: 'pipe' });
  }
  const url = `postgres://babelq:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | null = null;
  const up = async (): Promise<void> => {
    // The server ends with this process, however that ends: its standard input is closed then.
    const guarded = `"${join(folder, 'postgres')}" -D "${data}" >"${home}/log" 2>&1 & p=$!; cat >/dev/null; kill -QUIT $p; wait $p`;
    server = spawn('sh', ['-c', guarded], { ...as, stdio: ['pipe', 'ignore', 'ignore'] });
    const until = Date.now() + 60_000;
    for (;;) {
      try {
        return await execOver(url, 'SELECT 1');
      } catch (error) {
        if (Date.now() > until) throw new Error(`PostgreSQL did not start: see ${home}/log`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
    }
  };
  const halt = (how: string): void => {
    run('pg_ctl', ['-D', data, '-w', '-m', how, 'stop']);
    server?.stdin?.end();
  };
  await up();
  return {
    name: run('postgres', ['--version']).trim(),
    url,
    rootCert,
    exec: (sql) => execOver(url, sql),
    halt,
    resume: up,
    stop: async () => {
      if (existsSync(join(data, 'postmaster.pid'))) halt('immediate');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** The server that BABELQ_TEST_POSTGRES names, else one of this machine's own; why not, where there is none. */
export async function realPostgres(): Promise<PostgresServer | { missing: string }> {
  const url = process.env.BABELQ_TEST_POSTGRES;
  if (url === undefined || url === '') return startPostgres();
  return { name: 'the server of BABELQ_TEST_POSTGRES', url, exec: (sql) => execOver(url, sql), stop: async () => {} };
}

/** Runs statements over a connection of its own. */
async function execOver(url: string, sql: string): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function anotherUser(): { uid: number; gid: number } | null {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (what: string): number =>
        Number(execFileSync('id', [what, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // No such user.
    }
  }
  return null;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
