import type { Action } from '../../model/action.ts';
import { BabelqError } from '../../model/errors.ts';
import type { Source } from '../../model/ports.ts';
import type { Io } from '../io.ts';
import type { OpenedWorkspace } from '../open.ts';

/**
 * With nobody watching, the only copy of a dismissed SQS message must not lie where a container forgets it.
 * @param sources those of which something is dismissed
 * @throws BabelqError `usage`
 */
export function refuseLosableArchive(
  action: Action,
  sources: readonly Pick<Source, 'kind'>[],
  { journal, journalNamed }: Pick<OpenedWorkspace, 'journal' | 'journalNamed'>,
  io: Io,
): void {
  if (action !== 'dismiss' || !sources.some(({ kind }) => kind === 'sqs')) return;
  if (journalNamed || io.stderr.isTTY === true) return;
  throw new BabelqError('usage', 'Dismissing from SQS with nobody watching needs a journal that will still be there.', {
    hint: `The archive would be in ${journal.location}. Name its place: --journal FILE, journal: in babelq.yaml, $BABELQ_JOURNAL or $XDG_STATE_HOME.`,
  });
}
