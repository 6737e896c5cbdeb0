import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe } from 'vitest';
import { openJadpoSource } from '../../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../../src/adapters/journal/journal.ts';
import { jadpoContract } from '../../support/jadpo-contract.ts';
import { postgresBed } from '../../support/jadpo-postgres.ts';
import { createJadpoFile, insertParked, type ParkedRow } from '../../support/jadpo-table.ts';
import { startPglite } from '../../support/postgres-server.ts';

for (const mode of ['delete', 'wal']) {
  jadpoContract(`SQLite, journal mode ${mode}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'babelq-jadpo-'));
    const path = join(folder, 'local.sqlite');
    createJadpoFile(path, []);
    const app = new Database(path);
    app.pragma(`journal_mode = ${mode}`);
    return {
      open: (deps) => openJadpoSource({ name: 'warehouse', database: path }, deps),
      insert: async (rows) => insertParked(app, rows),
      rows: async () => app.prepare<[], ParkedRow>('SELECT * FROM jadpo_parked_messages ORDER BY id').all(),
      set: async (id, change) => {
        const columns = Object.keys(change).map((name) => `${name} = @${name}`);
        app
          .prepare(`UPDATE jadpo_parked_messages SET ${columns.join(', ')} WHERE id = @key`)
          .run({ ...change, key: id });
      },
      remove: async (id) => {
        app.prepare('DELETE FROM jadpo_parked_messages WHERE id = ?').run(id);
      },
      journal: (clock) => openJournal({ path: join(folder, 'journal.db'), clock, create: true }),
      close: async () => {
        app.close();
        rmSync(folder, { recursive: true });
      },
    };
  });
}

describe('PostgreSQL', async () => {
  const server = await startPglite();
  afterAll(() => server.stop());
  jadpoContract(server.name, () => postgresBed(server));
});
