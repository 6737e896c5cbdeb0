/**
 * Work in steps: a generator that yields wherever others may have their turn, so that a hundred thousand failures keep
 * nobody waiting. `finish` does it at one go.
 */
export type Steps<T> = Generator<void, T>;

/** Sorted at once: a millisecond or two, also by texts. */
const AT_ONCE = 500;

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** How long it works before others get their turn, in milliseconds. */
const WORK_MS = 4;

/** Goes on for a few milliseconds, then others should have their turn; answers the last step, which may be the end. */
export function goOn<T>(steps: Steps<T>): IteratorResult<void, T> {
  const from = performance.now();
  let step = steps.next();
  while (!step.done && performance.now() - from < WORK_MS) step = steps.next();
  return step;
}

/** Does it beside others. @param breathe resolves when they had their turn */
export async function finishBeside<T>(steps: Steps<T>, breathe: () => Promise<void>): Promise<T> {
  for (;;) {
    const step = goOn(steps);
    if (step.done) return step.value;
    await breathe();
  }
}

/** A merge sort in steps; stable, and the items stay as they are. */
export function* sortInSteps<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    runs.push(items.slice(at, at + AT_ONCE).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const right = runs[at + 1];
      merged.push(right === undefined ? (runs[at] ?? []) : yield* merge(runs[at] ?? [], right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const out: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    const a = left[l] as T;
    const b = right[r] as T;
    if (compare(a, b) <= 0) {
      out.push(a);
      l += 1;
    } else {
      out.push(b);
      r += 1;
    }
    if (out.length % AT_ONCE === 0) yield;
  }
  for (; l < left.length; l++) out.push(left[l] as T);
  for (; r < right.length; r++) out.push(right[r] as T);
  return out;
}
