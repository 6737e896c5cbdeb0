import { COMMANDS, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from './catalog.ts';

const EXIT_STATUS: readonly [code: string, meaning: string][] = [
  ['0', 'done; an empty listing is done'],
  [
    '1',
    'could not: a source unreachable, refused, out of time, or you answered no; nothing was changed. Also: inspect found not all of several ids, doctor has findings, check could not see everything',
  ],
  ['2', 'wrong usage or configuration, an ambiguous id; nothing was touched'],
  ['3', 'something was changed, and some messages failed, were skipped or are uncertain'],
  ['4', 'ids or filters matched nothing, or a file to import holds nothing'],
  ['5', "check: more failures match than may; retry --wait: some came back, or the canaries aren't known to stay away"],
  ['130, 143', 'interrupted; what was held was released, what was begun was finished or journaled'],
];

const ENVIRONMENT: readonly [name: string, meaning: string][] = [
  ['BABELQ_CONFIG', 'the configuration file'],
  ['BABELQ_JOURNAL', 'the journal'],
  ['BABELQ_OPERATOR', 'who you are, for the journal; default: user@host'],
  ['AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL, …', "the AWS SDK's own: credentials, region and endpoint"],
  ['VISUAL, EDITOR', 'what retry --edit, and e in the screens, open a body in; default: vi'],
  ['NO_COLOR', 'no colours'],
  ['FORCE_COLOR', 'colours also where no terminal is written to; 0 or false: none'],
];

const FILES: readonly [name: string, meaning: string][] = [
  ['./babelq.yaml, $XDG_CONFIG_HOME/babelq/config.yaml', 'the configuration; $XDG_CONFIG_HOME is ~/.config unless set'],
  [
    '$XDG_STATE_HOME/babelq/journal.db',
    'the journal: what was done, and for 30 days what was dismissed; $XDG_STATE_HOME is ~/.local/state unless set',
  ],
  ['$XDG_CACHE_HOME/babelq', 'compiled code of babelq, to start faster; it may be removed'],
];

/** babelq(1), in man's own macros, from the same data as the help. Without a date: it is the same in every build. */
export function manPage(version: string): string {
  return `${[
    `.TH BABELQ 1 "" ${quoted(`babelq ${version}`)} "User Commands"`,
    '.SH NAME',
    'babelq \\- list, inspect, retry and dismiss failed messages',
    '.SH SYNOPSIS',
    '.B babelq',
    '[\\fIoptions\\fR] [\\fIcommand\\fR]',
    '.SH DESCRIPTION',
    ...paragraph(
      'Reads the failures on Amazon SQS dead-letter queues, put there by SQS or by a BabelQueue app, and those that a jadpo app parked, as one list. Alone, on a terminal, it opens its screens.',
    ),
    '.SH COMMANDS',
    ...COMMANDS.flatMap(commandLines),
    '.SH OPTIONS',
    'Every command takes these, before or after its name.',
    ...GLOBAL_OPTIONS.flatMap(optionLines),
    ...optionLines({ flags: '-h, --help', help: 'prints help, of a command or of all' }),
    ...optionLines({ flags: '-V, --version', help: 'prints the version' }),
    '.SH EXIT STATUS',
    ...EXIT_STATUS.flatMap(([code, meaning]) => tagged(bold(code), meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => tagged(bold(name), meaning)),
    '.SH FILES',
    ...FILES.flatMap(([name, meaning]) => tagged(italic(name), meaning)),
  ].join('\n')}\n`;
}

function commandLines(spec: CommandSpec): string[] {
  const { name, alias, arguments: given, summary, details, options, examples } = spec;
  const usage = [bold(`babelq ${name}`), ...(given === undefined ? [] : [italic(given.spec)]), '[\\fIoptions\\fR]'];
  const also = alias === undefined ? '' : ` Also: babelq ${alias}.`;
  return [
    `.SS ${usage.join(' ')}`,
    ...paragraph(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${also}`),
    ...(details === undefined ? [] : paragraph(details.replaceAll('\n', ' '))),
    ...(given === undefined ? [] : tagged(italic(given.spec), given.help)),
    ...options.flatMap(optionLines),
    ...paragraph('Examples:'),
    '.PP',
    '.RS',
    '.nf',
    ...examples.map(textLine),
    '.fi',
    '.RE',
  ];
}

function optionLines({ flags, help, choices }: OptionSpec): string[] {
  const [, names = flags, value] = /^([^<]*[^< ]) ?(<[^>]+>)?$/.exec(flags) ?? [];
  const tag = value === undefined ? bold(names) : `${bold(names)} ${italic(value.slice(1, -1))}`;
  return tagged(tag, choices === undefined ? help : `${help}: ${choices.join(', ')}`);
}

function tagged(tag: string, text: string): string[] {
  return ['.TP', tag, textLine(text)];
}

function paragraph(text: string): string[] {
  return ['.PP', textLine(text)];
}

/** A line of text: one that begins with a dot would be a request. */
function textLine(text: string): string {
  return escaped(text).replace(/^\./, '\\&.');
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${escaped(text)}\\fR`;
}

/** Typographic stand-ins as the characters that are typed, so that what is shown can be copied. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll('…', '...');
}

function quoted(text: string): string {
  return `"${escaped(text)}"`;
}
