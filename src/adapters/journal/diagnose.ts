import { constants, type Stats } from 'node:fs';
import { access, lstat, realpath, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JournalDiagnosis } from '../../model/doctor/diagnosis.ts';
import { BabelqError } from '../../model/errors.ts';
import { journalTrouble } from './trouble.ts';

/** Linux's numbers for the file systems of a network (statfs(2)), and of memory, which a restart empties. */
const NETWORKS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x73757245, 'Coda'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
]);
const MEMORY = new Set([0x01021994, 0x858458f6]);
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/run', '/private/tmp', '/private/var/tmp'];

/** Looks at the journal's file and folder, and writes, makes and mends nothing. What is wrong inside shows when it is opened. */
export async function diagnoseFile(path: string): Promise<JournalDiagnosis> {
  const file = await facts(path);
  const [folder, folderFacts] = await nearestFolder(dirname(path));
  const exists = file !== null;
  const type = await statfs(folder).then(
    (found) => found.type,
    () => null,
  );
  const owned = process.getuid !== undefined;
  const made = folder === dirname(path);
  return {
    location: path,
    exists,
    trouble: await trouble(path, exists, folder, folderFacts),
    network: process.platform === 'linux' && type !== null ? (NETWORKS.get(type >>> 0) ?? null) : null,
    temporary: (process.platform === 'linux' && type !== null && MEMORY.has(type >>> 0)) || (await isTemporary(folder)),
    mode: owned && file !== null ? file.mode & 0o7777 : null,
    folderMode: owned && made && folderFacts !== null ? writersOf(folderFacts) : null,
  };
}

async function trouble(
  path: string,
  exists: boolean,
  folder: string,
  found: Stats | null,
): Promise<BabelqError | null> {
  try {
    if (found !== null && !found.isDirectory())
      throw Object.assign(new Error(`${folder} is no folder`), { code: 'ENOTDIR' });
    // SQLite makes its log beside the file.
    await access(folder, constants.W_OK | constants.X_OK);
    if (exists) await access(path, constants.R_OK | constants.W_OK);
    if ((await statfs(folder)).bavail === 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    return null;
  } catch (error) {
    const known = journalTrouble(error, path);
    if (known instanceof BabelqError) return known;
    throw error;
  }
}

/** The folder, or the one above it that is there: in it the missing ones would be made. */
async function nearestFolder(folder: string): Promise<[path: string, facts: Stats | null]> {
  const found = await stat(folder).catch(() => null);
  if (found !== null || dirname(folder) === folder) return [folder, found];
  return nearestFolder(dirname(folder));
}

/** The user's own group is, on most systems, nobody else's: their umask lets it write. */
function writersOf({ mode, gid }: Stats): number {
  return mode & (gid === process.getgid?.() ? 0o7757 : 0o7777);
}

async function isTemporary(folder: string): Promise<boolean> {
  const places = await Promise.all([...TEMPORARY, tmpdir()].map((place) => realpath(place).catch(() => place)));
  const real = await realpath(folder).catch(() => folder);
  return places.some((place) => real === place || real.startsWith(join(place, '/')));
}

async function facts(path: string): Promise<Stats | null> {
  return lstat(path).catch(() => null);
}
