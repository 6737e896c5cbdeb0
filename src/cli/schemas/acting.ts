import type { ActionItem, ActionSource, PlanTerms } from '../../model/action.ts';
import { STATES } from '../../model/failure.ts';
import type { LogEntry } from '../../model/ports.ts';
import { count, flag, list, object, oneOf, orNull, ref, type Schema, text, time } from './shape.ts';

export const ACTION = oneOf(['retry', 'dismiss', 'restore', 'import'], 'What was done');
export const LOG_OUTCOME = oneOf(
  ['done', 'failed', 'uncertain', 'under_way', 'overtaken'],
  'How it ended; overtaken: something later was done to the same message',
);

/** Of a dry run, for who reads it and for --plan. */
const PLANNED_MEMBERS = {
  queue: orNull(text('Of a dry run: where it failed')),
  state: oneOf(STATES, 'Of a dry run: the state it was in'),
  body_sha256: text('Of a dry run: the digest of its stored body', { pattern: '^[0-9a-f]{64}$' }),
};

const ITEM_MEMBERS = {
  id: text('The message'),
  reason: orNull(text('Why it failed; null where it was not found')),
  outcome: oneOf(
    ['planned', 'done', 'skipped', 'failed', 'uncertain'],
    'How it went; uncertain: sent, or perhaps sent, and not confirmed to the end',
  ),
  to: orNull(text('The queue (retry, import), archive (dismiss), the dead-letter queue (restore); null for jadpo')),
  new_id: orNull(text('The MessageId it has now')),
  returned: orNull(flag('With --wait: whether it came back; null where that cannot be told')),
  possible_double: flag("It may be there twice: an earlier send's answer was never heard"),
  detail: orNull(text('Why, for every outcome but done; what else changed for done')),
} satisfies Record<Exclude<keyof ActionItem, keyof typeof PLANNED_MEMBERS>, Schema>;

const PLAN = object('Of a dry run only: what was asked beside the messages, so that --plan does the same', {
  version: { const: 1, description: 'The layout of a plan' },
  made_at: time('When'),
  to: orNull(text('--to, as it was typed')),
  bypass: flag('--bypass'),
  set: list(text('PATH=VALUE'), '--set, as it was typed'),
  unset: list(text('PATH'), '--unset, as it was typed'),
} satisfies Record<keyof PlanTerms, Schema>);

const SOURCE = object('How a source was looked through', {
  name: text("The source's name"),
  seen: count('How many messages of it were looked at'),
  complete: flag('Whether nothing that was there can have been missed: false where others have messages in flight'),
  note: orNull(text('What was not seen, and what stays hidden')),
  error: orNull(text('Why it could not be looked through')),
} satisfies Record<keyof ActionSource, Schema>);

export const ACTION_REPORT: Schema = {
  ...object(
    'What babelq retry, dismiss, restore and import print, and their --dry-run',
    {
      action: ACTION,
      run: orNull(text('The run in the journal; null where nothing was begun')),
      dry_run: flag('Whether this is what would be done'),
      matched: count('How many were meant'),
      done: count('How many were done'),
      skipped: count('How many were left alone'),
      failed: count('How many could not be done'),
      uncertain: count('How many may have been done'),
      items: list(ref('item'), 'The messages, as they were done'),
    },
    {
      plan: PLAN,
      sources: list(ref('source'), 'How each source was looked through; not of an import, or of --native'),
    },
  ),
  $defs: { item: object('What became of one message', ITEM_MEMBERS, PLANNED_MEMBERS), source: SOURCE },
};

const ENTRY = object('What was done to one message', {
  run: text('The run'),
  action: ACTION,
  id: text('The message'),
  source: text("The source's name at that time"),
  reason: text('Why it had failed'),
  queue: orNull(text('Where it had failed')),
  subject: orNull(text("The URN, or the event's name")),
  to: orNull(text('Where it was put')),
  new_id: orNull(text('The MessageId it got by that')),
  outcome: LOG_OUTCOME,
  possible_double: flag('It may have been sent twice'),
  at: time('When'),
  by: text('Who'),
  note: orNull(text('Why, as the person gave it')),
  detail: orNull(text('What is to be known of the outcome')),
} satisfies Record<keyof LogEntry, Schema>);

export const LOG: Schema = {
  ...object('What babelq log prints', { entries: list(ref('entry'), 'Newest first') }),
  $defs: { entry: ENTRY },
};
