import type { WholeFailure } from '../../model/failure.ts';
import type { HistoryEntry } from '../../model/operations/inspect.ts';
import type { Cursor } from './state.ts';
import type { TextLine } from './text-line.ts';

/** In the order in which Tab goes through them. */
export const PANES = ['summary', 'attributes', 'history', 'body'] as const;
export type Pane = (typeof PANES)[number];

/** One failure, in panes. */
export interface FailureScreen {
  readonly kind: 'failure';
  readonly failure: WholeFailure;
  /** Its body and attributes weren't kept in memory and are being read. */
  readonly body: 'there' | 'reading' | { readonly error: string };
  readonly history: readonly HistoryEntry[] | 'reading' | { readonly error: string };
  /** The pane that the keys are for. */
  readonly pane: Pane;
  /** The pane beside the body, where there is room for two. */
  readonly side: Pane;
  /** Where each is scrolled to; only in the body a line is chosen. */
  readonly at: Readonly<Record<Pane, Cursor>>;
  /** Lines of the body; null for what is folded when it is opened. */
  readonly folded: ReadonlySet<number> | null;
  readonly search: Search | null;
}

/** What is looked for in the pane. */
export interface Search {
  readonly query: string;
  /** Set while it is being typed. */
  readonly typing: TextLine | null;
  /** Which of the matches one is at; null where there is none. */
  readonly match: number | null;
}
