/** What can be done to a failure, and how it went. The JSON document of retry, dismiss and restore. */

import type { State } from './failure.ts';

export type Action = 'retry' | 'dismiss' | 'restore';

/** What the journal records: an import puts messages where they were not. */
export type RecordedAction = Action | 'import';

export type Outcome = 'planned' | 'done' | 'skipped' | 'failed' | 'uncertain';

export interface ActionItem {
  id: string;
  /** Null for an id that was not found. */
  reason: string | null;
  outcome: Outcome;
  /** The queue (retry), `archive` (dismissing from SQS), the dead-letter queue (restoring to it); null for jadpo. */
  to: string | null;
  /** The MessageId it has now. */
  new_id: string | null;
  /** Whether it came back: true, false, or null where that can't be told or wasn't watched. */
  returned: boolean | null;
  /** It may now be there twice: an earlier send's answer was never heard. */
  possible_double: boolean;
  /** Why, for every outcome but `done`; what else changed (a marker taken off) for `done`. */
  detail: string | null;
  /** Of a dry run only, for who reads it and for `--plan`: where it failed, its state, and the digest of its stored body. */
  queue?: string | null;
  state?: State;
  body_sha256?: string;
}

/** What a dry run was asked beside the messages. In its document, so that `--plan` does the same. */
export interface PlanTerms {
  /** The layout of a plan. */
  version: 1;
  /** ISO 8601, UTC: what was done after that is what the plan was carried out by, or has changed since. */
  made_at: string;
  /** `--to`, as it was typed. */
  to: string | null;
  bypass: boolean;
  /** `--set` and `--unset`, as they were typed. */
  set: readonly string[];
  unset: readonly string[];
}

export interface Counts {
  matched: number;
  done: number;
  skipped: number;
  failed: number;
  uncertain: number;
}

/** How much of a source an action saw. */
export interface ActionSource {
  name: string;
  seen: number;
  /** Whether nothing that was there can have been missed. */
  complete: boolean;
  /** What wasn't seen, and what stays hidden. */
  note: string | null;
  error: string | null;
}

export interface ActionReport extends Counts {
  action: RecordedAction;
  run: string | null;
  dry_run: boolean;
  /** Of a dry run only. */
  plan?: PlanTerms;
  /** Left out where SQS moves a queue by itself, and of an import. */
  sources?: readonly ActionSource[];
  items: ActionItem[];
}

export function noCounts(): Counts {
  return { matched: 0, done: 0, skipped: 0, failed: 0, uncertain: 0 };
}

/** Counts one item in. `planned` counts as matched only. */
export function count(counts: Counts, item: ActionItem): void {
  counts.matched += 1;
  if (item.outcome !== 'planned') counts[item.outcome] += 1;
}
