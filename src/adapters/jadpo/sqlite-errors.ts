import { escapeText } from '../../model/display/escape.ts';
import { BabelqError } from '../../model/errors.ts';

/** SQLite's result code, `SQLITE_BUSY_SNAPSHOT`; null for what isn't its error. */
export function sqliteCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return error.code.startsWith('SQLITE_') ? error.code : null;
}

/** Whether somebody else holds the lock, so that trying again helps. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'));
}

/** SQLite's errors as what they mean for the person. */
export function translate(error: unknown, path: string): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const file = escapeText(path);
  const said = escapeText(error instanceof Error ? error.message : code);
  const is = (...codes: string[]): boolean => codes.some((one) => code === one || code.startsWith(`${one}_`));
  if (is('SQLITE_BUSY', 'SQLITE_LOCKED')) {
    return new BabelqError('locked', `${file} is locked by another program.`, {
      hint: 'Try again once it has finished its write; nothing was changed by this one.',
      cause: error,
    });
  }
  if (is('SQLITE_NOTADB')) {
    return new BabelqError('not_a_database', `${file} is not a SQLite database, or it is encrypted.`, {
      hint: "Give the app's database file; jadpo's local default is build/local.sqlite.",
      cause: error,
    });
  }
  if (is('SQLITE_CORRUPT')) {
    return new BabelqError('not_a_database', `${file} is damaged: SQLite says "${said}".`, {
      hint: `Check it with: sqlite3 FILE "PRAGMA integrity_check", and restore it from a backup.`,
      cause: error,
    });
  }
  if (is('SQLITE_READONLY_ROLLBACK', 'SQLITE_READONLY_RECOVERY')) {
    return new BabelqError('read_only', `${file} has an unfinished write in it that only its app may undo.`, {
      hint: "Start the app once, or run babelq as the app's user: SQLite then puts it right by itself.",
      cause: error,
    });
  }
  if (is('SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'SQLITE_AUTH')) {
    return new BabelqError('read_only', `${file} can't be written, or files can't be made beside it.`, {
      hint: "Run babelq as the app's user, or give yourself write permission on the file and its folder.",
      cause: error,
    });
  }
  if (is('SQLITE_FULL')) {
    return new BabelqError('read_only', `${file} can't be written: the disk is full.`, {
      hint: 'Free some space; nothing was changed.',
      cause: error,
    });
  }
  if (is('SQLITE_IOERR')) {
    return new BabelqError('unreachable', `${file} can't be read or written: SQLite says "${said}" (${code}).`, {
      hint: 'Look at the disk, or the network drive, that it lies on.',
      cause: error,
    });
  }
  return new BabelqError('bad_table', `SQLite refused: "${said}" (${code}).`, {
    hint: 'Check columns: and statuses: of this source against the table.',
    cause: error,
  });
}
