import { fstatSync, writeSync } from 'node:fs';
import { Chalk, type ChalkInstance } from 'chalk';
import type { Io } from './io.ts';

export interface TerminalOptions {
  /** False with --no-color. */
  color: boolean;
  quiet: boolean;
}

/**
 * Where a command prints: data to stdout, everything else to stderr. A closed pipe is no error, the rest is dropped; a file
 * that can't be written is one.
 */
export class Terminal {
  /** The width a table must fit, in columns; null where stdout isn't a terminal, and nothing is cut. */
  readonly columns: number | null;
  /** The width of what is drawn on stderr, in columns. */
  readonly noteColumns: number;
  /** Colours for stdout, none where they would be noise. */
  readonly paint: ChalkInstance;
  /** Colours for stderr. */
  readonly paintNotes: ChalkInstance;
  /** A person sees stderr as it is written: progress may be drawn there. */
  readonly live: boolean;
  /** A person sees stdout. */
  readonly shown: boolean;
  readonly quiet: boolean;
  readonly #out: Pipe;
  readonly #err: Pipe;

  constructor(io: Io, options: TerminalOptions) {
    this.#out = new Pipe(io.stdout);
    this.#err = new Pipe(io.stderr);
    this.shown = io.stdout.isTTY === true;
    this.columns = this.shown ? Math.max(20, io.stdout.columns || 80) : null;
    this.noteColumns = io.stderr.columns || 80;
    this.live = io.stderr.isTTY === true && !options.quiet;
    this.quiet = options.quiet;
    this.paint = new Chalk({ level: colourLevel(io.stdout, io.env, options.color) });
    this.paintNotes = new Chalk({ level: colourLevel(io.stderr, io.env, options.color) });
  }

  /** Data: stdout, as it is. */
  write(data: string | Uint8Array): void {
    this.#out.write(data);
  }

  /** The data goes nowhere any more: nobody reads it (`| head`), or it can't be written. */
  get isGone(): boolean {
    return this.#out.isClosed;
  }

  /** What kept the data from being written to a file; null where it is there, or nobody wanted the rest. */
  get trouble(): NodeJS.ErrnoException | null {
    return this.#out.trouble;
  }

  /** A line beside the data (a summary, a hint): stderr, and nothing with --quiet. */
  say(line: string): void {
    if (!this.quiet) this.complain(line);
  }

  /** A line that --quiet doesn't silence: trouble, a question. */
  complain(line: string): void {
    this.#err.write(`${line}\n`);
  }

  /** Draws on stderr as it is: progress, a prompt. */
  draw(text: string): void {
    this.#err.write(text);
  }

  /** Resolves when everything written has left the process, or has nowhere to go. */
  async flush(): Promise<void> {
    await Promise.all([this.#out.flush(), this.#err.flush()]);
  }
}

/** A stream whose reader may go away (`| head`) without that being an error: what comes after is dropped. */
class Pipe {
  /** What kept a file from being written. */
  trouble: NodeJS.ErrnoException | null = null;
  readonly #stream: NodeJS.WriteStream;
  readonly #file: number | null;
  #closed = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#file = fileOf(stream);
    stream.on('error', () => {
      this.#closed = true;
    });
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  write(data: string | Uint8Array): void {
    if (this.#closed) return;
    if (this.#file === null) this.#stream.write(data);
    else this.#toFile(this.#file, typeof data === 'string' ? Buffer.from(data) : data);
  }

  /** Node's own stream takes a write that a full disk cut short for a whole one. */
  #toFile(file: number, data: Uint8Array): void {
    try {
      for (let at = 0; at < data.length; ) at += writeSync(file, data, at);
    } catch (error) {
      this.trouble = error as NodeJS.ErrnoException;
      this.#closed = true;
    }
  }

  async flush(): Promise<void> {
    if (this.#closed || this.#file !== null) return;
    await new Promise<void>((done) => {
      this.#stream.write('', () => done());
    });
  }
}

/** The descriptor of what has no reader that could go away: a file, or a device that isn't a terminal. */
function fileOf({ fd, isTTY }: NodeJS.WriteStream & { fd?: number }): number | null {
  if (fd === undefined || isTTY) return null;
  const stats = fstatSync(fd);
  return stats.isFIFO() || stats.isSocket() ? null : fd;
}

/** chalk's level: 0 without colours, 1 for the sixteen that every terminal has (and whose hues are the person's own). */
function colourLevel(stream: NodeJS.WriteStream, env: Io['env'], wanted: boolean): 0 | 1 {
  if (!wanted) return 0;
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced === '0' || forced === 'false' ? 0 : 1;
  if (env.NO_COLOR) return 0;
  return stream.isTTY === true && env.TERM !== 'dumb' ? 1 : 0;
}
