/** What babelq's exit code says. See the exit table in the README. */
export const EXIT = {
  done: 0,
  couldNot: 1,
  usage: 2,
  partly: 3,
  nothingMatched: 4,
  failuresMatch: 5,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ErrorCode =
  | 'usage' //            wrong flags, or arguments that don't go together
  | 'config' //           the configuration file, or a variable it names
  | 'ambiguous_id' //     a prefix that fits several messages
  | 'unchecked_id' //     a prefix whose uniqueness could not be checked
  | 'nothing_matched' //  ids or filters that matched nothing
  | 'not_all_seen' //     a check that couldn't look at everything
  | 'all_in_flight' //    everything on the queue is hidden by somebody
  | 'no_queue' //         the queue does not exist
  | 'no_credentials'
  | 'forbidden' //        the service refused: a permission is missing
  | 'unreachable' //      no connection, or a time-out
  | 'throttled'
  | 'timed_out' //        --timeout was over before it was done
  | 'refused' //          babelq itself declines, because it would do harm
  | 'no_database' //      the database's file does not exist
  | 'no_table' //         a database without the parked messages
  | 'bad_table' //        the table's columns can't be matched
  | 'not_a_database'
  | 'locked'
  | 'read_only'
  | 'journal' //          the journal can't be opened or written
  | 'output' //           what was to be printed can't be written
  | 'internal';

export interface ErrorDetails {
  /** What to do next, as one sentence. */
  hint?: string;
  /** The source it is about. */
  source?: string;
  exit?: number;
  cause?: unknown;
}

const USAGE_CODES: ReadonlySet<ErrorCode> = new Set(['usage', 'config', 'ambiguous_id', 'unchecked_id']);

/**
 * An error a person can act on: `message` says what happened to which source or message, `hint` what to do.
 * Neither ever holds a secret or a message's body.
 */
export class BabelqError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | null;
  readonly source: string | null;
  /** The exit code it leads to: 2 for usage, configuration and ambiguous ids, 4 for nothing matched, else 1. */
  readonly exit: number;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'BabelqError';
    this.code = code;
    this.hint = details.hint ?? null;
    this.source = details.source ?? null;
    this.exit =
      details.exit ??
      (USAGE_CODES.has(code) ? EXIT.usage : code === 'nothing_matched' ? EXIT.nothingMatched : EXIT.couldNot);
  }
}

/** What happened and what to do, as one text, where there is one place for both. */
export function withHint({ message, hint }: Pick<BabelqError, 'message' | 'hint'>): string {
  return hint === null ? message : `${message} ${hint}`;
}

/** Thrown where something may have been changed, and nobody can tell. */
export class OutcomeUnknown extends BabelqError {}

/** Gives an error its source's name where it has none yet, and wraps what is not a BabelqError. */
export function asBabelqError(error: unknown, source?: string): BabelqError {
  if (error instanceof BabelqError) {
    if (source === undefined || error.source !== null) return error;
    const details: ErrorDetails = { source, exit: error.exit, cause: error.cause };
    if (error.hint !== null) details.hint = error.hint;
    const Kind = error instanceof OutcomeUnknown ? OutcomeUnknown : BabelqError;
    return new Kind(error.code, error.message, details);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new BabelqError('internal', message, source === undefined ? { cause: error } : { source, cause: error });
}

/** Thrown where the person (or a signal) stopped the work. What was held has been released by then. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
