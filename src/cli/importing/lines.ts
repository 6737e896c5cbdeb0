import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BabelqError, Interrupted } from '../../model/errors.ts';
import type { NumberedLine } from '../../model/operations/import.ts';
import type { Io } from '../io.ts';
import { openPipe } from '../named-pipe.ts';

/** A file of lines that can be read more than once. */
export interface LineFile {
  /** As messages name it. */
  name: string;
  lines(): AsyncIterable<NumberedLine>;
  remove(): void;
}

/**
 * Opens a file of lines; `-` is stdin. What can only be read once, stdin or another pipe (`<(zcat orders.ndjson.gz)`), is
 * kept meanwhile in a private file (0600, in a folder of its own).
 * @throws BabelqError `usage` where it can't be read; Interrupted
 */
export async function openLines(
  path: string,
  { stdin, cwd }: Pick<Io, 'stdin' | 'cwd'>,
  signal: AbortSignal,
): Promise<LineFile> {
  if (path === '-') {
    if (stdin.isTTY) throw cannotRead('-', 'nothing is piped in');
    return keep(stdin, 'stdin', path, signal);
  }
  const whole = resolve(cwd, path);
  const found = await stat(whole).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file' : `it can't be read (${error.code})`;
    throw cannotRead(path, why, error);
  });
  if (found.isDirectory()) throw cannotRead(path, 'it is a folder');
  if (!found.isFile()) return keep(await openPipe(whole), path, path, signal);
  return { name: path, lines: () => linesOf(whole, path), remove: () => {} };
}

/** Reads a stream to its end into a file of ours. */
async function keep(stream: Readable, name: string, path: string, signal: AbortSignal): Promise<LineFile> {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-import-'));
  const remove = () => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const file = join(folder, 'lines.ndjson');
  try {
    // A pipe that its writer never closes must not outlast a signal.
    await pipeline(addAbortSignal(signal, stream), createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    remove();
    throw signal.aborted ? new Interrupted() : cannotRead(path, (error as Error).message, error);
  }
  return { name, lines: () => linesOf(file, name), remove };
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
