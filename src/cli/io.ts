import type { Readable, Writable } from 'node:stream';

/** A stream to a person or to a pipe. */
export type OutStream = Writable & { isTTY?: boolean; columns?: number };
export type InStream = Readable & { isTTY?: boolean };

/** What the process gives a run: its streams, its environment and its folder. */
export interface Io {
  stdin: InStream;
  stdout: OutStream;
  stderr: OutStream;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
}
