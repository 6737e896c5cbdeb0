import { whatWentWrong } from '../../model/display/reasons.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { byUrgency, newestFirst } from '../../model/order.ts';
import type { Group } from './grouping.ts';

/** An order, and which way round. */
export interface Sorting<O extends string> {
  readonly order: O;
  readonly reversed: boolean;
}

interface OrderOf<T> {
  readonly says: string;
  /** The title of the column that it goes by; null for one that goes by several. */
  readonly column: string | null;
  /** Whether the least comes first. */
  readonly ascending: boolean;
  readonly compare: (a: T, b: T) => number;
}

type Orders<T> = Readonly<Record<string, OrderOf<T>>>;

/** The orders of failures that `o` goes through, one a column. */
export const ORDERS = {
  urgency: { says: 'most urgent first', column: 'EXPIRES', ascending: true, compare: byUrgency },
  newest: { says: 'newest first', column: 'FAILED', ascending: false, compare: newestFirst },
  queue: { says: 'by queue', column: 'QUEUE', ascending: true, compare: byText(({ queue }) => queue) },
  subject: { says: 'by subject', column: 'SUBJECT', ascending: true, compare: byText(({ subject }) => subject) },
  reason: { says: 'by reason', column: 'REASON', ascending: true, compare: byText(({ reason }) => reason) },
  tries: {
    says: 'most tries first',
    column: 'TRIES',
    ascending: false,
    compare: (a, b) => (b.attempts ?? -1) - (a.attempts ?? -1) || byUrgency(a, b),
  },
  error: { says: 'by error', column: 'ERROR', ascending: true, compare: byText((one) => whatWentWrong(one) || null) },
  state: { says: 'by state', column: 'STATE', ascending: true, compare: byText(({ state }) => state) },
  id: { says: 'by id', column: 'ID', ascending: true, compare: byText(({ id }) => id) },
} as const satisfies Orders<WholeFailure>;

/** Stands for the title of the first column that tells what a group shares, whichever that is. */
export const SHARED = 'SHARED';

/**
 * The orders of groups. The worst first: what expires within six hours before what does not, since nobody can bring that
 * back; of these the one with most failures, then the one that failed last.
 */
export const GROUP_ORDERS = {
  worst: {
    says: 'worst first',
    column: null,
    ascending: false,
    compare: (a, b) => Number(b.soon > 0) - Number(a.soon > 0) || mostFirst(a, b),
  },
  count: { says: 'most first', column: 'COUNT', ascending: false, compare: mostFirst },
  shared: { says: 'by what they share', column: SHARED, ascending: true, compare: byKey },
  subject: { says: 'by subject', column: 'SUBJECT', ascending: true, compare: bySubject },
  last: { says: 'latest first', column: 'LAST', ascending: false, compare: latestFirst },
  expires: { says: 'soonest to expire first', column: 'EXPIRES', ascending: true, compare: soonestFirst },
  error: { says: 'by error', column: 'ERROR', ascending: true, compare: bySample },
} as const satisfies Orders<Group>;

export type Order = keyof typeof ORDERS;
export type GroupOrder = keyof typeof GROUP_ORDERS;

/** The order after this one; after the last the first. */
export function nextOrder<O extends string>(orders: Readonly<Record<O, unknown>>, order: O): O {
  const names = Object.keys(orders) as O[];
  return names[(names.indexOf(order) + 1) % names.length] ?? order;
}

/** Compares by an order, or by the same the other way round. */
export function compareBy<T, O extends string>(
  orders: Readonly<Record<O, OrderOf<T>>>,
  { order, reversed }: Sorting<O>,
): (a: T, b: T) => number {
  const { compare } = orders[order];
  return reversed ? (a, b) => compare(b, a) : compare;
}

/** In words: `by queue`, `most first, reversed`. */
export function saySorting<O extends string>(
  orders: Readonly<Record<O, { says: string }>>,
  { order, reversed }: Sorting<O>,
): string {
  return `${orders[order].says}${reversed ? ', reversed' : ''}`;
}

/** What stands after the title of the column that an order goes by: `COUNT▼`. */
export function wayOf<O extends string>(
  title: string,
  orders: Readonly<Record<O, { column: string | null; ascending: boolean }>>,
  { order, reversed }: Sorting<O>,
): string {
  const { column, ascending } = orders[order];
  if (column !== title) return '';
  return ascending === reversed ? '▼' : '▲';
}

/** By a text, those without one last, and the most urgent first among those with the same. */
function byText(pick: (failure: WholeFailure) => string | null): (a: WholeFailure, b: WholeFailure) => number {
  return (a, b) => ascending(pick(a), pick(b)) || byUrgency(a, b);
}

function mostFirst(a: Group, b: Group): number {
  return thereIn(b) - thereIn(a) || latestFirst(a, b);
}

/** How many are there still; a group that has left as a whole stays in its place for as long as it is in sight. */
function thereIn({ count, gone }: Group): number {
  return gone === count ? count : count - gone;
}

function latestFirst(a: Group, b: Group): number {
  return ascending(b.last_failed_at ?? '', a.last_failed_at ?? '') || ascending(a.name, b.name);
}

function soonestFirst(a: Group, b: Group): number {
  return ascending(a.expires_at, b.expires_at) || mostFirst(a, b);
}

function byKey(a: Group, b: Group): number {
  return ascending(sharedBy(a), sharedBy(b)) || mostFirst(a, b);
}

function bySubject(a: Group, b: Group): number {
  return ascending(a.key.subject ?? null, b.key.subject ?? null) || mostFirst(a, b);
}

function bySample(a: Group, b: Group): number {
  return ascending(a.sample, b.sample) || mostFirst(a, b);
}

/** What a group is known by in its first column. */
function sharedBy({ key }: Group): string | null {
  return key.reason ?? Object.values(key)[0] ?? null;
}

/** In code units; what isn't known comes last. */
function ascending(a: string | null, b: string | null): number {
  const left = a ?? '\uffff';
  const right = b ?? '\uffff';
  return left < right ? -1 : left > right ? 1 : 0;
}
