import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { APP_TABLES } from '../support/jadpo-app/app.ts';
import { parkedRows, workBesideTheApp } from '../support/jadpo-app/beside.ts';
import { sqliteAppStore } from '../support/jadpo-app/sqlite.ts';
import { JadpoSchema } from '../support/jadpo-postgres.ts';
import { createJadpoFile, JADPO_TABLE } from '../support/jadpo-table.ts';
import { realPostgres } from '../support/postgres-server.ts';

/** As many rows, for so long; JADPO_SECONDS for a longer or a shorter while. */
const ROWS = 100_000;
const FOR_MS = 1000 * Number(process.env.JADPO_SECONDS ?? 60);
const HOW = { forMs: FOR_MS, queued: 20_000, pauseMs: 20, seed: 11 };

test.concurrent('a hundred thousand rows in SQLite, with the app and two operators at them for a minute', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-app-'));
  const path = join(folder, 'local.sqlite');
  const rows = parkedRows(ROWS);
  createJadpoFile(path, rows, [JADPO_TABLE, ...APP_TABLES].join(';'));
  const { report, outcomes } = await workBesideTheApp(sqliteAppStore(path), rows, HOW);
  say('SQLite', report, outcomes);
  expect(report.kept.length + report.parkedAgain.length).toBeGreaterThan(100);
  rmSync(folder, { recursive: true });
}, 600_000);

test.concurrent('the same in PostgreSQL', async ({ skip }) => {
  const server = await realPostgres();
  if ('missing' in server) return skip(server.missing);
  const schema = await JadpoSchema.create(server);
  const rows = parkedRows(ROWS);
  for (let at = 0; at < rows.length; at += 10_000) await schema.insert(rows.slice(at, at + 10_000));
  const [space] = schema.table.split('.jadpo');
  for (const table of APP_TABLES) await schema.run(table.replace('CREATE TABLE ', `CREATE TABLE ${space}.`));
  const store = {
    address: schema.url,
    rows: () => schema.rows(),
    outbox: async () => (await schema.run(`SELECT id FROM ${space}.jadpo_outbox`)).map(([id]) => String(id)),
  };
  const { report, outcomes } = await workBesideTheApp(store, rows, HOW);
  say(server.name, report, outcomes);
  expect(report.kept.length + report.parkedAgain.length).toBeGreaterThan(100);
  await schema.drop();
  await server.stop();
}, 600_000);

function say(
  store: string,
  { ticks, received, kept, parkedAgain, slowest }: Awaited<ReturnType<typeof workBesideTheApp>>['report'],
  outcomes: Record<string, number>,
): void {
  process.stderr.write(
    `${store}: ${ticks} ticks, ${received} received, ${kept.length} kept, ${parkedAgain.length} parked again, the slowest transaction ${Math.round(slowest)} ms; ${JSON.stringify(outcomes)}\n`,
  );
}
