import { afterAll, beforeAll } from 'vitest';
import { journalCareContract } from '../../support/journal-care-contract.ts';
import { journalContract } from '../../support/journal-contract.ts';
import { postgresHome } from '../../support/postgres-journal.ts';
import { type PostgresServer, startPglite } from '../../support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPglite();
});
afterAll(() => server.stop());

journalContract('the journal in PostgreSQL (PGlite)', () => postgresHome(server));
journalCareContract('the journal in PostgreSQL (PGlite)', 'postgres', () => postgresHome(server));
