import type { ActionItem } from '../../src/model/action.ts';
import { Budget } from '../../src/model/budget.ts';
import type { State, WholeFailure } from '../../src/model/failure.ts';
import { STATES } from '../../src/model/failure.ts';
import type { ActRequest, ActResult, Clock, Journal, ReadRequest, ReadResult, Source } from '../../src/model/ports.ts';

/** A clock that stands at a time, and jumps over every sleep. */
export class JumpingClock implements Clock {
  time: number;

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  async sleep(ms: number): Promise<void> {
    this.time += ms;
  }
}

/** Reads everything, or what the request narrows that to. */
export async function readAll(
  source: Source,
  request: Partial<ReadRequest> = {},
): Promise<ReadResult & { failures: WholeFailure[] }> {
  const failures: WholeFailure[] = [];
  const all: ReadRequest = {
    states: new Set(STATES),
    allowReceive: false,
    signal: new AbortController().signal,
    ...request,
  };
  const result = await source.read(all, (failure) => {
    failures.push(failure);
    return 'more';
  });
  return { ...result, failures };
}

/** Begins a run, acts, and ends it, as the operations do. */
export async function actOn(
  source: Source,
  journal: Journal,
  request: Partial<ActRequest> & Pick<ActRequest, 'action' | 'selection'>,
): Promise<ActResult & { items: ActionItem[] }> {
  const run = await journal.begin({ action: request.action, by: 'ada@ops', note: null, asked: 'a test' });
  const items: ActionItem[] = [];
  try {
    const result = await source.act({
      run,
      bypass: false,
      pace: null,
      budget: new Budget(),
      allowReceive: false,
      signal: new AbortController().signal,
      onItem: (item) => items.push(item),
      ...request,
    });
    return { ...result, items };
  } finally {
    await journal.end(run, 'finished');
  }
}

/** Exactly these, as they lie there. */
export const ids = (...wanted: (string | [string, State])[]): ActRequest['selection'] => ({
  kind: 'ids',
  ids: new Map(
    wanted.map((one) => (typeof one === 'string' ? [one, { to: null }] : [one[0], { to: null, state: one[1] }])),
  ),
});
