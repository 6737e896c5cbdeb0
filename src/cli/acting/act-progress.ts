import type { Action } from '../../model/action.ts';
import { escapeText } from '../../model/display/escape.ts';
import { grouped } from '../../model/display/verbs.ts';
import { sayDuration } from '../../model/duration.ts';
import type { ActProgress } from '../../model/ports.ts';
import type { Context } from '../context.ts';
import { ProgressLine } from '../progress.ts';

const WORKING: Readonly<Record<Action, string>> = { retry: 'Retrying', dismiss: 'Dismissing', restore: 'Restoring' };

/**
 * Draws how far an action is: `Retrying: 1,200 of 12,000 done, 3 skipped, 240/s, about 45s left`.
 * @param planned how many will be taken, where a plan says so
 */
export function actProgress(
  action: Action,
  planned: number | null,
  context: Pick<Context, 'terminal' | 'io'>,
  now: () => number,
): { onProgress: (progress: ActProgress) => void; end: () => void } {
  const line = new ProgressLine(context.terminal, context.io.stderr.columns || 80);
  const latest = new Map<string, ActProgress>();
  const startedAt = now();
  return {
    onProgress: (progress) => {
      latest.set(progress.source, progress);
      line.show(() => sayAll(action, [...latest.values()], planned, now() - startedAt));
    },
    end: () => line.clear(),
  };
}

function sayAll(action: Action, all: readonly ActProgress[], planned: number | null, elapsed: number): string {
  const releasing = all.find((one) => one.releasing !== undefined && one.releasing > 0);
  if (releasing) return `Letting go of ${escapeText(releasing.source)}: ${grouped(releasing.releasing ?? 0)} left`;
  const sum = (pick: (one: ActProgress) => number) => all.reduce((total, one) => total + pick(one), 0);
  const done = sum((one) => one.done);
  const ended = sum(({ done, skipped, failed, uncertain }) => done + skipped + failed + uncertain);
  const parts = [
    `${grouped(done)}${planned === null ? '' : ` of ${grouped(planned)}`} done`,
    ...(['skipped', 'failed', 'uncertain'] as const).flatMap((outcome) => {
      const number = sum((one) => one[outcome]);
      return number === 0 ? [] : [`${grouped(number)} ${outcome}`];
    }),
  ];
  const rate = elapsed < 1000 ? 0 : (ended * 1000) / elapsed;
  if (rate > 0) {
    parts.push(`${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/s`);
    if (planned !== null && planned > ended) parts.push(`about ${sayDuration(((planned - ended) / rate) * 1000)} left`);
  }
  return `${WORKING[action]}: ${parts.join(', ')}`;
}
