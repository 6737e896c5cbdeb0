import { ago } from '../../model/display/age.ts';
import { OUTCOME_WORDS } from '../../model/display/outcomes.ts';
import { isShellWord } from '../../model/display/shell-word.ts';
import { GROUP_MEMBERS, ORIGINS, STATES } from '../../model/failure.ts';
import type { LogEntry } from '../../model/ports.ts';
import { REASONS } from '../../model/reasons.ts';
import { COMMANDS, type CommandSpec, type OptionSpec, topNames } from '../catalog.ts';
import { USUAL_OUTPUTS } from '../global-options.ts';
import { type Cursor, nameOfOption, optionsOf, placeholderOf } from './wanted.ts';

export interface Candidate {
  value: string;
  /** Empty where there is nothing to say. */
  help: string;
}

/** What can be known without asking any service. */
export interface Known {
  /** The sources' names, as configured. */
  sources(): Promise<readonly string[]>;
  /** What was done lately, newest first. */
  lately(): Promise<readonly LogEntry[]>;
  /** For ages, in milliseconds. */
  now: number;
}

/** How many ids, queues and the like are offered: more is no help. */
const MOST = 100;

/** Lists of closed words that may be given with commas between. */
const LISTS: Readonly<Record<string, readonly string[]>> = { members: GROUP_MEMBERS, origin: ORIGINS, state: STATES };

/**
 * What may stand at the cursor; `files` where it is a file's name. What comes from messages is offered only where no
 * shell reads more into it: a queue's name in a message is somebody's text, and a person may press Enter on it.
 */
export async function candidatesAt(cursor: Cursor, known: Known): Promise<readonly Candidate[] | 'files'> {
  const { wanted, typed, before } = cursor;
  const found =
    wanted.kind === 'command'
      ? commands()
      : wanted.kind === 'option'
        ? options(wanted.command, wanted.given)
        : wanted.kind === 'subcommand'
          ? [...below(wanted.below), ...(wanted.command === undefined ? [] : options(wanted.command, wanted.given))]
          : wanted.kind === 'argument'
            ? await argumentsOf(wanted.command, typed, known)
            : await valuesOf(wanted, typed, known);
  if (found === 'files') return found;
  const seen = new Set<string>();
  return found
    .filter(
      ({ value }) =>
        value.startsWith(typed) && (wanted.kind === 'option' || wanted.kind === 'subcommand' || isPlain(value)),
    )
    .filter(({ value }) => !seen.has(value) && seen.add(value))
    .slice(0, MOST)
    .map(({ value, help }) => ({ value: `${before}${value}`, help }));
}

/** Neither an option, nor something that a shell expands (`=ls` in zsh), nor anything that needs quotes. */
function isPlain(value: string): boolean {
  return isShellWord(value) && /^[\w./]/.test(value);
}

function commands(): Candidate[] {
  return [
    ...topNames().map((value) => ({
      value,
      help: COMMANDS.find(({ name, alias }) => value === name || value === alias)?.summary ?? '',
    })),
    { value: 'help', help: 'prints the help of a command' },
  ];
}

function below(first: string): Candidate[] {
  return COMMANDS.flatMap(({ name, summary }) =>
    name.startsWith(`${first} `) ? [{ value: name.slice(first.length + 1), help: summary }] : [],
  );
}

function options(command: CommandSpec | undefined, given: ReadonlySet<string>): Candidate[] {
  return [
    ...optionsOf(command)
      .filter((option) => option.repeats === true || !given.has(nameOfOption(option)))
      .map((option) => ({ value: nameOfOption(option), help: option.help })),
    { value: '--help', help: 'prints the help' },
  ];
}

async function argumentsOf(command: CommandSpec, typed: string, known: Known): Promise<Candidate[] | 'files'> {
  const { spec = '', values } = command.arguments ?? {};
  if (values !== undefined) return plain(values);
  if (/\bfile\b/.test(spec)) return 'files';
  if (!/\bid\b/.test(spec)) return [];
  const { now } = known;
  return idsFor(command.name, await known.lately()).flatMap(({ id, source, entry }): Candidate[] => {
    const help = `${entry.action} ${OUTCOME_WORDS[entry.outcome]}, ${ago(entry.at, now)}`;
    const whole = { value: id, help };
    // As a person begins it: with the source, or without.
    return typed === '' || id.startsWith(typed) ? [whole] : [{ value: id.slice(source.length + 1), help }];
  });
}

async function valuesOf(
  { option, name, command }: { option: OptionSpec; name: string; command: CommandSpec | undefined },
  typed: string,
  known: Known,
): Promise<Candidate[] | 'files'> {
  const placeholder = placeholderOf(option) ?? '';
  if (name === '--output') return plain(command?.outputs ?? USUAL_OUTPUTS);
  if (option.choices) return plain(option.choices);
  const list = LISTS[placeholder];
  if (list) return listed(list, typed);
  switch (placeholder) {
    case 'file':
    case 'database':
      return 'files';
    case 'name':
      return name === '--source' ? plain(await known.sources()) : [];
    case 'who':
      return plain((await known.lately()).map(({ by }) => by));
    case 'run':
      return (await known.lately()).map(({ run, action, at }) => ({
        value: run,
        help: `${action}, ${ago(at, known.now)}`,
      }));
    case 'queue':
      return plain(queuesOf(await known.lately()));
  }
  switch (name) {
    case '--queue':
      return plain(queuesOf(await known.lately()));
    case '--subject':
      return plain((await known.lately()).flatMap(({ subject }) => subject ?? []));
    case '--reason':
      return [
        ...REASONS.map(({ code, meaning }) => ({ value: code, help: meaning })),
        ...plain((await known.lately()).map(({ reason }) => reason)),
      ];
    default:
      return [];
  }
}

function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, help: '' }));
}

/** The next of a list with commas, with what stands before it. */
function listed(values: readonly string[], typed: string): Candidate[] {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const given = new Set(before.split(','));
  return plain(values.filter((value) => !given.has(value)).map((value) => `${before}${value}`));
}

function queuesOf(lately: readonly LogEntry[]): string[] {
  return lately.flatMap(({ action, queue, to }) => [queue ?? [], action === 'retry' ? (to ?? []) : []].flat());
}

interface Found {
  id: string;
  source: string;
  entry: LogEntry;
}

/**
 * Ids that are worth naming to a command, by the last that was done to each: to restore, what is dismissed; for the log,
 * all; to the others what may still lie there, which is what was restored and what could not be done.
 */
function idsFor(command: string, lately: readonly LogEntry[]): Found[] {
  const seen = new Set<string>();
  return lately.flatMap((entry): Found[] => {
    const { id, source, action, outcome, new_id } = entry;
    if (seen.has(id)) return [];
    seen.add(id);
    const dismissed = action === 'dismiss' && outcome === 'done';
    const itself = { id, source, entry };
    if (command === 'log') return [itself];
    if (command === 'restore') return dismissed ? [itself] : [];
    if (action === 'restore' && outcome === 'done') {
      const now = new_id === null ? id : `${source}/${new_id}`;
      return seen.has(now) && now !== id ? [] : [{ id: now, source, entry }];
    }
    if (outcome === 'failed' || outcome === 'uncertain') return [itself];
    return dismissed && command === 'inspect' ? [itself] : [];
  });
}
