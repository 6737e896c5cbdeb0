import type { Action } from '../../model/action.ts';
import { BabelqError } from '../../model/errors.ts';
import type { State } from '../../model/failure.ts';
import { parseFilter } from '../../model/filter.ts';
import type { Asked } from '../../model/operations/act.ts';
import { anyFilter, type FilterOptions, filterWords } from '../filter-options.ts';
import type { InStream } from '../io.ts';
import { readIds } from './stdin-ids.ts';

export interface AskedOptions extends FilterOptions {
  all?: boolean;
  stdin?: boolean;
}

/** The states an action takes where none is given. */
export const STATES_OF: Readonly<Record<Action, readonly State[]>> = {
  retry: ['failed'],
  dismiss: ['failed'],
  restore: ['dismissed'],
};

/**
 * What an action is to take: ids, or filters, or everything; never two of them, and never everything by default.
 * @throws BabelqError `usage`; `nothing_matched` for an empty stdin
 */
export async function readAsked(
  action: Action,
  ids: readonly string[],
  options: AskedOptions,
  stdin: InStream,
): Promise<Asked> {
  const filtered = anyFilter(options);
  const ways = [
    ids.length > 0 && 'ids',
    options.stdin === true && '--stdin',
    filtered && 'filters',
    options.all === true && '--all',
  ].filter((way) => way !== false);
  if (ways.length === 0) {
    throw new BabelqError('usage', `Nothing says what to ${action}.`, {
      hint: `Give ids, or filters such as --reason failed, or --all for everything. babelq ${action} --help has examples.`,
    });
  }
  // `--all --reason x` is harmless, and what someone types who wants all of a kind.
  const exclusive = ways.filter((way) => !(way === '--all' && filtered));
  if (exclusive.length > 1) {
    throw new BabelqError('usage', `${exclusive.join(' and ')} can't go together.`, {
      hint: 'Ids say exactly which messages; filters and --all say which kind. Give one of them.',
    });
  }
  if (options.stdin) {
    const given = await readIds(stdin);
    if (given.length === 0) {
      throw new BabelqError('nothing_matched', 'There was no id on stdin; nothing was changed.', {
        hint: 'The command before it found nothing: run it alone to see.',
      });
    }
    return { kind: 'ids', ids: given };
  }
  if (ids.length > 0) return { kind: 'ids', ids };
  return { kind: 'filter', filter: parseFilter(filterWords(options), STATES_OF[action]) };
}
