import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { openJadpoSource } from '../../../src/adapters/jadpo/source.ts';
import { openJournal } from '../../../src/adapters/journal/journal.ts';
import type { Action } from '../../../src/model/action.ts';
import type { State } from '../../../src/model/failure.ts';
import { nativeIdOf } from '../../../src/model/ids.ts';
import type { ActRequest } from '../../../src/model/ports.ts';
import { actOn, readAll } from '../drive-source.ts';
import type { ParkedRow } from '../jadpo-table.ts';
import { parkedRow } from '../jadpo-table.ts';
import { wallClock } from '../wall-clock.ts';
import type { AppReport } from './app.ts';

/** Starts the app's process, and waits for its first tick. */
export async function startApp(
  address: string,
  { queued = 0, pauseMs = 10 } = {},
): Promise<{ stop(): Promise<AppReport>; kill(): void }> {
  const app: ChildProcess = fork(resolve(import.meta.dirname, 'process.ts'), [
    address,
    String(queued),
    String(pauseMs),
  ]);
  await once(app, 'message');
  return {
    stop: async () => {
      const answer = once(app, 'message');
      app.send('stop');
      const [report] = await answer;
      return report as AppReport;
    },
    kill: () => {
      app.kill();
    },
  };
}

/** The app's store, looked into when all is over. */
export interface AppStore {
  address: string;
  rows(): Promise<ParkedRow[]>;
  /** Ids in the outbox, each as often as it is there. */
  outbox(): Promise<string[]>;
}

const OLD = '2026-01-02T03:04:05.678Z';

/** Rows as an app parked them; every tenth was dismissed, and half of those so long ago that a tick deletes them. */
export function parkedRows(count: number): ParkedRow[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `r${String(n).padStart(7, '0')}`;
    const body = JSON.stringify({ id: `m${n}`, type: 'order.shipped', order: n });
    const dismissed =
      n % 10 === 0 ? { status: 'dismissed', status_at: n % 20 === 0 ? OLD : new Date().toISOString() } : {};
    return parkedRow({ id, body, message_id: `m${n}`, ...dismissed });
  });
}

interface Movements {
  retry: number;
  dismiss: number;
  restore: number;
}

/**
 * Two operators retry, dismiss and restore at random for a time, while the app ticks and receives; then everything that
 * was told is held against what is there.
 */
export async function workBesideTheApp(
  store: AppStore,
  rows: readonly ParkedRow[],
  { forMs, queued, pauseMs, seed }: { forMs: number; queued: number; pauseMs: number; seed: number },
): Promise<{ report: AppReport; outcomes: Record<string, number> }> {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-beside-'));
  const journal = openJournal({ path: join(folder, 'journal.db'), clock: wallClock, create: true });
  const moved = new Map<string, Movements>(rows.map(({ id }) => [id, { retry: 0, dismiss: 0, restore: 0 }]));
  const outcomes: Record<string, number> = {};
  const app = await startApp(store.address, { queued, pauseMs });
  try {
    const until = Date.now() + forMs;
    let state = seed;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const operate = async (): Promise<void> => {
      const source = openJadpoSource({ name: 'w', database: store.address }, { journal, clock: wallClock });
      while (Date.now() < until) {
        const action = (['retry', 'retry', 'dismiss', 'restore'] as const)[random(4)] ?? 'retry';
        const { items, error } = await actOn(source, journal, { action, selection: selected(action, rows, random) });
        expect(error).toBeNull();
        for (const { id, outcome } of items) {
          outcomes[`${action} ${outcome}`] = (outcomes[`${action} ${outcome}`] ?? 0) + 1;
          if (outcome !== 'done') continue;
          const movements = moved.get(id.slice(2)) ?? { retry: 0, dismiss: 0, restore: 0 };
          movements[action] += 1;
          moved.set(id.slice(2), movements);
        }
      }
      await source.close();
    };
    await Promise.all([operate(), operate()]);
    const report = await app.stop();
    await checkAfterwards(store, rows, moved, report);
    expect(await journal.log({ unfinished: true })).toEqual([]);
    // What can be read now is what is there.
    const source = openJadpoSource({ name: 'w', database: store.address }, { journal, clock: wallClock });
    const listed = new Set((await readAll(source)).failures.map(nativeIdOf));
    expect(listed).toEqual(new Set((await store.rows()).map(({ id }) => id)));
    await source.close();
    return { report, outcomes };
  } finally {
    app.kill();
    await journal.close();
    rmSync(folder, { recursive: true });
  }
}

/** Some rows by their ids, anywhere in the table, or what matches in a part of it. */
function selected(
  action: Action,
  rows: readonly ParkedRow[],
  random: (below: number) => number,
): ActRequest['selection'] {
  // What is dismissed while it is pending is what the app is about to read.
  if (random(action === 'dismiss' ? 2 : 20) === 0) {
    const digit = String(random(10));
    const from: State[] = {
      retry: ['failed' as const],
      dismiss: ['pending' as const],
      restore: ['dismissed' as const],
    }[action];
    return {
      kind: 'match',
      states: new Set(from),
      matches: ({ message_id }) => message_id?.endsWith(action === 'dismiss' ? digit : `${digit}7`) === true,
      startedAt: Date.now(),
    };
  }
  const count = 1 + random(300);
  const first = random(rows.length);
  const picked = Array.from({ length: count }, (_, n) => rows[(first + n * 7) % rows.length]?.id ?? '');
  return { kind: 'ids', ids: new Map(picked.map((id) => [id, { to: null }])) };
}

/**
 * Holds the rows that are left against what both sides say they did: no row lost, none kept twice, none in a state that
 * nobody asked for. A row goes failed → pending (retried), pending → failed (parked again) or gone (kept),
 * failed or pending → dismissed, dismissed → failed (restored) or gone (deleted after 30 days).
 */
async function checkAfterwards(
  store: AppStore,
  rows: readonly ParkedRow[],
  moved: ReadonlyMap<string, Movements>,
  report: AppReport,
): Promise<void> {
  expect(report.errors).toEqual([]);
  const times = (ids: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    return counts;
  };
  const [kept, again, deleted] = [report.kept, report.parkedAgain, report.deleted].map(times);
  const left = new Map((await store.rows()).map((row) => [row.id, row]));
  const wrong: string[] = [];
  const begun = [
    ...rows.map(({ id, status }) => ({ id, status })),
    ...report.added.map((id) => ({ id, status: 'failed' })),
  ];
  for (const { id, status } of begun) {
    const { retry, dismiss, restore } = moved.get(id) ?? { retry: 0, dismiss: 0, restore: 0 };
    const [K, P, X] = [kept?.get(id) ?? 0, again?.get(id) ?? 0, deleted?.get(id) ?? 0];
    const state = left.get(id)?.status ?? 'gone';
    // How many of the dismissals were of pending rows only the row itself knows; what is left must be one place.
    const fits = Array.from({ length: dismiss + 1 }, (_, ofPending) => ({
      failed: (status === 'failed' ? 1 : 0) - retry + P - (dismiss - ofPending) + restore,
      pending: (status === 'pending' ? 1 : 0) + retry - P - K - ofPending,
      dismissed: (status === 'dismissed' ? 1 : 0) + dismiss - restore - X,
      gone: K + X,
    })).some((places) => Object.entries(places).every(([place, count]) => count === (place === state ? 1 : 0)));
    if (!fits) wrong.push(`${id}: ${JSON.stringify({ begun: status, state, retry, dismiss, restore, K, P, X })}`);
  }
  expect(wrong.slice(0, 10)).toEqual([]);
  expect([...left.keys()].filter((id) => !moved.has(id) && !report.added.includes(id))).toEqual([]);
  // The bodies are what they were.
  const given = new Map(rows.map(({ id, body }) => [id, body]));
  expect([...left].filter(([id, { body }]) => given.has(id) && given.get(id) !== body)).toEqual([]);
  const outbox = await store.outbox();
  expect(new Set(outbox).size).toBe(outbox.length);
  expect(outbox.length).toBeGreaterThanOrEqual(report.kept.length);
}
