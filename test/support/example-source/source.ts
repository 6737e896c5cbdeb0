import { readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { asBabelqError, BabelqError, Interrupted } from '../../../src/model/errors.ts';
import type { WholeFailure } from '../../../src/model/failure.ts';
import type {
  ActRequest,
  ActResult,
  Clock,
  Journal,
  ReadRequest,
  ReadResult,
  Source,
  SourceFacts,
  SourceKind,
  TargetFacts,
} from '../../../src/model/ports.ts';
import { toFailure } from './record.ts';
import { Retrying } from './retrying.ts';

export interface FolderOptions {
  /** What ids begin with; the folder's name unless given. */
  name?: string;
  /** Holds `failed/*.json`, one message each, and `inbox/`, which the app reads. */
  folder: string;
}

/** Failed messages in files of a folder: to list, and to move back for their app. Nothing is touched before the first call. */
export function openFolderSource(options: FolderOptions, deps: { journal: Journal; clock: Clock }): Source {
  return new FolderSource(options.name ?? basename(options.folder), resolve(options.folder), deps.journal);
}

class FolderSource implements Source {
  readonly name: string;
  /** A source of babelq's own adds its kind to SourceKind in src/model/ports/source.ts; this one stands outside. */
  readonly kind = 'folder' as string as SourceKind;
  readonly heldIn = 'failed';
  readonly moveTasks = null;
  readonly #folder: string;
  readonly #journal: Journal;

  constructor(name: string, folder: string, journal: Journal) {
    this.name = name;
    this.#folder = folder;
    this.#journal = journal;
  }

  async facts(signal: AbortSignal): Promise<SourceFacts> {
    return this.#named(async () => {
      const ids = await this.#ids(signal);
      return {
        name: this.name,
        kind: this.kind,
        queue: this.heldIn,
        fifo: null,
        visible: ids.length,
        in_flight: 0,
        delayed: 0,
        retention_seconds: null,
        redrive_sources: null,
        error: null,
      };
    });
  }

  async read(request: ReadRequest, visit: (failure: WholeFailure) => 'more' | 'enough'): Promise<ReadResult> {
    return this.#named(async () => {
      const ids = request.states.has('failed') ? await this.#ids(request.signal) : [];
      const about = ids.length;
      let seen = 0;
      for (const id of ids) {
        if (request.signal.aborted) throw new Interrupted();
        const failure = await this.#failure(id);
        // Moved on since the folder was listed: somebody retried it.
        if (failure === null) continue;
        seen += 1;
        request.onProgress?.({ source: this.name, seen, about });
        if (visit(failure) === 'enough') {
          return { seen, about, complete: id === ids.at(-1), note: null, allInFlight: null };
        }
      }
      return { seen, about: seen, complete: true, note: null, allInFlight: null };
    });
  }

  async act(request: ActRequest): Promise<ActResult> {
    return this.#named(async () => {
      const refused = whyRefused(request);
      if (refused !== null) throw new BabelqError('usage', refused, { hint: 'Name the other sources with --source.' });
      const place = `file://${this.#folder}`;
      const ids = await this.#ids(request.signal);
      const read = (id: string) => this.#failure(id);
      return new Retrying(request, { source: this.name, folder: this.#folder, place, journal: this.#journal }).run(
        ids,
        read,
      );
    });
  }

  /** Nothing is known of an inbox, so `--wait` can't tell what becomes of a message there. */
  async targets(names: readonly string[]): Promise<(TargetFacts | { name: string; error: string })[]> {
    return names.map((name) => ({ name, error: `${name} is a folder: nothing tells what its app made of a message.` }));
  }

  held(): { count: number; until: number | null } {
    return { count: 0, until: null };
  }

  async close(): Promise<void> {}

  /** Only what the folder lists is ever opened: an id that somebody typed never becomes a path. */
  async #ids(signal: AbortSignal): Promise<string[]> {
    const names = await readdir(join(this.#folder, 'failed'));
    if (signal.aborted) throw new Interrupted();
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => basename(name, '.json'))
      .sort();
  }

  async #failure(id: string): Promise<WholeFailure | null> {
    try {
      return toFailure(id, await readFile(join(this.#folder, 'failed', `${id}.json`)), this.name);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      if (codeOf(error) !== 'ENOENT') throw asBabelqError(error, this.name);
      throw new BabelqError('unreachable', `${this.#folder} has no folder named failed.`, {
        hint: 'Name the folder that its app writes failed/ into.',
        source: this.name,
      });
    }
  }
}

function whyRefused({ action, to, edit, bypass }: ActRequest): string | null {
  if (action !== 'retry') return `A message in a folder can be retried and no more: there is no ${action} for it.`;
  if (to !== undefined) return "It goes to its app's inbox and nowhere else (--to).";
  if (edit !== undefined) return "Its body can't be edited here.";
  return bypass ? 'It has no attributes that could tell an app to skip anything (--bypass).' : null;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
