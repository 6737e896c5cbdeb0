import { createHash } from 'node:crypto';
import type { Action, ActionItem } from './action.ts';
import type { Failure, State, WholeFailure } from './failure.ts';

/** One message that an action would take, as the first pass saw it. Small, since a queue may hold a hundred thousand. */
export interface PlannedItem {
  id: string;
  source: string;
  nativeId: string;
  /** Empty where it wasn't found. */
  reason: string;
  queue: string | null;
  to: string | null;
  /** The state it was in; absent where it wasn't found, or in a plan that doesn't say. */
  state?: State;
  /** SHA-256 (hex) of its stored body; absent where the state is. */
  digest?: string;
  /** Why it can't be done, in one sentence; null where it can. */
  blocked: string | null;
  /** What an edit changes in it, in words. */
  changes?: string | null;
  /** A run that ended in the middle may have sent it already. */
  possibleDouble?: true;
  /** Where `to` is, in words, where that isn't the source's own account and region. */
  elsewhere?: string;
}

export interface Plan {
  action: Action;
  items: PlannedItem[];
  /**
   * Set where it was made earlier and kept (`--plan`), in milliseconds: what the journal knows to have been done since
   * isn't done again.
   */
  madeAt?: number;
}

/** What of a plan can be done. */
export function doableItems({ items }: Pick<Plan, 'items'>): PlannedItem[] {
  return items.filter(({ blocked }) => blocked === null);
}

/** SHA-256 (hex) of a body as it is stored: a row's key may be another message's by the time a plan is carried out. */
export function bodyDigest({ body, body_base64 }: Pick<WholeFailure, 'body' | 'body_base64'>): string {
  const stored = body ?? Buffer.from(body_base64 ?? '', 'base64');
  return createHash('sha256').update(stored).digest('hex');
}

/** What a person said yes to is what was shown: evidence may have changed since (a policy, a queue that is gone). */
export function changedTarget(shown: string | null, now: string | null): string | null {
  return shown === null || shown === now ? null : `It was to go to ${shown}, and now would go to ${now ?? 'nowhere'}.`;
}

/** Says that a message isn't the one that was shown, by its body; null where it is, or where a body wasn't noted. */
export function changedDigest(shown: string | undefined, now: string | undefined): string | null {
  const same = shown === undefined || now === undefined || shown === now;
  return same ? null : 'Its body is another than the one that was planned.';
}

/** Why this action can't be done to this failure, in one sentence; null where it can. The rule for every face and source. */
export function blockedFor(action: Action, failure: Failure): string | null {
  switch (action) {
    case 'retry':
      return failure.retry_blocked;
    case 'dismiss':
      return failure.state === 'dismissed' ? 'It is dismissed already.' : null;
    case 'restore':
      return failure.state === 'dismissed' ? null : `It isn't dismissed: its state is ${failure.state}.`;
  }
}

/**
 * Where an action puts a message, as items and confirmations name it; null for a jadpo row, which stays in its table.
 * @param heldIn the source's dead-letter queue, where a restoration puts it back
 */
export function destinationOf(action: Action, failure: Failure, heldIn: string): string | null {
  if (failure.origin === 'jadpo') return null;
  if (action === 'retry') return failure.retry_to;
  return action === 'dismiss' ? 'archive' : heldIn;
}

/** An item that was not acted on, or not yet. */
export function itemFor(
  id: string,
  reason: string | null,
  outcome: ActionItem['outcome'],
  rest: Partial<ActionItem> = {},
): ActionItem {
  return {
    id,
    reason,
    outcome,
    to: null,
    new_id: null,
    returned: null,
    possible_double: false,
    detail: null,
    ...rest,
  };
}

/** An item of a run for what can't be done. */
export function blockedItem({ id, reason, to, blocked }: PlannedItem): ActionItem {
  return itemFor(id, reason || null, 'skipped', { to, detail: blocked });
}

/** The plan as the document that `--dry-run` prints: what can't be done is `skipped`. */
export function plannedItem(item: PlannedItem): ActionItem {
  return {
    ...(item.blocked === null
      ? itemFor(item.id, item.reason || null, 'planned', {
          to: item.to,
          possible_double: item.possibleDouble ?? false,
          detail: item.changes ?? null,
        })
      : blockedItem(item)),
    queue: item.queue,
    ...(item.state !== undefined && { state: item.state }),
    ...(item.digest !== undefined && { body_sha256: item.digest }),
  };
}

/** One line of a confirmation: so many from this queue, for this reason, to there. */
export interface PlanLine {
  queue: string | null;
  reason: string;
  to: string | null;
  count: number;
  /** Where `to` is, in words, where that isn't the source's own account and region. */
  elsewhere?: string;
  /** Set on lines of what can't be done. */
  blocked: string | null;
}

/** What a confirmation shows: the counts by queue, reason and target, most first; what can't be done after that. */
export function summarise(plan: Pick<Plan, 'items'>): PlanLine[] {
  const lines = new Map<string, PlanLine>();
  for (const { queue, reason, to, blocked, elsewhere } of plan.items) {
    const key = JSON.stringify([queue, reason, to, blocked, elsewhere]);
    const line = lines.get(key);
    if (line) line.count += 1;
    else lines.set(key, { queue, reason, to, count: 1, blocked, ...(elsewhere !== undefined && { elsewhere }) });
  }
  return [...lines.values()].sort(
    (a, b) => Number(a.blocked !== null) - Number(b.blocked !== null) || b.count - a.count,
  );
}
