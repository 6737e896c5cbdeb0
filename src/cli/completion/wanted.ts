import { COMMANDS, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from '../catalog.ts';

/** What stands at the cursor. */
type Wanted =
  | { kind: 'command' }
  /** The second word of a command of two; the command of the first word, where that is one. */
  | { kind: 'subcommand'; below: string; command: CommandSpec | undefined; given: ReadonlySet<string> }
  /** Options that may still be given; a positional too, where the command takes one here. */
  | { kind: 'option'; command: CommandSpec | undefined; given: ReadonlySet<string> }
  | { kind: 'value'; option: OptionSpec; name: string; command: CommandSpec | undefined }
  | { kind: 'argument'; command: CommandSpec };

export interface Cursor {
  wanted: Wanted;
  /** What was typed of it. */
  typed: string;
  /** What stands before that in the same word: `--queue=`. */
  before: string;
  /** The values of options that were given. */
  values: ReadonlyMap<string, readonly string[]>;
}

/** Reads the words after `babelq` up to the cursor, the last of which is being typed. Never throws. */
export function cursorAt(words: readonly string[]): Cursor {
  const current = words.at(-1) ?? '';
  const read = readWords(words.slice(0, -1));
  const { command, values, arguments: count, pending, onlyArguments } = read;
  const at = (wanted: Wanted, typed = current, before = ''): Cursor => ({ wanted, typed, before, values });
  if (pending !== null) return at({ kind: 'value', ...pending, command });
  const equals = current.indexOf('=');
  if (!onlyArguments && current.startsWith('--') && equals > 0) {
    const name = current.slice(0, equals);
    const option = optionNamed(name, command);
    if (option !== undefined) {
      return at({ kind: 'value', option, name, command }, current.slice(equals + 1), current.slice(0, equals + 1));
    }
  }
  if (!onlyArguments && current.startsWith('-')) {
    return at({ kind: 'option', command, given: new Set(values.keys()) });
  }
  if (read.group !== null && count === 0) {
    return at({ kind: 'subcommand', below: read.group, command, given: new Set(values.keys()) });
  }
  if (command === undefined) return at({ kind: 'command' });
  const several = command.arguments?.spec.includes('...') === true;
  if (command.arguments !== undefined && (several || count === 0)) return at({ kind: 'argument', command });
  return at({ kind: 'option', command, given: new Set(values.keys()) });
}

/** The options that a command takes, its own first. */
export function optionsOf(command: CommandSpec | undefined): readonly OptionSpec[] {
  return [...(command?.options ?? []), ...GLOBAL_OPTIONS];
}

/** `--queue` of `--queue <glob>`. */
export function nameOfOption({ flags }: OptionSpec): string {
  return flags.split(' ')[0] ?? flags;
}

/** `glob` of `--queue <glob>`; null for one that takes no value. */
export function placeholderOf({ flags }: OptionSpec): string | null {
  return /<([^>]+)>/.exec(flags)?.[1] ?? null;
}

interface Read {
  command: CommandSpec | undefined;
  /** The first word, where it may be followed by a second one. */
  group: string | null;
  values: Map<string, string[]>;
  arguments: number;
  /** The option whose value comes next. */
  pending: { option: OptionSpec; name: string } | null;
  /** After `--`. */
  onlyArguments: boolean;
}

function readWords(words: readonly string[]): Read {
  const read: Read = {
    command: undefined,
    group: null,
    values: new Map(),
    arguments: 0,
    pending: null,
    onlyArguments: false,
  };
  const give = (name: string, value: string) => read.values.set(name, [...(read.values.get(name) ?? []), value]);
  for (const word of words) {
    if (read.pending !== null) {
      give(read.pending.name, word);
      read.pending = null;
    } else if (read.onlyArguments || !word.startsWith('-')) {
      takeWord(read, word);
    } else if (word === '--') read.onlyArguments = true;
    else {
      const equals = word.indexOf('=');
      const name = equals > 0 ? word.slice(0, equals) : word;
      const option = optionNamed(name, read.command);
      if (option === undefined) continue;
      if (equals > 0) give(name, word.slice(equals + 1));
      else if (placeholderOf(option) === null) give(name, '');
      else read.pending = { option, name };
    }
  }
  return read;
}

function takeWord(read: Read, word: string): void {
  const below = read.group === null ? undefined : commandNamed(`${read.group} ${word}`);
  if (below !== undefined) {
    read.command = below;
    read.group = null;
  } else if (read.command !== undefined || read.group !== null) {
    read.arguments += 1;
  } else {
    read.command = commandNamed(word);
    if (COMMANDS.some(({ name }) => name.startsWith(`${word} `))) read.group = word;
  }
}

function commandNamed(typed: string): CommandSpec | undefined {
  return COMMANDS.find(({ name, alias }) => typed === name || typed === alias);
}

function optionNamed(name: string, command: CommandSpec | undefined): OptionSpec | undefined {
  return optionsOf(command).find((option) => nameOfOption(option) === name);
}
