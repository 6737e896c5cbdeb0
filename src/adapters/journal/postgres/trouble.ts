import { BabelqError, OutcomeUnknown } from '../../../model/errors.ts';
import { isCut, sqlState } from '../../postgres/errors.ts';

/** Says what is wrong with a journal on a server. What isn't the server's trouble comes back as it is. */
export function serverTrouble(error: unknown, location: string): unknown {
  if (!(error instanceof BabelqError)) return error;
  if (!['unreachable', 'forbidden', 'no_database', 'read_only', 'locked', 'bad_table'].includes(error.code))
    return error;
  const hint =
    sqlState(error.cause) === '42501'
      ? "Have the journal's owner grant it; docs/team.md has the lines."
      : error.code === 'bad_table'
        ? 'Was its schema changed by hand? babelq journal info says which version it should have.'
        : error.hint;
  return new BabelqError('journal', `The journal ${location} can't be used: ${error.message}`, {
    ...(hint !== null && { hint }),
    cause: error,
  });
}

/** Whether a journal's error is that its server can't be reached. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof BabelqError && error.cause instanceof BabelqError && error.cause.code === 'unreachable';
}

/** Whether the connection was cut and it is known that nothing was changed by that: worth another try. */
export function isUndone(error: unknown): boolean {
  return error instanceof BabelqError && !(error instanceof OutcomeUnknown) && isCut(error.cause);
}

/** Whether the trouble is the server's or the way to it, and not that of one statement. */
export function isWholesale(error: unknown): boolean {
  if (!(error instanceof BabelqError)) return false;
  return error.code !== 'bad_table' || isCut(error.cause);
}
