/** Another process that writes to a journal: says `begun`, then each entry's number once it is promised to be on disk. */
import { openJournal } from '../../src/adapters/journal/journal.ts';
import { anIntent, aStart } from './journal-samples.ts';
import { wallClock } from './wall-clock.ts';

const [path = '', name = '', count = '0'] = process.argv.slice(2);
const journal = openJournal({ path, clock: wallClock, create: true });
const run = await journal.begin(aStart('dismiss', { by: name }));
process.stdout.write('begun\n');
const writers = Array.from({ length: 4 }, async (_, writer) => {
  for (let n = writer; n < Number(count); n += 4) {
    const [entry] = await journal.intend(run, [anIntent(`${name}-${n}`)]);
    process.stdout.write(`${entry} ${name}-${n}\n`);
  }
});
await Promise.all(writers);
await journal.close();
