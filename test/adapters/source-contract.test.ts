import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openJadpoSource } from '../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import { openFolderSource } from '../support/example-source/source.ts';
import { createJadpoFile, insertParked, parkedRow } from '../support/jadpo-table.ts';
import { sourceContract } from '../support/source-contract.ts';

sourceContract('a folder, the example', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-source-'));
  for (const part of ['failed', 'inbox']) mkdirSync(join(folder, part));
  const inside = (part: string) => async () =>
    readdirSync(join(folder, part))
      .map((name) => name.replace(/\.json$/, ''))
      .sort();
  return {
    open: (deps) => openFolderSource({ name: 'mail', folder }, deps),
    openNowhere: (deps) => openFolderSource({ name: 'nowhere', folder: join(folder, 'nowhere') }, deps),
    put: async (ids) => {
      for (const id of ids)
        writeFileSync(join(folder, 'failed', `${id}.json`), JSON.stringify({ id, reason: 'bounced' }));
    },
    failed: inside('failed'),
    givenBack: inside('inbox'),
    journal: (clock) => openJournal({ path: join(folder, 'journal.db'), clock, create: true }),
    close: async () => rmSync(folder, { recursive: true }),
  };
});

sourceContract("a jadpo app's parked messages", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-source-'));
  const path = join(folder, 'local.sqlite');
  createJadpoFile(path, []);
  const app = new Database(path);
  const inState = (status: string) => async () =>
    app
      .prepare<[string], string>('SELECT id FROM jadpo_parked_messages WHERE status = ? ORDER BY id')
      .pluck()
      .all(status);
  return {
    open: (deps) => openJadpoSource({ name: 'warehouse', database: path }, deps),
    openNowhere: (deps) => openJadpoSource({ name: 'nowhere', database: join(folder, 'nowhere.sqlite') }, deps),
    put: async (ids) =>
      insertParked(
        app,
        ids.map((id) => parkedRow({ id })),
      ),
    failed: inState('failed'),
    givenBack: inState('pending'),
    journal: (clock) => openJournal({ path: join(folder, 'journal.db'), clock, create: true }),
    close: async () => {
      app.close();
      rmSync(folder, { recursive: true });
    },
  };
});
