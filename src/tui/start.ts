import { BabelqError } from '../model/errors.ts';
import type { Workspace } from '../model/workspace.ts';
import type { TuiOptions } from './options.ts';

/**
 * Opens the screens, and answers the exit code when the person leaves: 0 by `q`, 130 by Ctrl+C or the signal. By then the
 * terminal is as it was, everything held is given back and what was begun is finished.
 * @throws BabelqError `usage` where there is no terminal to draw on
 */
export async function runTui(workspace: Workspace, options: TuiOptions): Promise<number> {
  requireTerminal(options);
  // Ink and React are loaded once it is known that they can draw.
  const { openScreens } = await import('./screens.tsx');
  return openScreens(workspace, options);
}

/** @throws BabelqError `usage` */
export function requireTerminal({ stdin, stdout, env }: Pick<TuiOptions, 'stdin' | 'stdout' | 'env'>): void {
  const hint = 'Without them: babelq deliveries lists the failures, babelq --help shows what else there is.';
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new BabelqError('usage', 'The screens need a terminal, for keys and for drawing.', { hint });
  }
  if (env.TERM === 'dumb' || env.TERM === '' || env.TERM === undefined) {
    const term = env.TERM ? `TERM is ${env.TERM}` : 'TERM is not set';
    throw new BabelqError('usage', `The screens can't be drawn here: ${term}, a terminal that moves no cursor.`, {
      hint,
    });
  }
}
