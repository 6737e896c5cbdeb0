import type { JournalCare } from '../model/journal-care.ts';
import type { Clock } from '../model/ports.ts';
import type { Workspace } from '../model/workspace.ts';
import type { GlobalOptions } from './global-options.ts';
import type { Io } from './io.ts';
import type { Configured, Discovery, OpenedWorkspace } from './open.ts';
import type { Terminal } from './terminal.ts';

/** What a command has in hand while it runs. */
export interface Context {
  io: Io;
  global: GlobalOptions;
  terminal: Terminal;
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP. */
  signal: AbortSignal;
  /** Runs a question to a person, during which nothing is held. */
  whileAsking<T>(ask: () => Promise<T>): Promise<T>;
  /** Leaves the terminal to another program while it runs: Ctrl+C is that one's. */
  whileAway<T>(work: () => Promise<T>): Promise<T>;
  /** Opens the sources and the journal; they are closed when the command is done. */
  open(): Promise<OpenedWorkspace>;
  /** Opens the journal alone, to look into it. */
  openJournal(): Promise<Pick<Workspace, 'journal' | 'clock'>>;
  /** What is configured, and where each value comes from; opens nothing. */
  configured(): Promise<Configured>;
  /** Opens what it takes to find sources. */
  openDiscovery(): Promise<Discovery>;
  /** Opens the journal to look after it. */
  openJournalCare(): Promise<{ care: JournalCare; clock: Clock }>;
}

/** A command: parses what it was given, calls one operation, prints, and answers the exit code. */
export interface CommandModule<Options> {
  run(args: string[], options: Options, context: Context): Promise<number>;
}
