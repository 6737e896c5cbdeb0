import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BabelqError, Interrupted } from '../../model/errors.ts';
import type { NumberedLine } from '../../model/operations/import.ts';
import type { Io } from '../io.ts';

/** A file of lines that can be read more than once. */
export interface LineFile {
  /** As messages name it. */
  name: string;
  lines(): AsyncIterable<NumberedLine>;
  remove(): void;
}

/**
 * Opens a file of lines; `-` is stdin, which is kept meanwhile in a private file (0600, in a folder of its own).
 * @throws BabelqError `usage` where it can't be read; Interrupted
 */
export async function openLines(
  path: string,
  { stdin, cwd }: Pick<Io, 'stdin' | 'cwd'>,
  signal: AbortSignal,
): Promise<LineFile> {
  if (path === '-') return keepStdin(stdin, signal);
  const whole = resolve(cwd, path);
  try {
    if ((await stat(whole)).isDirectory()) throw cannotRead(path, 'it is a folder');
  } catch (error) {
    if (error instanceof BabelqError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw cannotRead(path, code === 'ENOENT' ? 'there is no such file' : `it can't be read (${code})`, error);
  }
  return { name: path, lines: () => linesOf(whole, path), remove: () => {} };
}

async function keepStdin(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<LineFile> {
  if (stdin.isTTY) throw cannotRead('-', 'nothing is piped in');
  const folder = mkdtempSync(join(tmpdir(), 'babelq-import-'));
  const remove = () => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const file = join(folder, 'lines.ndjson');
  try {
    // A pipe that its writer never closes must not outlast a signal.
    await pipeline(addAbortSignal(signal, stdin), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    remove();
    throw signal.aborted ? new Interrupted() : cannotRead('-', (error as Error).message, error);
  }
  return { name: 'stdin', lines: () => linesOf(file, 'stdin'), remove };
}

/** Only a line feed ends a line: a JSON text may hold any other. */
async function* linesOf(path: string, name: string): AsyncGenerator<NumberedLine, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pending: string[] = [];
  let number = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      const parts = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
      for (const [at, part] of parts.entries()) {
        pending.push(part);
        if (at === parts.length - 1) continue;
        number += 1;
        const text = pending.join('').trim();
        pending = [];
        if (text !== '') yield { number, text };
      }
    }
    const text = (pending.join('') + decoder.decode()).trim();
    if (text !== '') yield { number: number + 1, text };
  } catch (error) {
    if (error instanceof TypeError) throw cannotRead(name, `line ${number + 1} is not UTF-8`, error);
    throw error;
  }
}

function cannotRead(path: string, why: string, cause?: unknown): BabelqError {
  return new BabelqError('usage', `${path} can't be imported: ${why}.`, {
    hint: 'Give the file that babelq export wrote, or - for stdin.',
    cause,
  });
}
