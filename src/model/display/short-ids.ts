import type { Failure } from '../failure.ts';
import { isWhole, nativeIdOf } from '../ids.ts';
import { finish, type Steps, sortInSteps } from '../steps.ts';

/** A person types this much of a UUID at least. */
const LEAST = 8;
/** Ids looked at in a step. */
const SLICE = 500;

/**
 * The ids a list shows, in its order: of a UUID the shortest start, from eight characters, that fits nothing else in the
 * list; any other key whole. The source stands before it where two sources hold the same key, or where the key alone
 * would be read as another source's. Each can be typed back as it is (unescaped).
 */
export function shortIds(failures: readonly Named[], sources: readonly string[]): string[] {
  return finish(shortIdSteps(failures, sources));
}

type Named = Pick<Failure, 'id' | 'source'>;

/** As shortIds, in steps. */
export function* shortIdSteps(failures: readonly Named[], sources: readonly string[]): Steps<string[]> {
  const natives: string[] = [];
  /** Who holds a key: a source, or null for several. */
  const holders = new Map<string, string | null>();
  for (const failure of failures) {
    const { source } = failure;
    const native = nativeIdOf(failure);
    const holder = holders.get(native);
    holders.set(native, holder === undefined || holder === source ? source : null);
    if (natives.push(native) % SLICE === 0) yield;
  }
  const shared = yield* sharedStarts([...holders.keys()]);
  const out: string[] = [];
  for (const [at, { source }] of failures.entries()) {
    const native = natives[at] ?? '';
    const start = isWhole({ native }) ? native.slice(0, Math.max(LEAST, (shared.get(native) ?? 0) + 1)) : native;
    const alone = holders.get(native) !== null && !sources.some((name) => native.startsWith(`${name}/`));
    if (out.push(alone ? start : `${source}/${start}`) % SLICE === 0) yield;
  }
  return out;
}

/** How many characters each text has in common with the one most like it: a neighbour, once they are sorted. */
function* sharedStarts(texts: string[]): Steps<Map<string, number>> {
  const sorted = yield* sortInSteps(texts, (a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const shared = new Map<string, number>();
  let before = 0;
  for (const [at, text] of sorted.entries()) {
    const after = commonStart(text, sorted[at + 1] ?? '');
    shared.set(text, Math.max(before, after));
    before = after;
    if (at % SLICE === 0) yield;
  }
  return shared;
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
