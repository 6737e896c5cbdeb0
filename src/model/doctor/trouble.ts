import type { BabelqError, ErrorCode } from '../errors.ts';
import { type Verdict, wrong } from './check.ts';

/** What a check is called where the trouble is of that kind. */
const CHECKS: Partial<Readonly<Record<ErrorCode, string>>> = {
  no_queue: 'queue',
  no_credentials: 'credentials',
  unreachable: 'connection',
  throttled: 'connection',
  forbidden: 'access',
  config: 'config',
  no_database: 'database',
  not_a_database: 'database',
  locked: 'database',
  read_only: 'database',
  no_table: 'table',
  bad_table: 'columns',
  journal: 'journal',
};

/** What stopped everything else from being known, in the words of the error that every command prints. */
export function ofTrouble(trouble: BabelqError, how: { command?: string } = {}): Verdict {
  const check = CHECKS[trouble.code] ?? 'connection';
  return wrong(check, 'error', trouble.message, trouble.hint ?? 'See what the message says, and try again.', how);
}
