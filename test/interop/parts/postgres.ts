import { startPostgres } from '../../support/postgres-server.ts';
import { NotHere, type Part } from './part.ts';

/** A database server of its own, with nothing in it; what it holds is gone when it ends. */
export const postgres: Part = {
  name: 'postgres',
  origin: "the machine's own, or Debian's",
  version: null,
  async start() {
    const server = await startPostgres();
    if ('missing' in server) throw new NotHere(server.missing);
    const version = /\(PostgreSQL\) (\S+)/.exec(server.name)?.[1] ?? '?';
    return { version, facts: { url: server.url }, close: () => server.stop() };
  },
};
