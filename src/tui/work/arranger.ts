import { shortIds } from '../../model/display/short-ids.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { arrange } from './arrange.ts';
import type { WorkContext } from './context.ts';

/** How long it works before keys get their turn, in milliseconds. */
const AT_ONCE = 8;

/** Filters and orders in the background, the last request only. */
export class Arranger {
  readonly #context: WorkContext;
  #latest = 0;
  #labelled: { failures: readonly (readonly WholeFailure[])[]; labels: ReadonlyMap<string, string> } | null = null;

  constructor(context: WorkContext) {
    this.#context = context;
  }

  /** What can be done at once is done at once: a short list doesn't flicker. */
  arrange(arrangement: number): void {
    this.#latest = arrangement;
    const { sources, filter, order, selection } = this.#context.state();
    const failures = sources.map((source) => source.failures);
    const now = this.#context.workspace.clock.now();
    const job = arrange({ failures, filter: filter.filter, order, selection, now });
    const go = () => {
      if (this.#latest !== arrangement) return;
      const until = performance.now() + AT_ONCE;
      for (;;) {
        const step = job.next();
        if (step.done) {
          const labels = this.#labels(failures);
          this.#context.dispatch({ type: 'arranged', arrangement, result: step.value, labels });
          return;
        }
        if (performance.now() > until) break;
      }
      setImmediate(go);
    };
    go();
  }

  /** The short ids of all that was read, made anew when something was read. */
  #labels(failures: readonly (readonly WholeFailure[])[]): ReadonlyMap<string, string> {
    const known = this.#labelled;
    if (known?.failures.every((list, at) => list === failures[at])) return known.labels;
    const all = failures.flat();
    const names = this.#context.workspace.sources.map(({ name }) => name);
    const short = shortIds(all, names);
    const labels = new Map(all.map(({ id }, at) => [id, short[at] ?? id]));
    this.#labelled = { failures, labels };
    return labels;
  }
}
