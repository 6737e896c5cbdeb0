import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { journalOver, openJournal } from '../../../src/adapters/journal/journal.ts';
import type { Journal } from '../../../src/model/ports.ts';
import { journalContract } from '../../support/journal-contract.ts';

journalContract('the journal in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-journal-'));
  const opened: Journal[] = [];
  return {
    open: (clock) => {
      const journal = openJournal({ path: join(folder, 'state', 'journal.db'), clock, create: true });
      opened.push(journal);
      return journal;
    },
    dispose: async () => {
      for (const journal of opened) await journal.close();
      rmSync(folder, { recursive: true });
    },
  };
});

journalContract('the journal over a database that is shared in memory', () => {
  const database = new Sqlite(':memory:');
  return {
    open: (clock) => journalOver(database, clock),
    dispose: async () => void database.close(),
  };
});
