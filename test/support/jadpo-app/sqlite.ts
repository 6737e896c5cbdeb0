import Database from 'better-sqlite3';
import type { ParkedRow } from '../jadpo-table.ts';
import type { AppStore } from './beside.ts';

/** An app's SQLite file, looked into. */
export function sqliteAppStore(path: string): AppStore {
  const ask = <T>(sql: string): T[] => {
    const database = new Database(path, { readonly: true });
    try {
      return database.prepare<[], T>(sql).all();
    } finally {
      database.close();
    }
  };
  return {
    address: path,
    rows: async () => ask<ParkedRow>('SELECT * FROM jadpo_parked_messages'),
    outbox: async () => ask<{ id: string }>('SELECT id FROM jadpo_outbox').map(({ id }) => id),
  };
}
