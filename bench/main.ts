/**
 * `npm run bench [-- --json] [-- --only start,redrive] [-- --rounds 5]`: babelq's built bin against the least that must
 * be done, and against what people use today, in turn in one run. Rates depend on the machine; the ratios are what is
 * promised.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asJson, asText, type Figure, type Suite } from './report.ts';
import { against } from './suites/against.ts';
import { deep } from './suites/deep.ts';
import { latency } from './suites/latency.ts';
import { listing } from './suites/listing.ts';
import { memory } from './suites/memory.ts';
import { redrive } from './suites/redrive.ts';
import { rows } from './suites/rows.ts';
import { screens } from './suites/screens.ts';
import { start } from './suites/start.ts';
import { team } from './suites/team.ts';

const SUITES: Record<string, Suite> = {
  start,
  redrive,
  latency,
  listing,
  memory,
  rows,
  deep,
  screens,
  against,
  team,
};

const { values } = parseArgs({
  options: { json: { type: 'boolean' }, only: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
const rounds = Number(values.rounds);
const chosen = (values.only?.split(',') ?? Object.keys(SUITES)).map((name) => {
  const suite = SUITES[name];
  if (suite === undefined) throw new Error(`No suite ${name}; there are ${Object.keys(SUITES).join(', ')}.`);
  return suite;
});
const folder = mkdtempSync(join(tmpdir(), 'babelq-bench-'));
const figures: Figure[] = [];
const notes: string[] = [];
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// What is cut short cleans up too.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
for (const suite of chosen) {
  const found = await suite({ rounds, folder });
  figures.push(...found.figures);
  notes.push(...(found.notes ?? []));
}
process.stdout.write((values.json === true ? asJson : asText)({ figures, notes }, rounds));
