import type { WholeFailure } from '../../model/failure.ts';
import { type Filter, matches } from '../../model/filter.ts';
import { ORDERS, type Order } from './orders.ts';

export interface ArrangeRequest {
  /** What was read, a list a source. */
  failures: readonly (readonly WholeFailure[])[];
  filter: Filter;
  order: Order;
  selection: ReadonlySet<string>;
  now: number;
}

export interface Arrangement {
  rows: readonly WholeFailure[];
  soon: number;
  hidden: number;
}

const SOON_MS = 6 * 3_600_000;
/** Failures looked at between two breaths: well under the time in which a key must be answered. */
const SLICE = 1000;
const SORTED_AT_ONCE = 4000;

/** Filters and orders what was read. A generator, so that keys are answered between its steps however much there is. */
export function* arrange(request: ArrangeRequest): Generator<void, Arrangement> {
  const { filter, now, selection } = request;
  const rows: WholeFailure[] = [];
  let soon = 0;
  let selected = 0;
  let looked = 0;
  for (const failures of request.failures) {
    for (const failure of failures) {
      looked += 1;
      if (looked % SLICE === 0) yield;
      if (!matches(filter, failure, now)) continue;
      rows.push(failure);
      if (failure.expires_at !== null && Date.parse(failure.expires_at) - now < SOON_MS) soon += 1;
      if (selection.has(failure.id)) selected += 1;
    }
  }
  const sorted = yield* sort(rows, ORDERS[request.order].compare);
  return { rows: sorted, soon, hidden: selection.size - selected };
}

/** A merge sort with breaths in it. */
function* sort<T>(items: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += SORTED_AT_ONCE) {
    runs.push(items.slice(at, at + SORTED_AT_ONCE).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const right = runs[at + 1];
      merged.push(right === undefined ? (runs[at] ?? []) : yield* merge(runs[at] ?? [], right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Generator<void, T[]> {
  const out: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    const a = left[l] as T;
    const b = right[r] as T;
    if (compare(a, b) <= 0) {
      out.push(a);
      l += 1;
    } else {
      out.push(b);
      r += 1;
    }
    if (out.length % SORTED_AT_ONCE === 0) yield;
  }
  for (; l < left.length; l++) out.push(left[l] as T);
  for (; r < right.length; r++) out.push(right[r] as T);
  return out;
}
