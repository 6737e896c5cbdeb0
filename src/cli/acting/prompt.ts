import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { ReadStream } from 'node:tty';
import { Interrupted } from '../../model/errors.ts';
import type { Io } from '../io.ts';

/**
 * Where a person can answer: stdin, or the terminal itself where stdin is a pipe of ids. Null with nobody there.
 * @param piped whether stdin is taken by ids
 */
export function whereToAsk(io: Io, piped: boolean): NodeJS.ReadStream | null {
  if (io.stderr.isTTY !== true) return null;
  if (io.stdin.isTTY === true) return io.stdin;
  if (!piped) return null;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return null;
  }
}

/** As long (ms) as a terminal takes to hand over what was typed already. */
const SETTLE_MS = 50;

/**
 * Drops what was typed before the question was there: it answers nothing. Call it right before the question is drawn.
 * @throws Interrupted on Ctrl+C meanwhile
 */
export async function forgetTyped(from: NodeJS.ReadStream): Promise<void> {
  let interrupted = false;
  const drop = (typed: Buffer | string): void => {
    interrupted ||= typed.includes('\u0003');
  };
  // Also a line that has no end yet: Enter alone would make it an answer.
  from.setRawMode?.(true);
  from.on('data', drop);
  await new Promise((settled) => setTimeout(settled, SETTLE_MS));
  from.off('data', drop);
  from.pause();
  from.setRawMode?.(false);
  if (interrupted) throw new Interrupted();
}

/**
 * Waits for a line; null at the end of input.
 * @throws Interrupted when the signal aborts, or on Ctrl+C
 */
export async function readLine(from: NodeJS.ReadStream, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) throw new Interrupted();
  if (from.readableEnded) return null;
  // Not a readline terminal: the terminal's own line editing is enough, and Ctrl+C stays the signal that it is.
  const lines = createInterface({ input: from, terminal: false });
  try {
    return await new Promise<string | null>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(null));
      signal.addEventListener('abort', () => reject(new Interrupted()), { once: true });
    });
  } finally {
    lines.close();
    from.pause();
  }
}
