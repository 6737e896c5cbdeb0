/** What repeats by itself rests so many times as long as it took: each takes a small part of a hundredth of a core. */
const TIMES = 500;

/** When to do again what was done by itself, in milliseconds from its end. @param least where it takes next to nothing */
export function restAfter(took: number, least: number): number {
  return Math.max(least, took * TIMES);
}
