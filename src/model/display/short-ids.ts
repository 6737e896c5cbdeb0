import type { Failure } from '../failure.ts';
import { isWhole, nativeIdOf } from '../ids.ts';

/** A person types this much of a UUID at least. */
const LEAST = 8;

/**
 * The ids a list shows, in its order: of a UUID the shortest start, from eight characters, that fits nothing else in the
 * list; any other key whole. The source stands before it where two sources hold the same key, or where the key alone
 * would be read as another source's. Each can be typed back as it is (unescaped).
 */
export function shortIds(failures: readonly Pick<Failure, 'id' | 'source'>[], sources: readonly string[]): string[] {
  const natives = failures.map(nativeIdOf);
  const holders = new Map<string, Set<string>>();
  failures.forEach(({ source }, at) => {
    const native = natives[at] ?? '';
    holders.set(native, (holders.get(native) ?? new Set()).add(source));
  });
  const shared = sharedStarts([...holders.keys()]);
  return failures.map(({ source }, at) => {
    const native = natives[at] ?? '';
    const start = isWhole({ native }) ? native.slice(0, Math.max(LEAST, (shared.get(native) ?? 0) + 1)) : native;
    const alone = holders.get(native)?.size === 1 && !sources.some((name) => native.startsWith(`${name}/`));
    return alone ? start : `${source}/${start}`;
  });
}

/** How many characters each text has in common with the one most like it: a neighbour, once they are sorted. */
function sharedStarts(texts: string[]): Map<string, number> {
  texts.sort();
  const shared = new Map<string, number>();
  let before = 0;
  texts.forEach((text, at) => {
    const after = commonStart(text, texts[at + 1] ?? '');
    shared.set(text, Math.max(before, after));
    before = after;
  });
  return shared;
}

function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}
