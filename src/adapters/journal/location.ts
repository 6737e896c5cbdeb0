import { constants, lstatSync, type Stats } from 'node:fs';
import { chmod, lstat, mkdir, open, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { BabelqError } from '../../model/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the journal lies unless it is named: `$XDG_STATE_HOME/babelq/journal.db`, else below `~/.local/state`. */
export function defaultJournalPath(env: Environment): string {
  // The XDG specification says that a relative path there is to be ignored.
  const state = env.XDG_STATE_HOME?.startsWith('/') ? env.XDG_STATE_HOME : join(homeOf(env), '.local', 'state');
  return join(state, 'babelq', 'journal.db');
}

function homeOf(env: Environment): string {
  return env.HOME || homedir();
}

/** SQLite's files beside the database. It makes them with the database's own mode, but may find them made by somebody. */
const COMPANIONS = ['-wal', '-shm', '-journal'];

/**
 * Makes sure that the journal's file is a plain one of ours that nobody else can read, before SQLite opens it.
 * @param create makes the file (0600) and its folder (0700) where they aren't there, whatever the umask
 * @returns false where it isn't there and wasn't to be made
 * @throws BabelqError `journal` for a symbolic link, another user's file or folder, or a folder that others may write;
 *   the file system's own errors
 */
export async function prepareFile(path: string, create: boolean, env: Environment): Promise<boolean> {
  const found = lookAt(path);
  if (found === null) {
    if (!create) return false;
    await makeFolder(dirname(path));
  }
  await checkFolder(path, env);
  if (found === null) await makeFile(path);
  for (const companion of ['', ...COMPANIONS]) await checkFile(`${path}${companion}`, path);
  return true;
}

/**
 * Folder by folder: Node's own recursive mkdir never ends where a folder is there that nothing can be made in, as in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  if (await makeOne(folder)) return;
  await makeFolder(dirname(folder));
  if (!(await makeOne(folder))) throw Object.assign(new Error(`no folder ${folder}`), { code: 'ENOENT' });
}

/** @returns false where the folder that it would be in isn't there */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT' && dirname(folder) !== folder) return false;
    throw error;
  }
  await chmod(folder, 0o700);
  return true;
}

async function makeFile(path: string): Promise<void> {
  try {
    // O_EXCL: it doesn't follow a link that somebody puts there meanwhile.
    const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
    await file.chmod(0o600);
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another babelq was faster; the checks that follow look at what it made.
  }
  await syncFolder(dirname(path));
}

/** Without this, a power cut could take the name of a new file whose content is on disk. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function checkFolder(path: string, env: Environment): Promise<void> {
  const folder = dirname(path);
  const facts = await stat(folder);
  // A link right below the root is the system's own (/tmp on macOS): nobody but root can make one there.
  if ((await lstat(folder)).isSymbolicLink() && dirname(folder) !== '/') {
    const real = join(await realpath(folder), basename(path));
    throw refuse(path, `its folder ${folder} is a symbolic link`, `Name the real place: --journal ${real}.`);
  }
  const user = process.getuid?.();
  if (user === undefined) return;
  // What is root's can be changed by nobody who couldn't read everything anyway.
  if (facts.uid !== user && facts.uid !== 0) {
    throw refuse(path, `its folder ${folder} belongs to another user`, 'Name another place with --journal FILE.');
  }
  const isOwn = facts.uid === user && folder === dirname(defaultJournalPath(env));
  if (isOwn && (facts.mode & 0o077) !== 0) {
    await chmod(folder, 0o700);
    return;
  }
  // Where the sticky bit is set, others can neither move nor delete our files.
  if ((facts.mode & 0o1000) !== 0) return;
  if ((facts.mode & 0o002) !== 0) {
    throw refuse(path, `everyone may write to its folder ${folder}`, `Run: chmod o-w ${folder}`);
  }
  // The user's own group is, on most systems, nobody else's: their umask lets it write.
  if ((facts.mode & 0o020) !== 0 && facts.gid !== process.getgid?.()) {
    throw refuse(path, `the group of its folder ${folder} may write to it`, `Run: chmod g-w ${folder}`);
  }
}

async function checkFile(file: string, path: string): Promise<void> {
  const facts = lookAt(file);
  if (facts === null) return;
  if (facts.isSymbolicLink()) {
    throw refuse(path, `${file} is a symbolic link`, 'Name the file it leads to with --journal FILE.');
  }
  if (!facts.isFile()) throw refuse(path, `${file} is not a file`, 'Name another place with --journal FILE.');
  const user = process.getuid?.();
  if (user === undefined) return;
  if (facts.uid !== user) {
    throw refuse(path, `${file} belongs to another user`, 'Name another place with --journal FILE.');
  }
  if ((facts.mode & 0o077) !== 0) await chmod(file, facts.mode & 0o700);
}

/** Synchronous, since a listing that finds no journal then does without node:fs/promises, which takes 2 ms to load. */
function lookAt(file: string): Stats | null {
  try {
    return lstatSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function refuse(path: string, why: string, hint: string): BabelqError {
  return new BabelqError('journal', `The journal ${path} is not used: ${why}.`, { hint });
}
