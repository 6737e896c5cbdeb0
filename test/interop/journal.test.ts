import { afterAll, describe } from 'vitest';
import { journalCareContract } from '../support/journal-care-contract.ts';
import { journalContract } from '../support/journal-contract.ts';
import { postgresHome } from '../support/postgres-journal.ts';
import { realPostgres } from '../support/postgres-server.ts';

const server = await realPostgres();

describe.skipIf('missing' in server)('on a real PostgreSQL', () => {
  if ('missing' in server) return;
  afterAll(() => server.stop());
  journalContract('the journal', () => postgresHome(server));
  journalCareContract('the journal', 'postgres', () => postgresHome(server));
});
