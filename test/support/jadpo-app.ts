import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';

/**
 * A jadpo app, as far as its parked messages go, in a process of its own: it ticks all the time, reads up to 20 pending
 * messages a tick, keeps every second one and parks the others again, and parks new ones. Started with `fork`; tells
 * what it did when it gets a message.
 */
export interface AppReport {
  ticks: number;
  kept: string[];
  parkedAgain: string[];
  added: string[];
  /** The longest that one of its transactions took, with waiting for its turn, in milliseconds. */
  slowest: number;
  errors: string[];
}

const [path = ''] = process.argv.slice(2);
const database = new Database(path, { timeout: 5000 });
const report: AppReport = { ticks: 0, kept: [], parkedAgain: [], added: [], slowest: 0, errors: [] };

const pending = database
  .prepare<[], string>(`SELECT id FROM jadpo_parked_messages WHERE status = 'pending' ORDER BY id LIMIT 20`)
  .pluck();
const keep = database.prepare('DELETE FROM jadpo_parked_messages WHERE id = ?');
const parkAgain = database.prepare(
  `UPDATE jadpo_parked_messages SET status = 'failed', reason = 'unreadable', status_at = ? WHERE id = ?`,
);
const add = database.prepare(
  `INSERT INTO jadpo_parked_messages VALUES (@id, 'new_queue', NULL, NULL, 'unlisted_type', '[]', @body, @digest, 'failed', @at, @at)`,
);

const tick = database.transaction(() => {
  const at = new Date().toISOString();
  for (const id of pending.all()) {
    if ((report.kept.length + report.parkedAgain.length) % 2 === 0) {
      keep.run(id);
      report.kept.push(id);
    } else {
      parkAgain.run(at, id);
      report.parkedAgain.push(id);
    }
  }
  const id = `new-${report.ticks}`;
  add.run({ id, body: id, digest: createHash('sha256').update(id).digest('hex'), at });
  report.added.push(id);
});

let running = true;
process.on('message', () => {
  running = false;
});

function loop(): void {
  if (!running) {
    database.close();
    process.send?.(report, () => process.exit(0));
    return;
  }
  const started = performance.now();
  try {
    tick.immediate();
    report.ticks += 1;
  } catch (error) {
    report.errors.push(error instanceof Error ? error.message : String(error));
  }
  report.slowest = Math.max(report.slowest, performance.now() - started);
  if (report.ticks === 1) process.send?.('ticking');
  setTimeout(loop, 10);
}
loop();
