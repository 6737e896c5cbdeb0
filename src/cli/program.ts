import { Command, CommanderError, Option } from 'commander';
import { BabelqError } from '../model/errors.ts';
import { COMMANDS, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec, topNames } from './catalog.ts';
import { type GlobalOptions, USUAL_OUTPUTS } from './global-options.ts';
import type { Io } from './io.ts';
import { suggestion } from './suggest.ts';

/** What was typed, read: which command, with what, or only a text to print (help, the version). */
export type Parsed =
  | { kind: 'command'; spec: CommandSpec; args: string[]; options: Record<string, unknown>; global: GlobalOptions }
  | { kind: 'nothing'; help: string; global: GlobalOptions }
  | { kind: 'text'; text: string };

/** Reads the command line. @throws BabelqError `usage` */
export function parseCommandLine(argv: readonly string[], version: string, io: Pick<Io, 'stdout'>): Parsed {
  const help = argv.some((word) => /^(help|-h|--help)$/.test(word));
  const named = COMMANDS.filter(({ name, alias }) =>
    argv.some((word) => word === name.split(' ')[0] || word === alias),
  );
  // Commands take long to make, and those that aren't named matter to helps and to suggestions after a mistake only.
  if (!help && named.length > 0) {
    try {
      const parsed = parseAmong(named, argv, version, io);
      if (parsed.kind === 'command') return parsed;
    } catch {
      // The same mistake is met again, and told with all commands at hand.
    }
  }
  return parseAmong(COMMANDS, argv, version, io);
}

function parseAmong(
  commands: readonly CommandSpec[],
  argv: readonly string[],
  version: string,
  io: Pick<Io, 'stdout'>,
): Parsed {
  let text = '';
  let chosen: Parsed | undefined;
  const program = new Command('babelq')
    .description(
      'Lists, inspects, retries and dismisses failed messages: on SQS dead-letter queues and parked by jadpo.',
    )
    .usage('[options] [command]')
    .version(version, '-V, --version', 'prints the version')
    .helpOption('-h, --help', 'prints this help')
    .helpCommand('help [command]', 'prints the help of a command')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(io.stdout.columns || 80, 100) })
    .configureOutput({
      writeOut: (written) => {
        text += written;
      },
      writeErr: () => {},
      outputError: () => {},
    });
  addOptions(program, GLOBAL_OPTIONS);
  for (const spec of commands) {
    const command = commandFor(program, spec.name).summary(spec.summary).description(describe(spec));
    if (spec.alias) command.alias(spec.alias);
    if (spec.arguments) command.argument(spec.arguments.spec, spec.arguments.help);
    addOptions(command, spec.options);
    command.addHelpText('after', examples(spec.examples));
    command.action(() => {
      const global = globalOf(program);
      refuseOutput(global.output, spec);
      chosen = { kind: 'command', spec, args: command.args, options: command.opts(), global };
    });
  }
  program.addHelpText(
    'after',
    `${examples([
      'babelq sources discover --write',
      'babelq --sqs orders-dlq --jadpo build/local.sqlite deliveries',
      'babelq inspect 4f2a91c3',
      'babelq retry --reason failed --since 2h',
    ])}\n\nbabelq alone, on a terminal, opens its screens. Each command has its own help: babelq retry --help`,
  );
  try {
    program.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.help' && program.args.length === 0) {
      program.outputHelp();
      return { kind: 'nothing', help: text, global: globalOf(program) };
    }
    if (error.exitCode === 0) return { kind: 'text', text };
    throw usageError(error, program, argv);
  }
  if (chosen === undefined) return { kind: 'text', text };
  return chosen;
}

/** A command of two words is below the first one's, which may be a command by itself (`sources`) or only hold others. */
function commandFor(program: Command, name: string): Command {
  const [first = '', second] = name.split(' ');
  if (second === undefined) return program.command(first);
  const above = program.commands.find((one) => one.name() === first);
  return (above ?? program.command(first).summary(`is followed by ${secondWords(first).join(', ')}`)).command(second);
}

function addOptions(command: Command, specs: readonly OptionSpec[]): void {
  for (const { flags, help, repeats, choices } of specs) {
    const option = new Option(flags, help);
    if (choices) option.choices([...choices]);
    if (repeats) option.argParser((value: string, earlier: string[] | undefined) => [...(earlier ?? []), value]);
    command.addOption(option);
  }
}

function describe(spec: CommandSpec): string {
  const summary = `${spec.summary.charAt(0).toUpperCase()}${spec.summary.slice(1)}.`;
  return spec.details === undefined ? summary : `${summary} ${spec.details.replace(/\n/g, ' ')}`;
}

function examples(lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line.startsWith('#') ? line : `$ ${line}`}`).join('\n')}`;
}

function refuseOutput(output: GlobalOptions['output'], spec: CommandSpec): void {
  const outputs = spec.outputs ?? USUAL_OUTPUTS;
  if (outputs.includes(output)) return;
  throw new BabelqError('usage', `babelq ${spec.name} has no --output ${output}.`, {
    hint: `It has ${outputs.join(', ')}.`,
  });
}

function globalOf(program: Command): GlobalOptions {
  const given = program.opts<{ json?: true } & Partial<GlobalOptions>>();
  if (given.json && given.output !== undefined && given.output !== 'json') {
    throw new BabelqError('usage', `--json and --output ${given.output} ask for different things.`, {
      hint: 'Give one of them.',
    });
  }
  if (given.journal?.trim() === '') {
    throw new BabelqError('usage', '--journal needs the name of a file, and is empty.', {
      hint: 'For example --journal /var/lib/babelq/journal.db. Leave it out for the usual place.',
    });
  }
  return {
    ...(given.config !== undefined && { config: given.config }),
    ...(given.journal !== undefined && { journal: given.journal }),
    ...(given.timeout !== undefined && { timeout: given.timeout }),
    source: given.source ?? [],
    sqs: given.sqs ?? [],
    jadpo: given.jadpo ?? [],
    output: given.json ? 'json' : (given.output ?? 'table'),
    allowReceive: given.allowReceive ?? false,
    color: given.color ?? true,
    quiet: given.quiet ?? false,
    verbose: given.verbose ?? false,
  };
}

function secondWords(first = ''): string[] {
  return COMMANDS.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
}

/** Commander's sentence as one of ours: `error: unknown option '--resaon'\n(Did you mean --reason?)`. */
function usageError(error: CommanderError, program: Command, argv: readonly string[]): BabelqError {
  if (error.code === 'commander.help') {
    const name = argv.at(-1) ?? '';
    const below = secondWords(program.args[0]);
    if (below.length > 0) {
      return new BabelqError('usage', `babelq ${program.args[0]} does nothing by itself.`, {
        hint: `It is followed by ${below.join(', ')}.`,
      });
    }
    const names = topNames();
    return new BabelqError('usage', `Unknown command '${name}'.`, { hint: suggestion(name, names) });
  }
  const [sentence = '', more] = error.message.replace(/^error: /, '').split('\n');
  const message = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1).replace(/\.$/, '')}.`;
  const near = more?.match(/^\((Did you mean .*)\)$/)?.[1];
  const [first, second] = program.args;
  const names = [`${first} ${second}`, first];
  const command = COMMANDS.find(({ name, alias }) => names.includes(name) || (alias !== undefined && alias === first));
  const help = command === undefined ? 'babelq --help' : `babelq ${command.name} --help`;
  const below = secondWords(first);
  if (
    error.code === 'commander.excessArguments' &&
    second !== undefined &&
    below.length > 0 &&
    !below.includes(second)
  ) {
    return new BabelqError('usage', `There is no babelq ${first} ${second}.`, { hint: suggestion(second, below) });
  }
  return new BabelqError('usage', message, { hint: near ?? `${help} shows what it takes.` });
}
