import type { RecordedAction } from '../action.ts';
import { VERBS } from './verbs.ts';

/** That an earlier run has done it, without the full stop. */
export function sayDoneBefore({ run, action }: { run: string; action: RecordedAction }): string {
  return `Run ${run} has ${VERBS[action].done.toLowerCase()} it already`;
}

/** Whether an item's detail says so. */
export function saysDoneBefore(detail: string | null): boolean {
  return detail !== null && / has [a-z]+ it already[.,]/.test(detail);
}
