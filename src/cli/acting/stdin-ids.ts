import { addAbortSignal, type Readable } from 'node:stream';
import { BabelqError, Interrupted } from '../../model/errors.ts';

/**
 * Ids from stdin: one a line, or the listing's own output (json or ndjson: the `id` of each failure, item or entry).
 * Blank lines and repeats are left out; the order stays.
 * @throws BabelqError `usage` for a terminal, or text that is neither; Interrupted
 */
export async function readIds(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<string[]> {
  if (stdin.isTTY) {
    throw new BabelqError('usage', '--stdin reads ids from a pipe, and nothing is piped in.', {
      hint: 'For example: babelq deliveries --reason failed --output ids | babelq retry --stdin --yes',
    });
  }
  return idsOf(await readAll(stdin, signal));
}

/** Everything that is piped in, as text. @throws Interrupted when the signal aborts */
export async function readAll(stream: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    // A pipe that its writer never closes must not outlast a signal.
    addAbortSignal(signal, stream);
    for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  } catch (error) {
    throw signal.aborted ? new Interrupted() : error;
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** The ids in a text: one a line, or a document of babelq's own. */
export function idsOf(text: string): string[] {
  const trimmed = text.trim();
  const ids = trimmed.startsWith('{') ? idsOfJson(trimmed) : trimmed.split(/\r?\n/).map((line) => line.trim());
  return [...new Set(ids.filter((id) => id !== ''))];
}

function idsOfJson(text: string): string[] {
  const whole = parse(text);
  if (whole !== undefined) return idsOfDocument(whole);
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .flatMap((line, at) => {
      if (line === '') return [];
      const value = parse(line);
      if (value === undefined) throw unreadable(`line ${at + 1} is not JSON`);
      return idsOfDocument(value);
    });
}

function idsOfDocument(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) throw unreadable('a line is not an object');
  const members = value as Record<string, unknown>;
  if (typeof members.id === 'string') return [members.id];
  const list = members.failures ?? members.items ?? members.entries;
  if (!Array.isArray(list)) throw unreadable('an object has no id');
  return list.flatMap(idsOfDocument);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreadable(why: string): BabelqError {
  return new BabelqError('usage', `--stdin can't be read: ${why}.`, {
    hint: "It takes one id a line, or babelq's own json or ndjson.",
  });
}
