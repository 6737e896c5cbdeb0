import type { BackupReport, JournalInfo, PruneCount, UnfinishedRun } from '../../model/journal-care.ts';
import { ACTION } from './acting.ts';
import { count, flag, list, object, oneOf, orNull, ref, type Schema, text, time } from './shape.ts';

const RUN = object('A run that is under way, or left something without a known end', {
  run: text('The run'),
  action: ACTION,
  by: text('Who'),
  started_at: time('When it began'),
  last_heard_at: time('Its last heartbeat'),
  alive: flag('Whether it is under way: not ended, and heard of within a minute'),
  entries: count('How many of its entries have no known end'),
} satisfies Record<keyof UnfinishedRun, Schema>);

export const JOURNAL_INFO: Schema = {
  ...object('What babelq journal info prints', {
    kind: oneOf(['sqlite', 'postgres'], 'What keeps it'),
    location: text('Where it is, without any password'),
    exists: flag('Whether anything was ever written there'),
    schema_version: orNull(count('The version of its layout')),
    size_bytes: orNull(count('What it takes on disk')),
    reusable_bytes: orNull(count('How much of that is free and will be used again')),
    runs: count('How many runs it knows'),
    entries: count('How many entries'),
    first_at: orNull(time('When the first of the runs began')),
    last_at: orNull(time('When the last of them began')),
    unfinished: object('What has no known end', {
      entries: count('How many entries'),
      runs: list(ref('run'), 'Of which runs, the newest first'),
    }),
    archive: object('The messages that it keeps', {
      messages: count('Dismissed messages, which can be restored'),
      oldest_at: orNull(time('When the oldest of them was dismissed')),
      next_deleted_at: orNull(time('When the first of them will be deleted')),
      originals: count('Originals of what was sent edited'),
    }),
  } satisfies Record<keyof JournalInfo, Schema>),
  $defs: { run: RUN },
};

export const JOURNAL_PRUNE: Schema = object('What babelq journal prune prints', {
  dry_run: flag('Whether this is what would be removed'),
  before: orNull(time('--before, as a time')),
  expired: count('Messages past their thirty days'),
  archived: count('Messages that could still have been restored'),
  unfinished: count('Entries without a known end'),
  entries: count('Entries of the log that came to their end'),
  runs: count('Runs of which nothing is left'),
} satisfies Record<keyof PruneCount | 'dry_run' | 'before', Schema>);

export const JOURNAL_BACKUP: Schema = object('What babelq journal backup prints', {
  file: text('The copy'),
  size_bytes: count('Its size'),
  schema_version: count('The version of its layout'),
  runs: count('How many runs it holds'),
  entries: count('How many entries'),
  messages: count('How many messages, with their bodies'),
} satisfies Record<keyof BackupReport, Schema>);
