import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Action } from '../../model/action.ts';
import { BabelqError, Interrupted } from '../../model/errors.ts';
import { type PlanFile, readPlan } from '../../model/plan-file.ts';
import type { Context } from '../context.ts';
import { anyFilter } from '../filter-options.ts';
import { openPipe } from '../named-pipe.ts';
import { givenOf, notTogether } from '../together.ts';
import type { ActOptions } from './act.ts';
import { readAll } from './stdin-ids.ts';

/** A plan that `--plan` names, with the name it goes by in messages. */
export interface KeptPlan extends PlanFile {
  name: string;
}

/** @throws BabelqError `usage` for what a plan says itself */
export function refuseBesidePlan(
  ids: readonly string[],
  { all, stdin, to, bypass, edit, set, unset, ...options }: ActOptions,
): void {
  const beside = givenOf({
    ids: ids.length > 0,
    '--all': all,
    '--stdin': stdin,
    filters: anyFilter(options),
    ...{ '--to': to, '--bypass': bypass, '--edit': edit, '--set': set, '--unset': unset },
  });
  if (beside.length === 0) return;
  const hint = 'A plan says itself which messages go where, and how. Make a new one for something else.';
  throw notTogether('--plan', beside, hint);
}

/**
 * Reads the plan that `--plan FILE` names, `-` for stdin.
 * @throws BabelqError `usage`; Interrupted
 */
export async function readKeptPlan(
  action: Action,
  path: string,
  { io: { stdin, cwd }, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<KeptPlan> {
  const name = path === '-' ? 'stdin' : path;
  return {
    name,
    ...readPlan(path === '-' ? await readAll(stdin, signal) : await textOf(path, cwd, signal), name, action),
  };
}

async function textOf(path: string, cwd: string, signal: AbortSignal): Promise<string> {
  try {
    const whole = resolve(cwd, path);
    if ((await stat(whole)).isFIFO()) return await readAll(await openPipe(whole), signal);
    return (await readFile(whole, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    const why = code === 'ENOENT' ? 'there is no such file' : `it can't be read (${code})`;
    throw new BabelqError('usage', `--plan ${path}: ${why}.`, {
      hint: 'A plan is what --dry-run --json prints: babelq retry … --dry-run --json > plan.json',
      cause: error,
    });
  }
}
