import type { Mend } from '../../model/edit.ts';
import { BabelqError } from '../../model/errors.ts';
import { givenOf, notTogether } from '../together.ts';

/** Whether `--set` or `--unset` ask for anything. */
export function isMend({ set, unset }: Mend): boolean {
  return set.length + unset.length > 0;
}

/** `--edit` is for one message that a person has before them. @throws BabelqError `usage` */
export function refuseForEdit(
  ids: readonly string[],
  options: { stdin?: boolean; dryRun?: boolean; plan?: string; set?: string[]; unset?: string[] },
): void {
  const { stdin, dryRun, plan, set, unset } = options;
  const beside = { '--stdin': stdin, '--dry-run': dryRun, '--plan': plan, '--set': set, '--unset': unset };
  const [other] = givenOf(beside);
  if (other !== undefined) {
    const hint = '--edit opens one message in an editor; --set and --unset change many without one.';
    throw notTogether('--edit', [other], hint);
  }
  if (ids.length === 1) return;
  throw new BabelqError('usage', '--edit takes one message: give its id, and nothing else that chooses.', {
    hint: 'For many: babelq retry --where data.currency=EURO --set data.currency=EUR',
  });
}
