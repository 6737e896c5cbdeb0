import { type ActOptions, act } from '../acting/act.ts';
import type { Context } from '../context.ts';

export function run(ids: string[], options: ActOptions, context: Context): Promise<number> {
  return act('restore', ids, options, context);
}
