import { type FileHandle, open } from 'node:fs/promises';
import { quoteTyped } from '../../model/display/escape.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';

/**
 * Refuses to write where a file is already, before anything is asked: who waits a minute wants no refusal at its end.
 * @param file absolute
 * @throws BabelqError `usage` where there is one, `config` where that can't be told
 */
export async function refuseFile(file: string): Promise<void> {
  if (/[*?]/.test(file)) {
    throw new BabelqError('usage', `--write was given ${quoteTyped(file)}, which looks like names of queues.`, {
      hint: "Put names before it: babelq sources discover 'orders-*' --write",
    });
  }
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw unwritable(file, error);
  }
  await handle.close();
  throw isThere(file);
}

/**
 * Writes the configuration.
 * @param file absolute
 * @param replace writes over a file that is there
 * @throws BabelqError `usage` where there is one, `config` where it can't be written
 */
export async function writeNew(file: string, text: string, replace: boolean): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, replace ? 'w' : 'wx', 0o644);
    await handle.writeFile(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw isThere(file);
    throw unwritable(file, error);
  } finally {
    await handle?.close();
  }
}

function isThere(file: string): BabelqError {
  return new BabelqError('usage', `The file ${file} is there already, and was left as it is.`, {
    hint: 'Name another (--write FILE), leave --write out to see what would be written, or say --replace.',
  });
}

function unwritable(file: string, cause: unknown): BabelqError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new BabelqError('config', `The file ${file} can't be written: ${code}.`, {
    hint: 'Name another place with --write FILE.',
    exit: EXIT.couldNot,
    cause,
  });
}
