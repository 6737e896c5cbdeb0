import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createJadpoFile, parkedRow } from '../../test/support/jadpo-table.ts';
import { BIN } from '../on-sqs.ts';
import { PseudoTerminal } from '../pseudo-terminal.ts';
import type { Figure, Suite } from '../report.ts';

const FAILURES = 100_000;
/** Keys of each kind, a round. */
const KEYS = 40;
/** A key that is held down comes so often, in milliseconds; and so often who types. */
const REPEATED_MS = 33;
const TYPED_MS = 120;
/** An Esc may begin a longer key: so long it is waited for what follows. */
const ESC_MS = 200;
const IDLE_MS = 10_000;
/** What a person takes for at once. */
const AT_ONCE_MS = 50;

const DOWN = '\x1b[B';
const PAGE_DOWN = '\x1b[6~';
const ESC = '\x1b';
const ENTER = '\r';
const BACKSPACE = '\x7f';

/** How long a key waits for its frame, in a real pseudo-terminal, with a hundred thousand failures loaded. */
export const screens: Suite = async ({ rounds, folder }) => {
  if (process.platform !== 'linux' || spawnSync('script', ['--version']).status !== 0) {
    return { figures: [], notes: ["The screens were not measured: that needs Linux, and util-linux's script."] };
  }
  const database = join(folder, 'many.db');
  createJadpoFile(database, manyRows());
  const terminal = new PseudoTerminal({
    command: [process.execPath, BIN, 'tui', '--limit', 'all', '--jadpo', database],
    environment: { HOME: folder, XDG_STATE_HOME: folder },
    columns: 120,
    rows: 40,
    folder,
  });
  try {
    await terminal.shows('now; nothing is held');
    const figures = await measureKeys(terminal, rounds);
    return { figures: [...figures, ...(await measureIdling(terminal))] };
  } finally {
    await terminal.close();
  }
};

async function measureKeys(terminal: PseudoTerminal, rounds: number): Promise<Figure[]> {
  const times: Record<string, number[]> = { move: [], filter: [], sort: [], 'open and back': [] };
  const settled: number[] = [];
  const timed = async (kind: string, key: string, after = REPEATED_MS) => {
    times[kind]?.push(await terminal.press(key));
    await pause(after);
  };
  // Where the groups come first, all failures in one list.
  await terminal.press('\t').catch(() => undefined);
  for (let round = 0; round < rounds; round += 1) {
    const moves = ['j', DOWN, PAGE_DOWN, 'G', 'k', 'g', 'j', ' '];
    for (let at = 0; at < KEYS; at += 1) await timed('move', moves[at % moves.length] ?? 'j');
    for (let at = 0; at < KEYS / 8; at += 1) {
      await timed('filter', '/');
      for (const letter of 'order') await timed('filter', letter, TYPED_MS);
      settled.push(await terminal.pressUntil('9', ' match'));
      for (const letter of [BACKSPACE, BACKSPACE]) await timed('filter', letter, TYPED_MS);
      await terminal.press(ESC);
      await pause(ESC_MS);
    }
    for (let at = 0; at < KEYS / 4; at += 1) {
      await timed('sort', 'o', 4 * TYPED_MS);
    }
    for (let at = 0; at < KEYS / 2; at += 1) {
      await timed('open and back', ENTER);
      await timed('open and back', 'q');
      await timed('move', 'j');
    }
  }
  const figures = Object.entries(times).flatMap(([kind, all]): Figure[] => [
    { name: `key to frame, ${kind}, p50`, value: quantile(all, 0.5), unit: 'ms' },
    { name: `key to frame, ${kind}, p95`, value: quantile(all, 0.95), unit: 'ms', target: { most: AT_ONCE_MS } },
  ]);
  return [
    ...figures,
    { name: 'a filter typed to all of its matches shown, p50', value: quantile(settled, 0.5), unit: 'ms' },
  ];
}

/** While nobody presses a key: only ages may tick. */
async function measureIdling(terminal: PseudoTerminal): Promise<Figure[]> {
  await pause(3000);
  const [cpu, written] = [terminal.cpuMs, terminal.written];
  await pause(IDLE_MS);
  return [
    { name: 'idle, share of a core', value: ((terminal.cpuMs - cpu) / IDLE_MS) * 100, unit: '%', target: { most: 1 } },
    { name: `idle, written to the terminal in ${IDLE_MS / 1000} s`, value: terminal.written - written, unit: 'bytes' },
  ];
}

function manyRows(): ReturnType<typeof parkedRow>[] {
  const now = Date.now();
  return Array.from({ length: FAILURES }, (_, at) =>
    parkedRow({
      id: `p${at}`,
      event: `Order${['Shipped', 'Returned', 'Lost'][at % 3]}`,
      queue: `warehouse_${at % 7}`,
      body: JSON.stringify({ id: at, type: 'order.shipped', data: { order_id: at, carrier: 'DHL', total: 99.9 } }),
      parked_at: new Date(now - at * 1000).toISOString(),
    }),
  );
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
