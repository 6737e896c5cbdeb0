import { BabelqError } from '../errors.ts';
import type { Journal, Source } from '../ports.ts';

/**
 * An empty answer from a journal that isn't there, or was named wrong, says nothing of what was done.
 * @param unknown what isn't known without it: `what was dismissed`
 * @returns the sentence that says so; null where there is a journal, or nobody can tell
 */
export async function sayNoJournal(journal: Journal, unknown: string): Promise<string | null> {
  if (!(await isMissing(journal))) return null;
  return `There is no journal there yet: ${unknown} is not known here (${journal.location}).`;
}

/** Whether it is surely not there yet, so that the first action makes it. */
export async function isMissing(journal: Journal): Promise<boolean> {
  const found = await journal.diagnose?.();
  return found !== undefined && !found.exists && found.trouble === null;
}

/** What ids that fit nothing might have been, where only a journal would know. */
export const DISMISSED = 'what was dismissed';

/**
 * Before a restoration begins one: it would be empty. A jadpo table keeps what was dismissed itself.
 * @throws BabelqError `nothing_matched`
 */
export async function refuseWithoutArchive(journal: Journal, sources: readonly Source[]): Promise<void> {
  if (sources.length === 0 || sources.some(({ kind }) => kind !== 'sqs')) return;
  const said = await sayNoJournal(journal, DISMISSED);
  if (said === null) return;
  throw new BabelqError('nothing_matched', said, {
    hint: 'Name the journal that was there when they were dismissed: --journal FILE, or journal: in babelq.yaml. Nothing was changed.',
  });
}
