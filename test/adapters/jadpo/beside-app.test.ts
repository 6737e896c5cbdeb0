import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { APP_TABLES, JadpoApp } from '../../support/jadpo-app/app.ts';
import { parkedRows, workBesideTheApp } from '../../support/jadpo-app/beside.ts';
import { openAppDatabase } from '../../support/jadpo-app/databases.ts';
import { messageBody } from '../../support/jadpo-app/messages.ts';
import { sqliteAppStore } from '../../support/jadpo-app/sqlite.ts';
import { createJadpoFile, JADPO_TABLE, type ParkedRow, parkedRow } from '../../support/jadpo-table.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'babelq-app-'));
  path = join(folder, 'local.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const create = (rows: readonly ParkedRow[]): void =>
  createJadpoFile(path, rows, [JADPO_TABLE, ...APP_TABLES].join(';'));

describe('the app that babelq is tried beside does what jadpo says', () => {
  const ticks = async (count: number, queue: readonly string[] = []): Promise<JadpoApp['report']> => {
    const database = await openAppDatabase(path);
    const app = new JadpoApp(database, queue);
    for (let n = 0; n < count; n += 1) await app.tick();
    await database.close();
    return app.report;
  };
  const left = (columns: string): unknown[] => {
    const database = new Database(path, { readonly: true });
    const rows = database.prepare(`SELECT ${columns} FROM jadpo_parked_messages ORDER BY id`).raw(true).all();
    database.close();
    return rows;
  };

  test('twenty retried messages a tick, read again with the build of now: kept, or parked again', async () => {
    const body = (order: number): string => JSON.stringify({ id: `m${order}`, type: 'order.shipped', order });
    create(Array.from({ length: 45 }, (_, n) => parkedRow({ id: String(n + 10), status: 'pending', body: body(n) })));
    const once = await ticks(1);
    expect([once.kept.length, once.parkedAgain.length]).toEqual([10, 10]);
    const twice = await ticks(2);
    expect([twice.kept.length, twice.parkedAgain.length]).toEqual([13, 12]);
    expect(new Set((left('status, problems') as string[][]).map(([status]) => status))).toEqual(new Set(['failed']));
  });

  test('ten batches of ten a tick; parked once per queue and body, and a repeat keeps nothing', async () => {
    create([]);
    const queue = Array.from({ length: 130 }, (_, n) => messageBody(`m${n}`, n));
    expect((await ticks(1, queue)).received).toBe(100);
    const again = await ticks(3, queue);
    expect(again).toMatchObject({ received: 130, keptAtOnce: 26 + 26 });
    expect(again.added).toHaveLength(78 - 60);
    expect(left('count(*)')).toEqual([[78]]);
    const database = new Database(path, { readonly: true });
    expect(database.prepare('SELECT count(*), count(DISTINCT id) FROM jadpo_outbox').raw(true).get()).toEqual([52, 52]);
    database.close();
  });

  test('a dismissed message is deleted thirty days after it was, and no other', async () => {
    const ago = (days: number): string => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    create([
      parkedRow({ id: 'a', status: 'dismissed', status_at: ago(31) }),
      parkedRow({ id: 'b', status: 'dismissed', status_at: ago(29) }),
      parkedRow({ id: 'c', status_at: ago(31) }),
    ]);
    expect((await ticks(1)).deleted).toEqual(['a']);
    expect(left('id')).toEqual([['b'], ['c']]);
  });
});

test('two operators work on the rows of an app that ticks: no row is lost, none done twice, none in a state nobody asked for', async () => {
  const rows = parkedRows(2000);
  create(rows);
  const { report, outcomes } = await workBesideTheApp(sqliteAppStore(path), rows, {
    forMs: 3000,
    queued: 1000,
    pauseMs: 5,
    seed: 7,
  });
  expect(report.ticks).toBeGreaterThan(3);
  expect(report.kept.length + report.parkedAgain.length).toBeGreaterThan(20);
  expect(outcomes['retry done']).toBeGreaterThan(100);
});
