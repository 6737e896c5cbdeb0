import { type Failure, type State, timeOf } from '../failure.ts';
import { expiry, failedAgo } from './age.ts';
import { escapeText } from './escape.ts';
import { errorLine } from './reasons.ts';
import type { Cell, Column } from './table.ts';

/** The columns of a listing, in the order in which they are read; the numbers say what goes first where it is narrow. */
const COLUMNS = {
  id: { title: 'ID' },
  state: { title: 'STATE', drop: 3 },
  queue: { title: 'QUEUE', least: 8, drop: 1 },
  subject: { title: 'SUBJECT', least: 12, cut: 'start' },
  reason: { title: 'REASON', least: 12 },
  tries: { title: 'TRIES', align: 'right', drop: 6 },
  failed: { title: 'FAILED', drop: 4 },
  expires: { title: 'EXPIRES', drop: 2 },
  error: { title: 'ERROR', least: 12, drop: 5 },
} as const satisfies Record<string, Column>;

export type FailureColumn = keyof typeof COLUMNS;

/** How what expires within 6 hours, and within 24, stands out. */
export interface ExpiryPaint {
  soon: (text: string) => string;
  near: (text: string) => string;
}

export interface FailureTable {
  columns: readonly Column[];
  /** A row's cells, escaped. @param id as it is shown @param now for the ages, in milliseconds */
  cells: (failure: Failure, id: string, now: number, paint: ExpiryPaint) => Cell[];
}

/**
 * The table of these failures: their state has a column only where it isn't `failed` for all.
 * @param without columns that say the same of all of them
 */
export function failureTable(failures: Iterable<Failure>, without: readonly FailureColumn[] = []): FailureTable {
  const states = new Set<State>();
  for (const { state } of failures) states.add(state);
  const showState = states.size > 1 || !states.has('failed');
  const keys = (Object.keys(COLUMNS) as FailureColumn[]).filter(
    (key) => (key !== 'state' || showState) && !without.includes(key),
  );
  return {
    columns: keys.map((key) => COLUMNS[key]),
    cells: (failure, id, now, paint) => {
      const cells = cellsOf(failure, id, now, paint);
      return keys.map((key) => cells[key]);
    },
  };
}

function cellsOf(failure: Failure, id: string, now: number, paint: ExpiryPaint): Record<FailureColumn, Cell> {
  return {
    id: { text: escapeText(id) },
    state: { text: failure.state },
    queue: { text: escapeText(failure.queue ?? '–') },
    subject: { text: escapeText(failure.subject ?? '–') },
    reason: { text: escapeText(failure.reason) },
    tries: { text: failure.attempts === null ? '–' : String(failure.attempts) },
    failed: { text: failedAgo(timeOf(failure), now, failure.failed_at === null ? 'sent_at' : 'failed_at') },
    expires: expiryCell(failure.expires_at, now, paint),
    error: { text: errorLine(failure) },
  };
}

/** When something expires. @param now in milliseconds */
export function expiryCell(iso: string | null, now: number, paint: ExpiryPaint): Cell {
  const expires = expiry(iso, now);
  if (expires === null) return { text: '–' };
  return { text: expires.short, ...(expires.level !== 'later' && { paint: paint[expires.level] }) };
}
