import { expect, test } from 'vitest';
import { pastOnQueue } from '../../../../src/adapters/sqs/redrive/past.ts';
import type { Recollection, Run } from '../../../../src/model/ports.ts';

const RUN: Run = { id: 'now', action: 'retry', by: 'ana', note: null, asked: '--all', startedAt: 0, newest: 0 };
const DISMISSED = { run: 'first', action: 'dismiss', to: 'archive', newId: null } as const;

test('what was dismissed, and perhaps put back under another id, is not sent from its old copy', () => {
  for (const state of ['intended', 'uncertain'] as const) {
    const restoring = { entry: 2, run: 'second', action: 'restore', state, to: 'orders-dlq', newId: null } as const;
    const recollection: Recollection = {
      last: 2,
      unfinished: { ...restoring, deduplicationId: null, alive: false },
      finished: DISMISSED,
      remembered: null,
      sentInRun: false,
    };
    expect(pastOnQueue(recollection, RUN)).toEqual({ kind: 'dismissed', run: 'first' });
  }
});
