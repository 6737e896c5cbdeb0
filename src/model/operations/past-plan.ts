import type { ActionItem } from '../action.ts';
import { sayDoneBefore } from '../display/done-before.ts';
import { itemFor, type Plan, type PlannedItem } from '../plan.ts';
import type { Journal, LogEntry } from '../ports.ts';

/** Ids that the journal is asked about at once. */
const ASKED = 500;

/** What the journal knows of a kept plan's messages since it was made. */
export interface PastPlan {
  /** Items that need nothing more, by id: carried out as planned since, or otherwise. */
  settled: Map<string, ActionItem>;
  /** Of others the newest entry since. */
  begun: Map<string, LogEntry>;
}

/**
 * Looks up what became of a plan's messages since it was made, so that a plan that was carried out, in whole or in part,
 * is done and not done again. Only what came to its end counts: what is uncertain is judged by whoever meets the message.
 */
export async function pastOfPlan(journal: Journal, plan: Plan): Promise<PastPlan> {
  const past: PastPlan = { settled: new Map(), begun: new Map() };
  if (plan.madeAt === undefined) return past;
  const items = new Map(plan.items.filter(({ blocked }) => blocked === null).map((item) => [item.id, item]));
  const ids = [...items.keys()];
  for (let at = 0; at < ids.length; at += ASKED) {
    const entries = await journal.log({ ids: ids.slice(at, at + ASKED), since: plan.madeAt });
    for (const entry of entries) {
      const item = items.get(entry.id);
      // Newest first; a restoration is also found by the id that it gave, which is another message's story.
      if (item === undefined || entry.action === 'import' || past.settled.has(entry.id)) continue;
      if (entry.outcome === 'done' && entry.action === plan.action)
        past.settled.set(entry.id, settledItem(item, entry));
      else if (!past.begun.has(entry.id) && entry.outcome !== 'failed' && entry.outcome !== 'overtaken') {
        past.begun.set(entry.id, entry);
      }
    }
  }
  return past;
}

function settledItem(item: PlannedItem, entry: LogEntry): ActionItem {
  const { id, reason, to } = item;
  if (to !== null && to !== entry.to) {
    return itemFor(id, reason, 'skipped', { to, detail: `${sayDoneBefore(entry)}, to ${entry.to ?? 'elsewhere'}.` });
  }
  return itemFor(id, reason, 'done', { to, new_id: entry.new_id, detail: `${sayDoneBefore(entry)}.` });
}

/**
 * What to say of a planned message that wasn't met.
 * @param sawAll whether it would have been met, had it been there
 */
export function unmetItem(item: ActionItem, plan: Plan, entry: LogEntry | undefined, sawAll: boolean): ActionItem {
  if (entry === undefined) return item;
  // Its send was confirmed, and it lies here no more: only the end of it was never written down.
  if (sawAll && entry.action === plan.action && entry.outcome === 'uncertain' && entry.new_id !== null) {
    const { to, new_id, reason, possible_double } = entry;
    const detail = `Run ${entry.run} sent it, and it doesn't lie here any more.`;
    return itemFor(item.id, reason, 'done', { to, new_id, possible_double, detail });
  }
  if (entry.outcome !== 'done') return item;
  return { ...item, reason: entry.reason, detail: `${sayDoneBefore(entry)}.` };
}
