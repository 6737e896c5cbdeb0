import Database from 'better-sqlite3';
import { journalOver } from '../../../src/adapters/journal/journal.ts';
import { migrate } from '../../../src/adapters/journal/schema.ts';
import type { Clock, Journal } from '../../../src/model/ports.ts';

let template: Buffer | undefined;

/** A journal's database in memory, ready to be written to: to make one anew costs more than a whole schedule. */
export function emptyDatabase(): Database.Database {
  if (template === undefined) {
    const first = new Database(':memory:');
    migrate(first, ':memory:');
    template = first.serialize();
    first.close();
  }
  return new Database(template);
}

/** A journal of one process's own. */
export function memoryJournal(clock: Clock): Journal {
  return journalOver(emptyDatabase(), clock);
}
