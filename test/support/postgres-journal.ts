import { postgresCare } from '../../src/adapters/journal/postgres/care.ts';
import { openPostgresJournal } from '../../src/adapters/journal/postgres/journal.ts';
import type { Journal } from '../../src/model/ports.ts';
import type { CaredHome } from './journal-care-contract.ts';
import type { PostgresServer } from './postgres-server.ts';
import { wallClock } from './wall-clock.ts';

let homes = 0;

/** A journal of its own on a server, as several processes see it; its time is the test's. */
export function postgresHome(server: PostgresServer): CaredHome {
  homes += 1;
  const schema = `home_${process.pid}_${homes}`;
  const url = inSchema(server.url, schema);
  const opened: Journal[] = [];
  return {
    open: (clock) => {
      const journal = openPostgresJournal({ url, clock: wallClock, env: {}, time: () => clock.now() });
      opened.push(journal);
      return journal;
    },
    care: (clock) => postgresCare({ url, clock: wallClock, env: {}, time: () => clock.now() }),
    dispose: async () => {
      await Promise.all(opened.map((journal) => journal.close()));
      await server.exec(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}

export function inSchema(url: string, schema: string): string {
  const address = new URL(url);
  address.searchParams.set('schema', schema);
  return address.href;
}
