import { GROUP_MEMBERS } from '../../model/failure.ts';
import type { CheckedSource } from '../../model/operations/check.ts';
import type { FailureGroup } from '../../model/operations/groups.ts';
import type { HistoryEntry } from '../../model/operations/inspect.ts';
import type { SourceReport } from '../../model/operations/survey.ts';
import type { SourceFacts } from '../../model/ports.ts';
import { ACTION, LOG_OUTCOME } from './acting.ts';
import { FAILURE, wholeFailure } from './failure.ts';
import { count, flag, list, map, object, oneOf, orNull, ref, type Schema, text, time } from './shape.ts';

const KIND = oneOf(['sqs', 'jadpo'], 'What it is');
const ERROR = orNull(text('Why it could not be read'));

const SOURCE_REPORT = object('How the reading of one source went', {
  name: text("The source's name"),
  kind: KIND,
  listed: count('How many of its failures are in the document'),
  about: orNull(count('How many it holds, as far as is known')),
  complete: flag('True only where the whole source was seen'),
  note: orNull(text('What must be known of this reading')),
  error: ERROR,
} satisfies Record<keyof SourceReport, Schema>);

const SOURCE_REPORTS = list(ref('source'), 'The sources, as configured');

export const DELIVERIES: Schema = {
  ...object('What babelq deliveries prints', {
    failures: list(ref('failure'), 'What expires soonest first, then what failed last'),
    sources: SOURCE_REPORTS,
  }),
  $defs: { failure: FAILURE, source: SOURCE_REPORT },
};

const HISTORY = object('Something that was done to it', {
  run: text('The run'),
  action: ACTION,
  outcome: LOG_OUTCOME,
  at: time('When'),
  by: text('Who'),
  note: orNull(text('Why, as the person gave it')),
} satisfies Record<keyof HistoryEntry, Schema>);

export const INSPECT: Schema = {
  ...object('What babelq inspect prints', { failures: list(ref('failure'), 'In the order of the ids') }),
  $defs: { failure: wholeFailure({ history: list(HISTORY, 'What the journal says was done to it, newest first') }) },
};

export const EXPORT: Schema = object('One line of what babelq export writes', {
  failure: wholeFailure(),
  exported_at: time('When'),
  redacted: flag('Whether members of the body were blanked'),
});

const GROUP = object('Failures that have something in common', {
  key: {
    type: 'object',
    description:
      'What they have in common: the members of --by; by cause, fingerprint, reason, subject, exception, origin',
    properties: Object.fromEntries(GROUP_MEMBERS.map((member) => [member, orNull(text(`Their ${member}`))])),
    additionalProperties: false,
    minProperties: 1,
  },
  count: { ...count('How many'), minimum: 1 },
  first_failed_at: orNull(time('The earliest failed_at, or sent_at where that is not known')),
  last_failed_at: orNull(time('The latest')),
  time_basis: orNull(oneOf(['failed_at', 'sent_at', 'both'], 'Which times those are')),
  sample: orNull(text('What went wrong, as the newest says it')),
  sample_ids: { ...list(text('An id'), 'The newest, five at most'), minItems: 1, maxItems: 5 },
} satisfies Record<keyof FailureGroup, Schema>);

export const GROUPS: Schema = {
  ...object('What babelq groups prints', { groups: list(ref('group'), 'Most first'), sources: SOURCE_REPORTS }),
  $defs: { group: GROUP, source: SOURCE_REPORT },
};

const BY_REASON = orNull(map(count('How many'), 'By reason, most first; null where only counts were asked for'));

const CHECKED_SOURCE = object('What was found of one source', {
  name: text("The source's name"),
  kind: KIND,
  matched: orNull(count('How many match; null where it could not be asked')),
  by_reason: BY_REASON,
  complete: orNull(flag('Whether all of it was seen; null where only counts were asked for')),
  note: orNull(text('What must be known of this reading')),
  error: ERROR,
} satisfies Record<keyof CheckedSource, Schema>);

const COUNT = object('How many match of one source, for one reason: a line of ndjson', {
  source: text("The source's name"),
  reason: orNull(text('The reason; null where only counts were asked for')),
  count: count('How many'),
});

export const CHECK: Schema = {
  ...object('What babelq check prints', {
    matched: count('How many match, of the sources that could be asked'),
    by_reason: BY_REASON,
    max: count('How many may match'),
    read: flag('Whether the messages were read; else only counts were asked for'),
    sources: list(ref('source'), 'The sources, as configured'),
  }),
  $defs: { source: CHECKED_SOURCE, count: COUNT },
};

const SOURCE_FACTS = object('A source, and what it holds', {
  name: text('What ids start with'),
  kind: KIND,
  queue: text("The dead-letter queue's name, or the table"),
  fifo: orNull(flag('Whether the queue is FIFO; null for jadpo')),
  visible: orNull(count("Messages that can be received; jadpo's failed rows")),
  in_flight: orNull(count("Messages that somebody has; jadpo's pending rows")),
  delayed: orNull(count('Messages that are delayed')),
  retention_seconds: orNull(count('How long the queue keeps a message')),
  redrive_sources: orNull(list(text("A queue's name"), 'The queues whose RedrivePolicy points here')),
  error: ERROR,
} satisfies Record<keyof SourceFacts, Schema>);

export const SOURCES: Schema = {
  ...object('What babelq sources prints', { sources: list(ref('source'), 'As configured') }),
  $defs: { source: SOURCE_FACTS },
};
