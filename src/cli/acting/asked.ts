import type { Action } from '../../model/action.ts';
import { BabelqError } from '../../model/errors.ts';
import { LISTED_STATES, type State } from '../../model/failure.ts';
import { parseFilter } from '../../model/filter.ts';
import type { Asked } from '../../model/operations/action-ask.ts';
import { anyFilter, type FilterOptions, filterWords } from '../filter-options.ts';
import { givenOf, notTogether } from '../together.ts';
import { readIds } from './stdin-ids.ts';

export interface AskedOptions extends FilterOptions {
  all?: boolean;
  stdin?: boolean;
}

/** The states an action takes where none is given. */
const STATES_OF: Readonly<Record<Action | 'export', readonly State[]>> = {
  export: LISTED_STATES,
  retry: ['failed'],
  dismiss: ['failed'],
  restore: ['dismissed'],
};

/** What an action is to take, as far as the command line alone says it. */
export type AskedFor = Asked | { kind: 'stdin' };

/**
 * What an action is to take: ids, or filters, or everything; never two of them, and never everything by default.
 * @throws BabelqError `usage`
 */
export function askedFor(action: Action | 'export', ids: readonly string[], options: AskedOptions): AskedFor {
  const filtered = anyFilter(options);
  const ways = givenOf({
    ids: ids.length > 0,
    '--stdin': options.stdin,
    filters: filtered,
    // `--all --reason x` is harmless, and what someone types who wants all of a kind.
    '--all': options.all === true && !filtered,
  });
  const [first, ...more] = ways;
  if (first === undefined) {
    throw new BabelqError('usage', `Nothing says what to ${action}.`, {
      hint: `Give ids, or filters such as --reason failed, or --all for everything. babelq ${action} --help has examples.`,
    });
  }
  if (more.length > 0) {
    const hint = 'Ids say exactly which messages; filters and --all say which kind. Give one of them.';
    throw notTogether(first, more, hint);
  }
  if (options.stdin) return { kind: 'stdin' };
  if (ids.length > 0) return { kind: 'ids', ids };
  return { kind: 'filter', filter: parseFilter(filterWords(options), STATES_OF[action]) };
}

/**
 * Reads the ids that stdin holds, where that was asked.
 * @throws BabelqError `usage`; `nothing_matched` for an empty stdin; Interrupted
 */
export async function settleAsked(asked: AskedFor, stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<Asked> {
  if (asked.kind !== 'stdin') return asked;
  const ids = await readIds(stdin, signal);
  if (ids.length > 0) return { kind: 'ids', ids };
  throw new BabelqError('nothing_matched', 'There was no id on stdin; nothing was changed.', {
    hint: 'The command before it found nothing: run it alone to see.',
  });
}
