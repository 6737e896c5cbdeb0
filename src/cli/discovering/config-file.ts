import { copyFile, type FileHandle, mkdtemp, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
 * Writes the configuration, whole or not at all.
 * @param file absolute
 * @param replace in place of a file that is there, which is then kept beside it
 * @returns where the replaced file is kept; null where there was none
 * @throws BabelqError `usage` where there is one, `config` where it can't be written
 */
export async function writeNew(file: string, text: string, replace: boolean): Promise<string | null> {
  try {
    if (replace) return await writeInPlace(await realpath(file).catch(() => file), text);
    await writeWhole(file, text);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw isThere(file);
    throw unwritable(file, error);
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** What is there stays under its name until all that is new is on disk. */
async function writeInPlace(file: string, text: string): Promise<string | null> {
  const folder = await mkdtemp(join(dirname(file), '.babelq-'));
  try {
    const [fresh, old] = [join(folder, 'new'), join(folder, 'old')];
    await writeWhole(fresh, text);
    const hadOne = await copyFile(file, old).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
    if (hadOne) await rename(old, `${file}.old`);
    await rename(fresh, file);
    return hadOne ? `${file}.old` : null;
  } finally {
    await rm(folder, { recursive: true, force: true });
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
