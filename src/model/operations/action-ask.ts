import type { Action, ActionItem, RecordedAction } from '../action.ts';
import type { BodyEdit } from '../edit.ts';
import { BabelqError } from '../errors.ts';
import type { WholeFailure } from '../failure.ts';
import { describeFilter, type Filter } from '../filter.ts';
import type { ActProgress, Clock, Journal, ReadProgress, Run, Source } from '../ports.ts';

/**
 * What an action is to take: ids as typed, or everything that matches. `whole` where the ids come from a listing, source
 * and all: then none is a prefix, and one that is gone can't be taken for another that begins with it.
 */
export type Asked = { kind: 'ids'; ids: readonly string[]; whole?: boolean } | { kind: 'filter'; filter: Filter };

export interface ActionAsk {
  action: Action;
  asked: Asked;
  sources: readonly Source[];
  journal: Journal;
  clock: Clock;
  /** Who, for the journal. */
  by: string;
  /** Why, for the journal. */
  note: string | null;
  /** Whether it must say why. */
  requireNote?: boolean;
  to?: string;
  bypass?: boolean;
  /** Changes the body that a retry sends. */
  edit?: BodyEdit;
  /** Messages a second. */
  rate?: number;
  max?: number;
  allowReceive: boolean;
  signal: AbortSignal;
  /** Called for every message that a plan names, by whoever needs more of it than the plan keeps. */
  onPlanned?: (failure: WholeFailure) => void;
  onRead?: (progress: ReadProgress) => void;
  onProgress?: (progress: ActProgress) => void;
  /** Called for every item as its outcome is known, so that a long run needn't be kept. */
  onItem?: (item: ActionItem) => void;
  /** A run that is under way, and that this is a part of: whoever began it ends it. */
  run?: Run;
}

/** What was asked, in words: a filter, or the first ids. */
export function describeAsked(ask: Pick<ActionAsk, 'asked'>): string {
  if (ask.asked.kind === 'filter') return describeFilter(ask.asked.filter);
  const { ids } = ask.asked;
  return ids.length <= 3 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} and ${ids.length - 3} more`;
}

/**
 * The configuration may ask that every action says why. Worth asking before anything is read, too.
 * @throws BabelqError `usage`
 */
export function refuseWithoutNote({
  action,
  note,
  requireNote,
}: Pick<ActionAsk, 'note' | 'requireNote'> & { action: RecordedAction }): void {
  if (!requireNote || (note !== null && note.trim() !== '')) return;
  throw new BabelqError('usage', `To ${action} needs a reason: the configuration has require_note.`, {
    hint: `Say why, for the journal: babelq ${action} … --reason-note 'the gateway is back'`,
  });
}
