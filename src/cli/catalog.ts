import { GROUP_MEMBERS } from '../model/failure.ts';
import { SHELLS } from './completion/shells.ts';
import type { CommandModule } from './context.ts';
import { OUTPUTS, type Output } from './global-options.ts';
import { SCHEMA_NAMES } from './schemas/names.ts';

/** One option as commander reads it. */
export interface OptionSpec {
  flags: string;
  help: string;
  /** May be given several times; its value is then a list. */
  repeats?: true;
  choices?: readonly string[];
}

/** A command as data: what help shows without loading anything, and where its code is. */
export interface CommandSpec {
  /** One word, or two where it is below another: `sources discover`. */
  name: string;
  alias?: string;
  arguments?: { spec: string; help: string; values?: readonly string[] };
  summary: string;
  /** More, below the summary in the command's own help. */
  details?: string;
  options: readonly OptionSpec[];
  /** What --output may be; USUAL_OUTPUTS unless given. */
  outputs?: readonly Output[];
  /** Lines to copy; `#` lines explain. */
  examples: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each command's module names the options that its own spec gives it
  load(): Promise<CommandModule<any>>;
}

const FILTERS: readonly OptionSpec[] = [
  { flags: '--queue <glob>', help: 'where it failed', repeats: true },
  { flags: '--reason <glob>', help: 'the reason code (babelq reasons)', repeats: true },
  { flags: '--subject <glob>', help: "the URN, or the event's name", repeats: true },
  { flags: '--origin <origin>', help: 'sqs_native, sqs_app or jadpo', repeats: true },
  { flags: '--state <state>', help: 'failed, pending or dismissed', repeats: true },
  { flags: '--since <time>', help: 'failed at or after: 2h, 3d or an ISO time' },
  { flags: '--before <time>', help: 'failed before' },
  { flags: '--error <text>', help: 'part of the error or the exception', repeats: true },
  { flags: '--trace <id>', help: 'the trace id', repeats: true },
  { flags: '--message-id <id>', help: "the envelope's own id", repeats: true },
  { flags: '--fingerprint <f>', help: 'failures with the same cause', repeats: true },
  {
    flags: '--where <path=value>',
    help: 'a member of the body: data.order_id=1042; also !=, ~ (a part), >, <, >=, <=, and * for any member',
    repeats: true,
  },
];

/** To bring back what was dismissed by mistake, it counts when that was. */
const BY_DISMISSAL = FILTERS.map(
  (option): OptionSpec =>
    option.flags.startsWith('--since')
      ? { ...option, help: 'dismissed at or after: 2h, 3d or an ISO time' }
      : option.flags.startsWith('--before')
        ? { ...option, help: 'dismissed before' }
        : option,
);

const ACTING: readonly OptionSpec[] = [
  { flags: '--all', help: 'everything, where neither ids nor filters are given' },
  { flags: '--stdin', help: 'reads ids from stdin: one a line, or the JSON of a listing' },
  { flags: '--dry-run', help: 'shows what would be done, and changes nothing' },
  { flags: '--plan <file>', help: 'carries out a plan: the JSON that --dry-run --json printed (- for stdin)' },
  { flags: '--yes', help: "doesn't ask" },
  { flags: '--max <n>', help: 'acts on this many at most' },
  { flags: '--rate <n>', help: 'messages a second' },
  { flags: '--reason-note <text>', help: 'why you do this, kept in the journal' },
];

const SELECTING = `Give ids (or a prefix that fits one message), or filters, or --all. Filters of different kinds must all
fit; one that is repeated fits where any of its values does.`;

export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: '--config <file>', help: 'the configuration (default: ./babelq.yaml, then ~/.config/babelq/config.yaml)' },
  { flags: '--source <name>', help: 'only this source', repeats: true },
  {
    flags: '--sqs <queue>',
    help: "a dead-letter queue's name, URL or ARN, instead of the configured sources",
    repeats: true,
  },
  { flags: '--jadpo <database>', help: "a jadpo app's database, instead of the configured sources", repeats: true },
  {
    flags: '--journal <file>',
    help: "where babelq remembers what it did and keeps what was dismissed: a file, or a team's postgres://…",
  },
  {
    flags: '--output <format>',
    help: 'how the result is printed',
    choices: OUTPUTS,
  },
  { flags: '--json', help: 'the same as --output json' },
  { flags: '--timeout <duration>', help: 'stops after so long as an interruption would, and exits 1: 30s, 5m' },
  { flags: '--allow-receive', help: 'reads a dead-letter queue that has a RedrivePolicy of its own' },
  { flags: '--no-color', help: 'no colours' },
  { flags: '--quiet', help: 'no summaries, hints or progress' },
  { flags: '--verbose', help: 'the stack trace of an error' },
];

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'deliveries',
    alias: 'list',
    summary: 'lists the failures of all sources',
    details:
      'What expires soonest comes first, then what failed last. What is received for it is given back at once; on SQS each look counts as a receive.',
    options: [
      ...FILTERS,
      { flags: '--limit <n>', help: 'this many of each source, or all (default: 1000)' },
      { flags: '--with-body', help: 'bodies and attributes too (json and ndjson)' },
    ],
    examples: [
      'babelq deliveries --sqs orders-dlq',
      "babelq deliveries --reason failed --since 2h --subject 'urn:babel:orders:*'",
      'babelq deliveries --json --with-body --limit all > failures.json',
    ],
    load: () => import('./commands/deliveries.ts'),
  },
  {
    name: 'inspect',
    arguments: { spec: '<id...>', help: 'ids from the first column of deliveries' },
    summary: 'shows everything known of a message',
    options: [{ flags: '--raw', help: 'exactly the stored bytes of the body, and nothing else (one id)' }],
    examples: ['babelq inspect 4f2a91c3', 'babelq inspect orders/4f2a91c3 --raw > body.json'],
    load: () => import('./commands/inspect.ts'),
  },
  {
    name: 'retry',
    alias: 'redrive',
    arguments: { spec: '[id...]', help: 'ids from the first column of deliveries' },
    summary: 'sends messages back for another run',
    details: SELECTING,
    options: [
      ...FILTERS,
      ...ACTING,
      { flags: '--to <queue>', help: 'sends them to this queue, and not to where they came from' },
      { flags: '--bypass', help: 'marks them so that handlers skip outside effects that happened already' },
      { flags: '--edit', help: "opens one message's body in $VISUAL or $EDITOR before it is sent" },
      { flags: '--set <path=value>', help: 'sets a member of the body: data.currency=EUR', repeats: true },
      { flags: '--unset <path>', help: 'takes a member out of the body: data.coupon', repeats: true },
      { flags: '--wait <duration>', help: 'watches so long at most whether they come back: 90s, 2m' },
      { flags: '--canary <n>', help: 'so many first, and the rest only if these are known to stay away (with --wait)' },
      { flags: '--native', help: "moves the whole queue as it is, by SQS's own move task (with --all)" },
    ],
    examples: [
      'babelq retry 4f2a91c3',
      'babelq retry --reason failed --since 1d --dry-run',
      'babelq retry 4f2a91c3 --edit',
      'babelq retry --where data.currency=EURO --set data.currency=EUR --unset data.coupon',
      '# a plan that somebody reads before it is carried out: those messages, to those queues, once',
      'babelq retry --reason failed --dry-run --json > plan.json',
      'babelq retry --plan plan.json --yes',
      '# with nobody to ask, what the listing showed and nothing else:',
      'babelq deliveries --reason failed --output ids | babelq retry --stdin --yes',
      '# five first, and the rest only if these stay away; exit 5 where they come back:',
      'babelq retry --reason failed --canary 5 --wait 2m --yes',
    ],
    load: () => import('./commands/retry.ts'),
  },
  {
    name: 'dismiss',
    arguments: { spec: '[id...]', help: 'ids from the first column of deliveries' },
    summary: 'sets messages aside; they are kept for 30 days',
    details: SELECTING,
    options: [...FILTERS, ...ACTING],
    examples: [
      'babelq dismiss 4f2a91c3',
      "babelq dismiss --subject 'urn:babel:orders:voided' --reason-note 'no longer sent'",
    ],
    load: () => import('./commands/dismiss.ts'),
  },
  {
    name: 'restore',
    arguments: { spec: '[id...]', help: 'ids from babelq deliveries --state dismissed' },
    summary: 'undoes a dismissal',
    details: SELECTING,
    options: [...BY_DISMISSAL, ...ACTING],
    examples: [
      'babelq restore 4f2a91c3',
      'babelq deliveries --state dismissed',
      'babelq restore --queue orders --reason failed',
      '# what was dismissed in the last hour:',
      'babelq restore --since 1h',
      '# what one run dismissed:',
      'babelq log --run RUN --output ids | babelq restore --stdin',
    ],
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'export',
    arguments: { spec: '[id...]', help: 'ids from the first column of deliveries' },
    summary: 'writes messages with everything that was stored, one JSON object a line',
    details: `Without ids and filters it takes all that failed. Nothing is removed: what was exported lies where it was.`,
    options: [
      ...FILTERS,
      { flags: '--all', help: 'everything, as without ids and filters' },
      { flags: '--stdin', help: 'reads ids from stdin: one a line, or the JSON of a listing' },
      { flags: '--limit <n>', help: 'this many of each source, or all (default: all)' },
      { flags: '--redact', help: "blanks what the configuration's redact names; such a message can't be imported" },
      { flags: '--edited', help: 'the originals of what retry --edit and --set changed, kept for 30 days' },
    ],
    outputs: ['table', 'json', 'ndjson'],
    examples: [
      'babelq export --sqs orders-dlq > orders.ndjson',
      'babelq export --reason failed --since 2h --redact > for-the-vendor.ndjson',
      'babelq export 4f2a91c3 | jq -r .failure.body',
    ],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'import',
    arguments: { spec: '<file>', help: 'what export wrote; - for stdin' },
    summary: 'puts exported messages on a queue, byte for byte',
    details: `Each goes to the dead-letter queue of the source it was exported from, or all to --to. One that was put there before,
that lies there still, or that was retried or dismissed since is left, unless --again.`,
    options: [
      { flags: '--to <queue>', help: "this queue: a name, URL or ARN, reached as the first SQS source's are" },
      {
        flags: '--again',
        help: 'also what is left otherwise: put there before, there still, retried or dismissed since',
      },
      { flags: '--dry-run', help: 'shows what would be done, and changes nothing' },
      { flags: '--yes', help: "doesn't ask" },
      { flags: '--rate <n>', help: 'messages a second' },
      { flags: '--reason-note <text>', help: 'why you do this, kept in the journal' },
    ],
    examples: [
      'babelq import orders.ndjson --sqs orders-dlq --dry-run',
      'babelq export --sqs orders-dlq | babelq import - --sqs orders-dlq --to orders-quarantine --yes',
    ],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'log',
    arguments: { spec: '[id...]', help: "ids, or envelopes' own ids; without any, everything" },
    summary: 'shows what was done, when, by whom, and how each message ended',
    details: `With ids, all that ever happened to those messages: also under the ids that a retry or a restoration gave them,
and those they came back under.`,
    options: [
      { flags: '--run <run>', help: 'what one run did' },
      { flags: '--unfinished', help: 'only what never came to a known end' },
      { flags: '--since <time>', help: 'at or after: 2h, 3d or an ISO time' },
      { flags: '--before <time>', help: 'before' },
      { flags: '--by <who>', help: 'done by' },
      { flags: '--limit <n>', help: 'the newest so many, or all (default: 1000)' },
    ],
    examples: [
      'babelq log --since 1d',
      'babelq log 4f2a91c3',
      'babelq log --unfinished',
      '# undo everything that one run dismissed:',
      'babelq log --run RUN --output ids | babelq restore --stdin',
    ],
    load: () => import('./commands/log.ts'),
  },
  {
    name: 'journal info',
    summary: 'says where the journal is, what it keeps, and who left what unfinished',
    options: [],
    outputs: ['table', 'json'],
    examples: ['babelq journal info', 'babelq journal info --json'],
    load: () => import('./commands/journal-info.ts'),
  },
  {
    name: 'journal create',
    summary: 'makes the journal where it is not there, or brings it up to date',
    details: `A journal in a file is made by the first action. One in PostgreSQL is made by its owner's role, and operators need less.`,
    options: [],
    outputs: ['table', 'json'],
    examples: ['babelq journal create --journal postgres://babelq_owner@db.example.com/ops'],
    load: () => import('./commands/journal-create.ts'),
  },
  {
    name: 'journal prune',
    summary: 'removes from the journal what is past its time',
    details: `Messages past their thirty days go by themselves as runs come; this does it now. With --before it takes the log's
entries that are older too (thirty days at least). What can't be had back is confirmed by its number.`,
    options: [
      { flags: '--before <time>', help: 'also what was done before: 90d, 26w or an ISO time' },
      { flags: '--archived', help: 'also dismissed messages that could still be restored (with --before)' },
      { flags: '--unfinished', help: 'also what never came to a known end (with --before)' },
      { flags: '--dry-run', help: 'shows what would be removed, and removes nothing' },
      { flags: '--yes', help: "doesn't ask" },
      { flags: '--confirm <n>', help: 'the number that --archived and --unfinished ask for' },
    ],
    outputs: ['table', 'json'],
    examples: ['babelq journal prune', 'babelq journal prune --before 180d --dry-run'],
    load: () => import('./commands/journal-prune.ts'),
  },
  {
    name: 'journal backup',
    arguments: { spec: '<file>', help: 'the copy, a file that is not there yet' },
    summary: 'copies the journal to a file, as it is at one moment, while others may write',
    options: [{ flags: '--replace', help: 'writes over a file that is there' }],
    outputs: ['table', 'json'],
    examples: ['babelq journal backup /backup/babelq-journal.db'],
    load: () => import('./commands/journal-backup.ts'),
  },
  {
    name: 'sources',
    summary: 'lists the configured sources with their counts',
    options: [],
    examples: ['babelq sources', 'babelq sources --sqs orders-dlq --json'],
    load: () => import('./commands/sources.ts'),
  },
  {
    name: 'sources discover',
    arguments: { spec: '[glob...]', help: "only queues whose name fits: 'orders-*'" },
    summary: 'finds dead-letter queues and parked messages, and writes the configuration for them',
    details: `A dead-letter queue is one that a RedrivePolicy points to, that says who may dead-letter to it, or that is named like one
(-dlq). Nothing is received, unless --sample says so. --jadpo DATABASE looks for a jadpo app's table there.`,
    options: [
      { flags: '--region <region>', help: 'looks in this region, and not where the AWS SDK would', repeats: true },
      { flags: '--profile <profile>', help: 'looks with this profile of ~/.aws/config', repeats: true },
      { flags: '--endpoint <url>', help: "the server's URL, where it isn't AWS's own", repeats: true },
      { flags: '--prefix <prefix>', help: 'only queues whose name begins so', repeats: true },
      { flags: '--rate <n>', help: 'queues asked about a second, at most (default: 50)' },
      {
        flags: '--sample <n>',
        help: 'receives up to so many of each and gives them back: the oldest, and what expires first',
      },
      { flags: '--write [file]', help: 'writes the configuration (default: ./babelq.yaml), where no file is yet' },
      { flags: '--replace', help: 'writes over a file that is there' },
    ],
    examples: [
      'babelq sources discover',
      'babelq sources discover --write',
      "babelq sources discover 'orders-*' --region eu-west-1 --region us-east-1 --profile prod",
      'babelq sources discover --endpoint http://localhost:4566 --jadpo build/local.sqlite --write',
    ],
    load: () => import('./commands/sources-discover.ts'),
  },
  {
    name: 'groups',
    summary: 'counts failures by cause, or by what they have in common',
    details: 'Errors that differ only in ids, numbers, times and quoted values have one cause. Most first.',
    options: [
      ...FILTERS,
      {
        flags: '--by <members>',
        help: `instead of by cause: ${GROUP_MEMBERS.join(', ')}; several with commas`,
        repeats: true,
      },
      { flags: '--limit <n>', help: 'only the so many largest, or all (default: all)' },
    ],
    examples: ['babelq groups', 'babelq groups --by queue,reason --since 1d', 'babelq groups --json --limit 3'],
    load: () => import('./commands/groups.ts'),
  },
  {
    name: 'check',
    summary: 'for monitors: exits 5 where more failures match than may',
    details: `Without filters it asks for counts and receives nothing. Filters, --older-than and --expires-within look into
the messages, so with them it reads. It exits 0 only where it knows: 1 where a source, or a part of it, could not be seen.`,
    options: [
      ...FILTERS,
      { flags: '--max <n>', help: 'so many may match (default: 0)' },
      { flags: '--older-than <duration>', help: 'only what failed at least so long ago: 30m, 2h' },
      { flags: '--expires-within <duration>', help: 'only what will be deleted within so long: 6h' },
    ],
    outputs: ['table', 'json', 'ndjson', 'csv', 'prometheus'],
    examples: [
      'babelq check --max 10',
      'babelq check --expires-within 6h --quiet',
      "# by reason, for a node exporter's textfile folder:",
      "babelq check --reason '*' --output prometheus > babelq.prom.new; mv babelq.prom.new babelq.prom",
    ],
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'doctor',
    summary: 'finds what is wrong with the sources, the journal and the configuration, and says how to mend it',
    details: `Credentials, each permission, and the mistakes that dead-letter queues are set up with. It changes nothing and receives
nothing, so what no harmless call tells is unknown. Exits 0, or 1 with findings.`,
    options: [
      {
        flags: '--sample <n>',
        help: 'receives up to so many of each queue too, and gives them back: ages, expiry, ReceiveMessage',
      },
    ],
    examples: [
      'babelq doctor',
      'babelq doctor --sqs orders-dlq --sample 20',
      "babelq doctor --json | jq '.findings[].command'",
    ],
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'reasons',
    summary: 'explains the reason codes, and what to fix before retrying',
    options: [],
    examples: ['babelq reasons', 'babelq reasons --json'],
    load: () => import('./commands/reasons.ts'),
  },
  {
    name: 'config show',
    summary: 'shows what is configured, and where each value comes from',
    details: 'Variables are put in, included files read, and secrets masked.',
    options: [],
    outputs: ['table', 'json', 'ndjson', 'csv'],
    examples: ['babelq config show', 'babelq config show --config team.yaml --json'],
    load: () => import('./commands/config-show.ts'),
  },
  {
    name: 'config schema',
    summary: 'prints the JSON Schema of babelq.yaml, for editors',
    details: 'With it an editor completes the file, and marks what is wrong in it.',
    options: [],
    outputs: ['table', 'json'],
    examples: [
      'babelq config schema > babelq.schema.json',
      '# then, as the first line of babelq.yaml:',
      '# # yaml-language-server: $schema=babelq.schema.json',
    ],
    load: () => import('./commands/config-schema.ts'),
  },
  {
    name: 'schema',
    arguments: { spec: '<name>', help: SCHEMA_NAMES.join(', '), values: SCHEMA_NAMES },
    summary: 'prints the JSON Schema of a document that --json prints',
    details: 'One line of ndjson is what the list in the document holds. Draft 2020-12.',
    options: [],
    outputs: ['table', 'json'],
    examples: ['babelq schema deliveries', 'babelq schema action > action.schema.json'],
    load: () => import('./commands/schema.ts'),
  },
  {
    name: 'completion',
    arguments: { spec: '<shell>', help: SHELLS.join(', '), values: SHELLS },
    summary: "prints a shell's completion of babelq: commands, options, sources, reasons, queues and ids",
    details: 'Queues and ids come from the journal: Tab asks no service.',
    options: [],
    outputs: ['table'],
    examples: [
      'source <(babelq completion bash)',
      'source <(babelq completion zsh)',
      'babelq completion fish | source',
    ],
    load: () => import('./commands/completion.ts'),
  },
  {
    name: 'tui',
    summary: 'opens the screens: list, inspect, retry, dismiss and undo by key',
    details:
      'The same as babelq alone on a terminal. ? shows the keys. Nothing is held while you look, unless you ask for it (H, or --hold).',
    options: [
      { flags: '--limit <n>', help: 'this many of each source, or all (default: 1000)' },
      { flags: '--hold', help: 'keeps what is shown hidden from everyone else until you leave, 12 hours at most' },
    ],
    examples: ['babelq', 'babelq tui --sqs orders-dlq --jadpo build/local.sqlite'],
    load: () => import('./commands/tui.ts'),
  },
];

/** The first words that may be typed: commands, their aliases, and what only holds other commands. */
export function topNames(): string[] {
  const words = COMMANDS.flatMap(({ name, alias }) => [
    name.split(' ')[0] ?? name,
    ...(alias === undefined ? [] : [alias]),
  ]);
  return [...new Set(words)];
}

/** What babelq does on a terminal where no command is given. */
export const ON_A_TERMINAL = COMMANDS.find(({ name }) => name === 'tui');
