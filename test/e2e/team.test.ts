import { afterAll } from 'vitest';
import { realPostgres, startPglite } from '../support/postgres-server.ts';
import { teamSuite } from '../support/team-suite.ts';

const real = await realPostgres();
const server = 'missing' in real ? await startPglite() : real;
afterAll(() => server.stop());

// PGlite has one session for all: nobody else may be in the middle of something there.
teamSuite(`a team with one journal in ${server.name}`, server, { atOnce: server === real });
