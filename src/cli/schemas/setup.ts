import type { Check, Finding } from '../../model/doctor/check.ts';
import type { DiscoveredSource, DiscoverReport, LookedPlace } from '../discovering/report.ts';
import { count, flag, list, object, oneOf, orNull, ref, type Schema, text, time } from './shape.ts';

const SOURCE = text("The source's name, or config, journal or babelq");
const CHECK = text("What was checked: a word, or a permission's name");

const FINDING = object('What is wrong, and how to mend it', {
  source: SOURCE,
  check: CHECK,
  severity: oneOf(
    ['error', 'warning'],
    'error: something does not work; warning: something may be lost or is not known',
  ),
  message: text('What is wrong'),
  mend: text('What to do'),
  command: orNull(text('The line that does it')),
  terraform: orNull(text('The same for Terraform')),
} satisfies Record<keyof Finding, Schema>);

const CHECKED = object('One check, and what came of it', {
  source: SOURCE,
  check: CHECK,
  about: orNull(text('The queue that it was checked on; null where that is plain')),
  state: oneOf(['ok', 'finding', 'unknown'], 'unknown: no harmless call tells; it is neither well nor wrong'),
  message: text('What was seen, or why it cannot be known'),
} satisfies Record<keyof Check, Schema>);

export const DOCTOR: Schema = {
  ...object('What babelq doctor prints', {
    findings: list(ref('finding'), 'What is wrong, the sources as configured'),
    checks: list(ref('check'), 'Everything that was looked at'),
  }),
  $defs: { finding: FINDING, check: CHECKED },
};

const REACH = {
  region: orNull(text('The region that was named; null for where the AWS SDK looks by itself')),
  profile: orNull(text('The profile that was named')),
  endpoint: orNull(text('The server that was named')),
};

const DISCOVERED = object('A source that was found', {
  name: text('Short, and unique among what was found'),
  kind: oneOf(['sqs', 'jadpo'], 'What it is'),
  queue: text("The dead-letter queue's name, or the table"),
  url: orNull(text("The queue's URL; null for a database")),
  ...REACH,
  evidence: list(
    oneOf(['redrive_policy', 'source_queues', 'redrive_allow_policy', 'name', 'table'], 'What says so'),
    'What says that it is one, the surest first',
  ),
  redrive_sources: list(text("A queue's name"), 'The queues that dead-letter here'),
  redrive_to: orNull(text('Where retries go, only where that is not found by itself')),
  fifo: orNull(flag('Whether the queue is FIFO; null for jadpo')),
  visible: orNull(count("Messages that can be received; jadpo's failed rows")),
  in_flight: orNull(count("Messages that somebody has; jadpo's pending rows")),
  delayed: orNull(count('Messages that are delayed')),
  retention_seconds: orNull(count('How long the queue keeps a message')),
  sampled: orNull(count('With --sample: how many were received for the times')),
  oldest_sent_at: orNull(time('With --sample: when the oldest that was seen was sent')),
  soonest_expires_at: orNull(time('With --sample: when the first that was seen expires')),
  note: orNull(text('What must be known of it')),
} satisfies Record<keyof DiscoveredSource, Schema>);

const UNTOLD = object('A queue that was listed and could not be asked about', {
  queue: text('Its name'),
  why: text('Why'),
});

const LOOKED = object('Where was looked', {
  ...REACH,
  where: text('The same in words'),
  queues: count('How many queues were listed'),
  untold: list(UNTOLD, 'Those that could not be asked about'),
  error: orNull(text('Why it could not be looked at')),
} satisfies Record<keyof LookedPlace, Schema>);

export const DISCOVER: Schema = {
  ...object('What babelq sources discover prints', {
    sources: list(ref('source'), 'What was found, by place and name'),
    places: list(ref('place'), 'Where was looked'),
    config: orNull(text('The babelq.yaml for what was found; null where nothing was')),
    written: orNull(text('The file that it was written to')),
  } satisfies Record<keyof DiscoverReport, Schema>),
  $defs: { source: DISCOVERED, place: LOOKED },
};
