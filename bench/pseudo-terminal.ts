import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Ink ends a frame with: the terminal shows it whole. */
const FRAME_ENDS = '\x1b[?2026l';

/** A clock tick of /proc, in milliseconds. */
const TICK_MS = 10;

/** A program in a real pseudo-terminal, which util-linux's `script` keeps for us: keys go in, frames come out. */
export class PseudoTerminal {
  readonly #child: ChildProcess;
  readonly #pidFile: string;
  #listeners = new Set<(data: string, at: number) => void>();
  /** A measurement that is cut short leaves no program behind. */
  readonly #atExit = () => this.#end();
  /** Bytes that were written to the terminal so far. */
  written = 0;

  constructor(options: {
    command: readonly string[];
    environment: Readonly<Record<string, string>>;
    columns: number;
    rows: number;
    folder: string;
  }) {
    const { command, environment, columns, rows, folder } = options;
    this.#pidFile = join(folder, 'pid');
    const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
    const line = `stty cols ${columns} rows ${rows}; echo $$ > '${this.#pidFile}'; exec ${quoted}`;
    this.#child = spawn('script', ['-qec', line, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, TERM: 'xterm-256color', SHELL: '/bin/sh', LC_ALL: 'C.UTF-8', ...environment },
    });
    process.once('exit', this.#atExit);
    this.#child.stdout?.setEncoding('utf8');
    this.#child.stdout?.on('data', (data: string) => {
      const at = performance.now();
      this.written += Buffer.byteLength(data);
      for (const listener of this.#listeners) listener(data, at);
    });
  }

  /** Resolves when the text was written, with the time of that: of a line that was there only what changed is written. */
  shows(text: string, patience = 180_000): Promise<number> {
    let tail = '';
    return this.#until(`showed ${JSON.stringify(text)}`, patience, (data) => {
      tail = (tail + data).slice(-10_000);
      return tail.includes(text);
    });
  }

  /** Presses a key, and answers how long it took until the next frame was out whole, in milliseconds. */
  async press(key: string): Promise<number> {
    const from = performance.now();
    const frame = this.#until(`answered ${JSON.stringify(key)}`, 10_000, (data) => data.includes(FRAME_ENDS));
    this.#child.stdin?.write(key);
    return (await frame) - from;
  }

  /** Presses a key, and answers how long it took until the text was written. */
  async pressUntil(key: string, text: string): Promise<number> {
    const from = performance.now();
    const shown = this.shows(text);
    this.#child.stdin?.write(key);
    return (await shown) - from;
  }

  /** The processor time that the program has taken so far, in milliseconds. */
  get cpuMs(): number {
    const pid = readFileSync(this.#pidFile, 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold anything, in brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  async close(): Promise<void> {
    const ended = new Promise((done) => this.#child.once('close', done));
    process.off('exit', this.#atExit);
    if (this.#end()) await ended;
  }

  /** Whether there was something to end. */
  #end(): boolean {
    if (this.#child.exitCode !== null) return false;
    try {
      // The program before the terminal: it may have to give something back.
      process.kill(Number(readFileSync(this.#pidFile, 'utf8').trim()));
    } catch {
      this.#child.kill();
    }
    return true;
  }

  #until(what: string, patience: number, isIt: (data: string) => boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#listeners.delete(listener);
        reject(new Error(`The screens never ${what}.`));
      }, patience);
      const listener = (data: string, at: number) => {
        if (!isIt(data)) return;
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve(at);
      };
      this.#listeners.add(listener);
    });
  }
}
