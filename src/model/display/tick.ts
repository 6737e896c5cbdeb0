import { sayCount } from './counts.ts';
/** How many retried messages a jadpo app reads at one tick, before it asks its queues. */
export const A_TICK = 20;
/** An app that receives a queue ticks at least this often. */
export const TICK_SECONDS = 10;

/**
 * How long a jadpo app takes to read what was retried.
 * @returns ticks: the least it takes; seconds: how long that is at the slowest pace at which an app that receives a
 *   queue ticks
 */
export function ticksFor(count: number): { ticks: number; seconds: number } {
  const ticks = Math.ceil(count / A_TICK);
  return { ticks, seconds: ticks * TICK_SECONDS };
}

/** What a confirmation says of a retry of so many parked messages (1 or more). */
export function tickSentence(count: number): string {
  const { ticks, seconds } = ticksFor(count);
  if (ticks <= 1)
    return `The app reads ${count === 1 ? 'it' : 'them'} at its next tick, within about ${TICK_SECONDS} seconds.`;
  return (
    `The app reads ${A_TICK} retried messages a tick: ${sayCount(count)} take at least ${sayCount(ticks)} ticks, ` +
    `about ${roughly(seconds)}.`
  );
}

function roughly(seconds: number): string {
  if (seconds < 100) return `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} minutes`;
  return `${Math.round(minutes / 60)} hours`;
}
