import { chownSync, existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { freePort, keep, NotHere, type Part, run, scratch } from './part.ts';

const DEBIAN = '/usr/lib/postgresql';
const USER = 'babelq';

const NEEDED = ['initdb', 'postgres', 'pg_isready'];

/** Where this machine has all of Postgres's programs that are needed: by its PATH, or where Debian puts them. */
async function programs(): Promise<string> {
  const onPath = (await run('sh', ['-c', 'command -v initdb']).catch(() => '')).trim();
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(onPath === '' ? [] : [dirname(onPath), dirname(realpathSync(onPath))]),
    ...versions.map((version) => join(DEBIAN, version, 'bin')),
  ];
  const whole = folders.find((folder) => NEEDED.every((program) => existsSync(join(folder, program))));
  if (whole === undefined) throw new NotHere('this machine has no PostgreSQL server');
  return whole;
}

/** Postgres doesn't run as root: whom root starts it as. */
async function owner(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    const ids = await run('sh', ['-c', `id -u ${user} && id -g ${user}`]).catch(() => '');
    const [uid, gid] = ids.trim().split('\n').map(Number);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new NotHere('PostgreSQL does not run as root, and there is no other user here');
}

/** A database server of its own, with nothing in it; what it holds is gone when it ends. */
export const postgres: Part = {
  name: 'postgres',
  origin: "the machine's own, or Debian's",
  version: null,
  async start() {
    const bin = await programs();
    const user = await owner();
    const port = await freePort();
    const { folder, remove } = scratch('postgres');
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const data = join(folder, 'data');
    const as = { cwd: folder, ...(user !== undefined && { user }) };
    const server = [
      `"${bin}/initdb" -D "${data}" -U ${USER} -A trust -E UTF8 --locale=C --no-sync > "${folder}/initdb.log" 2>&1`,
      `exec "${bin}/postgres" -D "${data}" -p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`,
    ].join(' && ');
    const kept = await keep(
      ['sh', '-c', server],
      () => run(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]),
      as,
    );
    const address = `postgres://${USER}@127.0.0.1:${port}`;
    const version = /\(PostgreSQL\) (\S+)/.exec(await run(join(bin, 'postgres'), ['--version']))?.[1] ?? '?';
    const close = async () => {
      await kept.close();
      remove();
    };
    return { version, facts: { url: `${address}/postgres` }, close };
  },
};
