import { type FileHandle, open } from 'node:fs/promises';

/**
 * Brings what was committed to disk, as SQLite's `synchronous = FULL` does at the end of each commit, but without holding
 * the process up: in WAL mode a commit is frames appended to the log, so it is safe once the log is synced. While that
 * is under way calls go on, and what they commit next shares the next sync.
 */
export class Disk {
  readonly #log: string;
  #handle: FileHandle | null = null;

  /** @param path the database's; its log is beside it for as long as the database is open */
  constructor(path: string) {
    this.#log = `${path}-wal`;
  }

  /** Resolves when everything committed before the call is on disk. @throws the system's error, EIO or ENOSPC */
  async sync(): Promise<void> {
    this.#handle ??= await open(this.#log, 'r+');
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
  }
}
