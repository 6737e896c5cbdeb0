import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Action } from '../../model/action.ts';
import { BabelqError } from '../../model/errors.ts';
import { type PlanFile, readPlan } from '../../model/plan-file.ts';
import type { Context } from '../context.ts';
import { readAll } from './stdin-ids.ts';

/** A plan that `--plan` names, with the name it goes by in messages. */
export interface KeptPlan extends PlanFile {
  name: string;
}

/**
 * Reads the plan that `--plan FILE` names, `-` for stdin.
 * @param beside options that were given too, and say what a plan says itself
 * @throws BabelqError `usage`
 */
export async function readKeptPlan(
  action: Action,
  path: string,
  beside: readonly string[],
  { io: { stdin, cwd }, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<KeptPlan> {
  if (beside.length > 0) {
    throw new BabelqError('usage', `--plan and ${beside.join(', ')} can't go together.`, {
      hint: 'A plan says itself which messages go where, and how. Make a new one for something else.',
    });
  }
  const name = path === '-' ? 'stdin' : path;
  return { name, ...readPlan(path === '-' ? await readAll(stdin, signal) : await textOf(path, cwd), name, action) };
}

async function textOf(path: string, cwd: string): Promise<string> {
  try {
    return (await readFile(resolve(cwd, path), 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it can't be read (${code})`;
    throw new BabelqError('usage', `--plan ${path}: ${why}.`, {
      hint: 'A plan is what --dry-run --json prints: babelq retry … --dry-run --json > plan.json',
      cause: error,
    });
  }
}
