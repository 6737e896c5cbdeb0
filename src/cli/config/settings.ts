import { flag, list, memberPath, text, texts } from './kinds.ts';

/**
 * Every setting of babelq.yaml: what is read, what the JSON Schema says, and what an editor shows. A new one is a line
 * here, and what read.ts makes of it.
 */

const NAME = text("What ids start with; by default the queue's name", ['orders'], {
  // It stands before a slash in ids, and is typed into shells.
  pattern: '^[\\p{L}\\p{N}][\\p{L}\\p{N}._-]{0,79}$',
  complaint: {
    what: 'a name is letters, digits, dots, dashes and underscores, 80 at most',
    hint: 'Ids start with it, so it must be easy to type.',
  },
});

export const SQS_SETTINGS = {
  sqs: text("A dead-letter queue's name, URL or ARN", [
    'orders-dlq',
    'arn:aws:sqs:eu-central-1:123456789012:orders-dlq',
  ]),
  name: NAME,
  redrive_to: text("Where retries go: a queue's name, URL or ARN; by default what evidence says", ['orders']),
  region: text('By default what the AWS SDK finds: AWS_REGION, or the profile', ['eu-central-1']),
  profile: text('A profile of ~/.aws/config: credentials, roles and SSO are found by it', ['ops']),
  endpoint: text("The server's URL, where it isn't AWS's own", ['http://localhost:4566'], {
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/]',
    check: (url) => URL.canParse(url),
    complaint: { what: 'must be an http or https URL', hint: 'For example http://localhost:4566.' },
  }),
};

export const JADPO_SETTINGS = {
  jadpo: text("A jadpo app's database: a file, from where this one lies, or a URL", [
    './build/local.sqlite',
    `\${DATABASE_URL}`,
  ]),
  name: NAME,
  table: text("The table's name, where it isn't jadpo_parked_messages", ['parked_messages']),
  columns: texts("Columns by what they hold, where the table's own names differ", { status: 'state' }),
  statuses: texts("Statuses by what they mean, where the table's own words differ", { failed: 'parked' }),
};

const INCLUDED = text('Another file to read first, from where this one lies', ['../team/babelq.yaml']);

/** The settings at the top, but for the sources. */
export const TOP_SETTINGS = {
  include: list(INCLUDED, "Other files that are read first, a team's for one; what this file says outweighs them"),
  redact: list(
    memberPath('Names with dots between; * is any member', ['data.email', 'data.card.*']),
    'Members of bodies that are blanked in every output but --raw and export',
  ),
  journal: text("Where babelq remembers what it did and keeps what was dismissed: a file, or a team's PostgreSQL", [
    '~/.local/state/babelq/journal.db',
    'postgres://babelq@db.example.com/ops',
  ]),
  require_note: flag('Whether every action must say why, by --reason-note'),
};
