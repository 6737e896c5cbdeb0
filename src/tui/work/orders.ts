import type { WholeFailure } from '../../model/failure.ts';
import { byUrgency, newestFirst } from '../../model/order.ts';

type Compare = (a: WholeFailure, b: WholeFailure) => number;

/** The orders that `o` goes through. */
export const ORDERS = {
  urgency: { says: 'most urgent first', compare: byUrgency },
  newest: { says: 'newest first', compare: newestFirst },
  queue: { says: 'by queue', compare: by(({ queue }) => queue) },
  reason: { says: 'by reason', compare: by(({ reason }) => reason) },
  subject: { says: 'by subject', compare: by(({ subject }) => subject) },
  cause: { says: 'by cause', compare: by(({ fingerprint }) => fingerprint) },
} as const satisfies Record<string, { says: string; compare: Compare }>;

export type Order = keyof typeof ORDERS;

const NAMES = Object.keys(ORDERS) as Order[];

export function nextOrder(order: Order): Order {
  return NAMES[(NAMES.indexOf(order) + 1) % NAMES.length] ?? 'urgency';
}

/** By a text, those without one last, and the most urgent first among those with the same. */
function by(pick: (failure: WholeFailure) => string | null): Compare {
  return (a, b) => {
    const left = pick(a) ?? '\uffff';
    const right = pick(b) ?? '\uffff';
    return left < right ? -1 : left > right ? 1 : byUrgency(a, b);
  };
}
