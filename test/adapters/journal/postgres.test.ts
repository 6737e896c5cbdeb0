import { afterAll, beforeAll } from 'vitest';
import { openPostgresJournal } from '../../../src/adapters/journal/postgres/journal.ts';
import type { Clock, Journal } from '../../../src/model/ports.ts';
import { journalContract } from '../../support/journal-contract.ts';
import { type PostgresServer, startPglite } from '../../support/postgres-server.ts';
import { wallClock } from '../../support/wall-clock.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPglite();
});
afterAll(() => server.stop());

let homes = 0;
journalContract('the journal in PostgreSQL (PGlite)', () => {
  homes += 1;
  const schema = `home_${homes}`;
  const opened: Journal[] = [];
  return {
    open: (clock: Clock) => {
      const journal = openPostgresJournal({ url: `${server.url}&schema=${schema}`, clock: wallClock, time: () => clock.now() });
      opened.push(journal);
      return journal;
    },
    dispose: async () => {
      await Promise.all(opened.map((journal) => journal.close()));
      await server.exec(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
});
