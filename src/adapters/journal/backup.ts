import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { BabelqError } from '../../model/errors.ts';
import type { BackupReport } from '../../model/journal-care.ts';
import { MIGRATIONS } from './schema.ts';

/** Pages of 4 KB that are copied before the process does something else. */
const PAGES_AT_ONCE = 2000;

/**
 * Copies an open database, as it is at one moment, into a new file that nobody else can read. It is made under another name and
 * gets its own only when it is whole and on disk, so that a file of that name is always a good one.
 */
export async function copyDatabase(database: Database, path: string, replace: boolean): Promise<BackupReport> {
  const making = `${path}.${randomBytes(6).toString('hex')}.part`;
  try {
    await refuseTaken(database.name, path, replace);
    // SQLite would make it with the umask's mode.
    await (await open(making, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600)).close();
    await copy(database, making);
    const counts = await checkedCounts(making);
    const size_bytes = await settle(making);
    await name(making, path, replace);
    return { file: path, size_bytes, schema_version: MIGRATIONS.length, ...counts };
  } catch (error) {
    throw backupTrouble(error, path);
  } finally {
    for (const end of ['', '-journal', '-wal', '-shm']) await unlink(`${making}${end}`).catch(() => {});
  }
}

async function refuseTaken(journal: string, path: string, replace: boolean): Promise<void> {
  const there = await lstat(path).catch(() => null);
  if (there === null) return;
  const own = await stat(journal);
  if (there.ino === own.ino && there.dev === own.dev) {
    throw new BabelqError('refused', `${path} is the journal itself.`, { hint: 'Give the copy another name.' });
  }
  if (there.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  if (!replace) throw Object.assign(new Error('is there'), { code: 'EEXIST' });
}

async function copy(database: Database, to: string): Promise<void> {
  // One read transaction around it all: without it the copy would begin anew whenever somebody writes.
  database.exec('BEGIN');
  try {
    database.prepare('SELECT count(*) FROM runs').get();
    await database.backup(to, { progress: () => PAGES_AT_ONCE });
  } finally {
    database.exec('COMMIT');
  }
}

/** Reads the copy once through, and leaves it as one file, which needs no write-ahead log beside it. */
async function checkedCounts(path: string): Promise<Pick<BackupReport, 'runs' | 'entries' | 'messages'>> {
  const { default: Sqlite } = await import('better-sqlite3');
  const copied = new Sqlite(path, { fileMustExist: true });
  try {
    copied.pragma('journal_mode = DELETE');
    const found = copied.pragma('quick_check(1)', { simple: true });
    if (found !== 'ok') {
      throw new BabelqError('journal', `The copy is damaged: ${String(found).slice(0, 200)}.`, {
        hint: 'The journal itself may be: babelq journal info, and look after the disk.',
      });
    }
    const count = (table: string) => Number(copied.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    return { runs: count('runs'), entries: count('entries'), messages: count('messages') };
  } finally {
    copied.close();
  }
}

async function settle(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(0o600);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function name(made: string, path: string, replace: boolean): Promise<void> {
  // A hard link, unlike a renaming, never takes another file's place.
  if (replace) await rename(made, path);
  else await link(made, path);
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path), constants.O_RDONLY);
  await folder.sync().finally(() => folder.close());
}

const KNOWN: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'its folder is not a folder',
  EACCES: "its folder can't be written",
  EPERM: "its folder can't be written",
  EROFS: "its folder can't be written",
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EISDIR: 'it is a folder',
  SQLITE_FULL: 'the disk is full',
};

function backupTrouble(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (error instanceof BabelqError) return error;
  if (code === 'EEXIST') {
    return new BabelqError('refused', `${path} is there already, and was left as it is.`, {
      hint: 'Give another name, or --replace to write over it.',
    });
  }
  const why = KNOWN[code];
  if (why === undefined) return error;
  return new BabelqError('journal', `The copy ${path} could not be written: ${why}.`, {
    hint: 'Name another place for it.',
    cause: error,
  });
}
