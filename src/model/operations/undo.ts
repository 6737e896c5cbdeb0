import type { Journal } from '../ports.ts';

/** A dismissal that can be undone. */
export interface Undoable {
  run: string;
  /** When it was dismissed: ISO 8601, UTC. */
  at: string;
  /** Of the run, what was dismissed and not restored since; never empty. */
  ids: string[];
}

/** How far back the log is searched, in messages. */
const SEARCHED = 10_000;

/** The last run in which `by` dismissed something of these sources that is still dismissed; null where there is none. */
export async function lastDismissal(
  journal: Journal,
  by: string,
  sources: readonly string[],
): Promise<Undoable | null> {
  const known = new Set(sources);
  const overtaken = new Set<string>();
  let last: Undoable | null = null;
  for (const entry of await journal.log({ limit: SEARCHED })) {
    if (
      !known.has(entry.source) ||
      entry.action === 'import' ||
      entry.outcome === 'failed' ||
      entry.outcome === 'overtaken'
    )
      continue;
    if (last !== null && entry.run === last.run) {
      if (!overtaken.has(entry.id) && entry.outcome === 'done') last.ids.push(entry.id);
    } else if (last === null && entry.action === 'dismiss' && entry.by === by && !overtaken.has(entry.id)) {
      if (entry.outcome === 'done') last = { run: entry.run, at: entry.at, ids: [entry.id] };
    }
    // Newest first: whatever was done to a message later says where it is now.
    overtaken.add(entry.id);
  }
  return last;
}
