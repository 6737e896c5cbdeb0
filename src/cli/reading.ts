import { lettingGo, ofAbout } from '../model/display/counts.ts';
import { escapeText } from '../model/display/escape.ts';
import type { ReadProgress } from '../model/ports.ts';
import type { Context } from './context.ts';
import { ProgressLine } from './progress.ts';

/** What is said before `--sample` receives. */
export const SAMPLING = 'Receiving some messages of each queue and giving them back: each look counts as a receive.';

/** Draws how far a reading is while it goes on: `Reading orders: 400 of about 12,000`. */
export function readProgress(context: Pick<Context, 'terminal'>): {
  onProgress: (progress: ReadProgress) => void;
  end: () => void;
} {
  const line = new ProgressLine(context.terminal);
  const latest = new Map<string, ReadProgress>();
  return {
    onProgress: (progress) => {
      latest.set(progress.source, progress);
      line.show(() => [...latest.values()].map(sayOne).join('  '));
    },
    end: () => line.clear(),
  };
}

/** Reads, and draws how far that is meanwhile. @throws what the reading throws */
export function whileReading<T>(
  context: Pick<Context, 'terminal'>,
  read: (onProgress: (progress: ReadProgress) => void) => Promise<T>,
): Promise<T> {
  const progress = readProgress(context);
  return read(progress.onProgress).finally(() => progress.end());
}

function sayOne({ source, seen, about, releasing }: ReadProgress): string {
  const name = escapeText(source);
  if (releasing !== undefined) return lettingGo(name, releasing);
  return `Reading ${name}: ${ofAbout(seen, about)}`;
}
