import { shortIdSteps } from '../../model/display/short-ids.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { goOn, type Steps, sortInSteps } from '../../model/steps.ts';
import { leftBehind } from '../state/marks.ts';
import type { State } from '../state/state.ts';
import { type Arrangement, type ArrangeRequest, arrange } from './arrange.ts';
import type { WorkContext } from './context.ts';
import { compareBy, ORDERS } from './orders.ts';

/** Ids between two looks at the clock. */
const SLICE = 500;

/** Filters and orders in the background, the last request only. */
export class Arranger {
  readonly #context: WorkContext;
  #latest = 0;
  #labelled: { failures: readonly unknown[]; labels: ReadonlyMap<string, string> } | null = null;

  #sorted: { lists: readonly unknown[]; sort: ArrangeRequest['sort']; rows: readonly WholeFailure[] } | null = null;

  constructor(context: WorkContext) {
    this.#context = context;
  }

  /** What can be done at once is done at once: a short list doesn't flicker. */
  arrange(arrangement: number): void {
    this.#latest = arrangement;
    const state = this.#context.state();
    const job = this.#job(state, this.#context.workspace.clock.now());
    let took = 0;
    const go = () => {
      if (this.#latest !== arrangement) return;
      const from = performance.now();
      const step = goOn(job);
      took += performance.now() - from;
      if (step.done) this.#context.dispatch({ type: 'arranged', arrangement, ...step.value, took });
      else setImmediate(go);
    };
    go();
  }

  *#job(state: State, now: number): Steps<{ result: Arrangement; labels: ReadonlyMap<string, string> }> {
    const request = requestOf(state, now);
    const all = yield* this.#inOrder(state, request);
    const result = yield* arrange({ ...request, failures: [all], sorted: true });
    return { result, labels: yield* this.#labels(state) };
  }

  /** All that was read, in order: sorted anew when something was read or the order changed, not for each letter of a filter. */
  *#inOrder({ sources, marks }: State, { failures, sort }: ArrangeRequest): Steps<readonly WholeFailure[]> {
    const lists = [...sources.map((source) => source.failures), marks.gone];
    const known = this.#sorted;
    if (
      known?.lists.every((list, at) => list === lists[at]) &&
      known.sort.order === sort.order &&
      known.sort.reversed === sort.reversed
    ) {
      return known.rows;
    }
    const all: WholeFailure[] = [];
    for (const list of failures) for (const failure of list) all.push(failure);
    const rows = yield* sortInSteps(all, compareBy(ORDERS, sort));
    this.#sorted = { lists, sort, rows };
    return rows;
  }

  /** The short ids of all that was read, made anew when something was read. */
  *#labels({ sources, marks }: State): Steps<ReadonlyMap<string, string>> {
    const known = this.#labelled;
    const failures = [...sources.map((source) => source.failures), marks.gone];
    if (known?.failures.every((list, at) => list === failures[at])) return known.labels;
    const all = [...sources.flatMap((source) => source.failures), ...leftBehind(marks)];
    const short = yield* shortIdSteps(
      all,
      sources.map(({ name }) => name),
    );
    const labels = new Map<string, string>();
    for (const [at, { id }] of all.entries()) {
      labels.set(id, short[at] ?? id);
      if (at % SLICE === 0) yield;
    }
    this.#labelled = { failures, labels };
    return labels;
  }
}

/** What the state asks to be arranged. */
export function requestOf({ sources, filter, list, groups, marks }: State, now: number): ArrangeRequest {
  return {
    failures: [...sources.map(({ failures }) => failures), leftBehind(marks)],
    filter: filter.filter,
    sort: list.sort,
    groupSort: groups.sort,
    by: groups.by,
    fresh: marks.fresh,
    gone: marks.gone,
    now,
  };
}
