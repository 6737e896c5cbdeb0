import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The built bin. */
export const BIN = resolve(import.meta.dirname, '../../dist/babelq.js');

export interface Ran {
  stdout: string;
  stderr: string;
  code: number | null;
}

export interface Running {
  readonly pid: number;
  /** What was printed so far. */
  readonly soFar: { stdout: string; stderr: string };
  /** Resolves as soon as stderr holds the text. */
  said(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Closes our end of its stdout, as `| head` does. */
  closeStdout(): void;
  readonly done: Promise<Ran>;
}

export interface RunOptions {
  env?: Readonly<Record<string, string>>;
  input?: string;
}

/** A person's machine: a home, a folder to work in, and an environment with nothing of ours in it. */
export class Sandbox {
  readonly home = mkdtempSync(join(tmpdir(), 'babelq-'));
  readonly env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      XDG_STATE_HOME: join(this.home, 'state'),
      XDG_CONFIG_HOME: join(this.home, 'config'),
      TZ: 'UTC',
      BABELQ_OPERATOR: 'ana@desk',
      ...env,
    };
  }

  /** Starts the built bin, and doesn't wait. */
  start(args: readonly string[], { env = {}, input }: RunOptions = {}): Running {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: this.home, env: { ...this.env, ...env } });
    const soFar = { stdout: '', stderr: '' };
    const waiting: { text: string; heard: () => void }[] = [];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      soFar.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      soFar.stderr += chunk;
      for (const { text, heard } of waiting) if (soFar.stderr.includes(text)) heard();
    });
    child.stdin.on('error', () => {}).end(input ?? '');
    return {
      pid: child.pid ?? 0,
      soFar,
      said: (text) =>
        new Promise((heard) => {
          if (soFar.stderr.includes(text)) heard();
          else waiting.push({ text, heard });
        }),
      kill: (signal) => {
        child.kill(signal);
      },
      closeStdout: () => {
        child.stdout.destroy();
      },
      done: new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('close', (code) => resolve({ ...soFar, code }));
      }),
    };
  }

  /** Runs the built bin to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran> {
    return this.start(args, options).done;
  }

  /** Runs it, expects exit 0, and reads stdout as JSON. */
  async json<T>(args: readonly string[], options?: RunOptions): Promise<T> {
    const { stdout, stderr, code } = await this.run([...args, '--json'], options);
    if (code !== 0) throw new Error(`babelq ${args.join(' ')} exited ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  path(name: string): string {
    return join(this.home, name);
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}
