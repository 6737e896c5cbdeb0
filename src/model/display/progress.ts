import type { RecordedAction } from '../action.ts';
import { sayDuration } from '../duration.ts';
import type { ActProgress } from '../ports.ts';
import { sayCount } from './counts.ts';

/** An action under way, in a word. */
export const WORKING: Readonly<Record<RecordedAction, string>> = {
  retry: 'Retrying',
  dismiss: 'Dismissing',
  restore: 'Restoring',
  import: 'Importing',
};

/** How many messages have come to their end, in whatever way, over all sources. */
export function endedOf(all: readonly ActProgress[]): number {
  return all.reduce((sum, { done, skipped, failed, uncertain }) => sum + done + skipped + failed + uncertain, 0);
}

/**
 * How far an action is: `1,200 of 12,000 done, 3 skipped, 240/s, about 45s left`.
 * @param planned how many will be taken, where a plan says so
 * @param elapsed milliseconds since it began; under a second nothing is said of its pace
 */
export function sayProgress(all: readonly ActProgress[], planned: number | null, elapsed: number): string {
  const sum = (pick: (one: ActProgress) => number) => all.reduce((total, one) => total + pick(one), 0);
  const ended = endedOf(all);
  const parts = [
    `${sayCount(sum(({ done }) => done))}${planned === null ? '' : ` of ${sayCount(planned)}`} done`,
    ...(['skipped', 'failed', 'uncertain'] as const).flatMap((outcome) => {
      const number = sum((one) => one[outcome]);
      return number === 0 ? [] : [`${sayCount(number)} ${outcome}`];
    }),
  ];
  const rate = elapsed < 1000 ? 0 : (ended * 1000) / elapsed;
  if (rate > 0) {
    parts.push(`${rate < 10 ? rate.toFixed(1) : sayCount(Math.round(rate))}/s`);
    if (planned !== null && planned > ended) parts.push(`about ${sayDuration(((planned - ended) / rate) * 1000)} left`);
  }
  return parts.join(', ');
}
