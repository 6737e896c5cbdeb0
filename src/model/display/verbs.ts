import type { RecordedAction } from '../action.ts';

/** An action in words: as a question asks for it, and as a result tells it. */
export const VERBS: Readonly<Record<RecordedAction, { ask: string; done: string; planned: string }>> = {
  retry: { ask: 'Retry', done: 'Retried', planned: 'Would retry' },
  dismiss: { ask: 'Dismiss', done: 'Dismissed', planned: 'Would dismiss' },
  restore: { ask: 'Restore', done: 'Restored', planned: 'Would restore' },
  import: { ask: 'Import', done: 'Imported', planned: 'Would import' },
};
