import { BabelqError } from '../../model/errors.ts';

/** Whether somebody else has the database locked just now: worth another try. */
export function isBusy(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && /^SQLITE_(BUSY|LOCKED)/.test(code);
}

/** Whether the trouble is the database's (its disk, its lock, its file), and not that of one statement. */
export function isWholesale(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && /^SQLITE_(?!CONSTRAINT|MISMATCH|RANGE|TOOBIG|ERROR)/.test(code);
}

const ELSEWHERE = 'or name another place with --journal FILE';
const COPY = 'To look into it only, copy it elsewhere first, with its -wal file.';

const KNOWN: readonly [RegExp, why: string, hint: string][] = [
  [
    /^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT|EFBIG)/,
    'the disk is full',
    `Free some space there, ${ELSEWHERE}.`,
  ],
  [
    /^SQLITE_READONLY_DBMOVED/,
    'the file was moved or deleted while it was open',
    'Put it back where it was, and run the command again.',
  ],
  [
    /^(SQLITE_READONLY|SQLITE_PERM|EROFS|EACCES|EPERM)/,
    "it can't be written",
    `Give yourself the right to write the file and its folder, ${ELSEWHERE}. ${COPY}`,
  ],
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'another program keeps it locked',
    `Wait until that program is done (or end it) and run the command again, ${ELSEWHERE}.`,
  ],
  [
    /^(SQLITE_CANTOPEN|ENOTDIR|EISDIR|ENOENT|ELOOP|ENAMETOOLONG)/,
    "it can't be opened",
    `See that its folder exists and is yours, ${ELSEWHERE}. ${COPY}`,
  ],
  [
    /^SQLITE_CORRUPT/,
    'the file is damaged',
    'It may hold the only copy of what was dismissed: keep it, and save what can be read of it (docs/journal.md). Then move it away, and run the command again with a new one.',
  ],
  [
    /^SQLITE_NOTADB/,
    'the file is not an SQLite database',
    'Name another file with --journal FILE. If it was the journal, keep it: docs/journal.md says what can be saved.',
  ],
  [/^SQLITE_IOERR/, 'the disk reports an error', `Look after the disk, ${ELSEWHERE}.`],
  [
    /^(ERR_DLOPEN_FAILED|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)/,
    "SQLite can't be loaded",
    'Install babelq again on this machine: npm install brings the right build.',
  ],
];

/** Says what is wrong with the journal and what to do. What isn't the journal's trouble comes back as it is. */
export function journalTrouble(error: unknown, location: string): unknown {
  if (error instanceof BabelqError) return error;
  const code = codeOf(error);
  if (code === null) return error;
  const known = KNOWN.find(([pattern]) => pattern.test(code));
  if (known === undefined) return error;
  const [, why, hint] = known;
  return new BabelqError('journal', `The journal ${location} can't be used: ${why}.`, { hint, cause: error });
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
