import type { RecordedAction } from '../../model/action.ts';
import { lettingGo } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { sayProgress, WORKING } from '../../model/display/progress.ts';
import type { ActProgress } from '../../model/ports.ts';
import type { Context } from '../context.ts';
import { ProgressLine } from '../progress.ts';

/**
 * Draws how far an action is: `Retrying: 1,200 of 12,000 done, 3 skipped, 240/s, about 45s left`.
 * @param planned how many will be taken, where a plan says so
 */
export function actProgress(
  action: RecordedAction,
  planned: number | null,
  context: Pick<Context, 'terminal' | 'io'>,
  now: () => number,
): { onProgress: (progress: ActProgress) => void; end: () => void } {
  const line = new ProgressLine(context.terminal);
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

function sayAll(action: RecordedAction, all: readonly ActProgress[], planned: number | null, elapsed: number): string {
  const releasing = all.find((one) => one.releasing !== undefined && one.releasing > 0);
  if (releasing) return lettingGo(escapeText(releasing.source), releasing.releasing ?? 0);
  return `${WORKING[action]}: ${sayProgress(all, planned, elapsed)}`;
}
