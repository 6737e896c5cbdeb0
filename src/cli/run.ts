import { parseDuration } from '../model/duration.ts';
import { BabelqError, EXIT, Interrupted } from '../model/errors.ts';
import { ON_A_TERMINAL } from './catalog.ts';
import { ASKED_BY } from './completion/shells.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Io } from './io.ts';
import type { OpenRequest } from './open.ts';
import { type Parsed, parseCommandLine } from './program.ts';
import { Interrupts, type SignalHost } from './signals.ts';
import { Terminal } from './terminal.ts';
import { complainOf } from './trouble.ts';

declare const BABELQ_VERSION: string;

/** One run of babelq, from the command line to the exit code. Prints every error itself; never throws. */
export async function run(argv: readonly string[], io: Io, host: SignalHost): Promise<number> {
  if (argv[0] === ASKED_BY) {
    const { complete } = await import('./completion/complete.ts');
    return print(io, await complete(argv.slice(1), io));
  }
  let parsed: Parsed;
  try {
    parsed = parseCommandLine(argv, BABELQ_VERSION, io);
  } catch (error) {
    // The options couldn't be read, so what they ask of an error's form is guessed from the words.
    const json =
      argv.includes('--json') || argv.includes('--output=json') || argv[argv.indexOf('--output') + 1] === 'json';
    const terminal = new Terminal(io, { color: !argv.includes('--no-color'), quiet: false });
    const { exit } = complainOf(error, terminal, {
      output: json ? 'json' : 'table',
      verbose: argv.includes('--verbose'),
    });
    await terminal.flush();
    return exit;
  }
  if (parsed.kind === 'text') return print(io, parsed.text);
  if (parsed.kind === 'command') return runCommand(parsed, io, host);
  const spec = io.stdin.isTTY === true && io.stdout.isTTY === true ? ON_A_TERMINAL : undefined;
  if (spec === undefined) return print(io, parsed.help);
  return runCommand({ kind: 'command', spec, args: [], options: {}, global: parsed.global }, io, host);
}

async function print(io: Io, text: string): Promise<number> {
  const terminal = new Terminal(io, { color: false, quiet: true });
  terminal.write(text);
  const told = tellUnwritten(terminal, { output: 'table', verbose: false });
  await terminal.flush();
  return told ? EXIT.couldNot : EXIT.done;
}

async function runCommand(parsed: Parsed & { kind: 'command' }, io: Io, host: SignalHost): Promise<number> {
  const { global } = parsed;
  const terminal = new Terminal(io, global);
  const interrupts = new Interrupts(host, (line) => terminal.complain(line));
  const opened: { close(): Promise<void> }[] = [];
  const context: Context = {
    io,
    global,
    terminal,
    signal: interrupts.signal,
    whileAsking: (ask) => interrupts.whileAsking(ask),
    whileAway: (work) => interrupts.whileAway(work),
    open: async () => {
      const { openWorkspace } = await import('./open.ts');
      const workspace = await openWorkspace(openRequest(global, io));
      opened.push(workspace);
      interrupts.watch(workspace.sources);
      return workspace;
    },
    openJournal: async () => {
      const { openJournalOnly } = await import('./open.ts');
      const both = await openJournalOnly(openRequest(global, io));
      opened.push(both.journal);
      return both;
    },
    configured: async () => {
      const { configuredFor } = await import('./open.ts');
      return configuredFor(openRequest(global, io));
    },
    openDiscovery: async () => {
      const { openDiscovery } = await import('./open.ts');
      const discovery = await openDiscovery(openRequest(global, io));
      opened.push(discovery);
      return discovery;
    },
    openJournalCare: async () => {
      const { openJournalCare } = await import('./open.ts');
      const both = await openJournalCare(openRequest(global, io));
      opened.push(both.care);
      return both;
    },
  };
  let code: number;
  try {
    if (global.timeout !== undefined) interrupts.limit(timeLimit(global.timeout));
    const { run } = await parsed.spec.load();
    code = await run(parsed.args, parsed.options, context);
  } catch (error) {
    code = error instanceof Interrupted ? EXIT.interrupted : complainOf(error, terminal, global).exit;
  }
  interrupts.finished();
  if (interrupts.timedOut && interrupts.code === null) {
    complainOf(timedOut(global.timeout ?? ''), terminal, global);
    // What was changed, or came back, is told by the command's own code.
    if (code === EXIT.done || code === EXIT.interrupted) code = EXIT.couldNot;
  }
  await Promise.allSettled(opened.map((one) => one.close()));
  const changed = mayHaveChanged(parsed);
  if (tellUnwritten(terminal, global, changed) && code === EXIT.done) code = changed ? EXIT.partly : EXIT.couldNot;
  await terminal.flush();
  interrupts.dispose();
  return interrupts.code ?? code;
}

/** @returns whether what was to be printed could not be written */
function tellUnwritten(terminal: Terminal, how: Pick<GlobalOptions, 'output' | 'verbose'>, changed = false): boolean {
  const { trouble } = terminal;
  if (trouble === null) return false;
  const why = WHY_UNWRITTEN[trouble.code ?? ''] ?? trouble.code ?? trouble.message;
  const error = new BabelqError('output', `What was to be printed could not be written, or not all of it: ${why}.`, {
    hint: changed
      ? 'What was done is in the journal all the same: babelq log shows it.'
      : 'What is there is not whole: make room, or write elsewhere, and run it again.',
    cause: trouble,
  });
  complainOf(error, terminal, how);
  return true;
}

const WHY_UNWRITTEN: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file is too large',
  EIO: 'the disk failed',
};

/** Whatever changes something can be asked for a dry run first. */
function mayHaveChanged({ spec, options }: Parsed & { kind: 'command' }): boolean {
  return spec.options.some(({ flags }) => flags === '--dry-run') && options.dryRun !== true;
}

function timeLimit(text: string): number {
  const ms = parseDuration(text, '--timeout');
  if (ms > 0) return ms;
  throw new BabelqError('usage', '--timeout needs some time to do anything.', { hint: 'For example --timeout 30s.' });
}

function timedOut(limit: string): BabelqError {
  return new BabelqError('timed_out', `It was not done when the time of --timeout ${limit} was over.`, {
    hint: 'What was begun was finished or journaled, and what was held released. Give it more time, or fewer messages.',
  });
}

function openRequest(global: GlobalOptions, io: Io): OpenRequest {
  const { sqs, jadpo, source, config, journal } = global;
  return {
    sqs,
    jadpo,
    source,
    ...(config !== undefined && { config }),
    ...(journal !== undefined && { journal }),
    env: io.env,
    cwd: io.cwd,
  };
}
