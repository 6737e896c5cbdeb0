import type { Clock, Journal, Source } from './ports.ts';

/** Everything that the operations need, put together once. */
export interface Workspace {
  readonly sources: readonly Source[];
  readonly journal: Journal;
  readonly clock: Clock;
  /** Who, for the journal: `$BABELQ_OPERATOR`, else user@host. */
  readonly operator: string;
  /** Paths of body members to blank. */
  readonly redact: readonly string[];
  /** Whether every action must say why. */
  readonly requireNote: boolean;
}
