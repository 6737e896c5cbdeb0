import { openJadpoSource } from '../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { Clock } from '../../src/model/ports.ts';

/** What is printed. */
export interface Listed {
  ids: string[];
  note: string | null;
}

/** Lists a file's parked messages, in a process that a test can start as another user. */
const [path = ''] = process.argv.slice(2);
const clock: Clock = { now: Date.now, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) };
const journal = openJournal({ path: `${path}.journal`, clock, create: false });
const source = openJadpoSource({ name: 'warehouse', database: path }, { journal, clock });
const ids: string[] = [];
const request = { states: new Set(['failed'] as const), allowReceive: false, signal: new AbortController().signal };
const { note } = await source.read(request, ({ id }) => {
  ids.push(id);
  return 'more';
});
await source.close();
const listed: Listed = { ids, note };
process.stdout.write(JSON.stringify(listed));
