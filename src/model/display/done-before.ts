import type { RecordedAction } from '../action.ts';

const DONE: Readonly<Record<RecordedAction, string>> = {
  retry: 'retried',
  dismiss: 'dismissed',
  restore: 'restored',
  import: 'imported',
};

/** That an earlier run has done it, without the full stop. */
export function sayDoneBefore({ run, action }: { run: string; action: RecordedAction }): string {
  return `Run ${run} has ${DONE[action]} it already`;
}

/** Whether an item's detail says so. */
export function saysDoneBefore(detail: string | null): boolean {
  return detail !== null && / has [a-z]+ it already[.,]/.test(detail);
}
