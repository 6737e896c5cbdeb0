import { escapeText } from '../../model/display/escape.ts';
import type { LogEntry } from '../../model/ports.ts';
import type { Io } from '../io.ts';
import type { OpenRequest } from '../open.ts';
import { candidatesAt, type Known } from './candidates.ts';
import { type Cursor, cursorAt } from './wanted.ts';

/** How far back ids and names are looked for. */
const LATELY = 500;

/**
 * What a shell may offer after these words, a line each, `value<tab>help`; `<tab>files` where it completes files itself.
 * Asks no service. Empty where nothing can be known: a person who presses Tab wants no error.
 */
export async function complete(words: readonly string[], io: Pick<Io, 'env' | 'cwd'>): Promise<string> {
  try {
    const cursor = cursorAt(words);
    const found = await candidatesAt(cursor, knownFrom(cursor, io));
    if (found === 'files') return '\tfiles\n';
    return found.map(({ value, help }) => `${value}\t${escapeText(help)}\n`).join('');
  } catch {
    return '';
  }
}

function knownFrom({ values }: Cursor, io: Pick<Io, 'env' | 'cwd'>): Known {
  const last = (name: string) => values.get(name)?.at(-1);
  const [config, journal] = [last('--config'), last('--journal')];
  const request: OpenRequest = {
    sqs: values.get('--sqs') ?? [],
    jadpo: values.get('--jadpo') ?? [],
    source: [],
    ...(config !== undefined && { config }),
    ...(journal !== undefined && { journal }),
    env: io.env,
    cwd: io.cwd,
  };
  let entries: Promise<readonly LogEntry[]> | undefined;
  return {
    now: Date.now(),
    sources: async () => {
      const { openWorkspace } = await import('../open.ts');
      const workspace = await openWorkspace(request);
      await workspace.close();
      return workspace.sources.map(({ name }) => name);
    },
    lately: () => {
      entries ??= lately(request).catch(() => []);
      return entries;
    },
  };
}

async function lately(request: OpenRequest): Promise<readonly LogEntry[]> {
  const { isJournalRemote, openJournalOnly } = await import('../open.ts');
  if (await isJournalRemote(request)) return [];
  const { journal } = await openJournalOnly(request);
  try {
    return await journal.log({ limit: LATELY });
  } finally {
    await journal.close();
  }
}
