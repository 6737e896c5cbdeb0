import type { WholeFailure } from '../../model/failure.ts';
import type { EventOf } from './events.ts';
import type { Asked, Marks, SourceState, State } from './state.ts';

/** How long what is new says so, and what has left stays in sight, in milliseconds. */
const FRESH_MS = 5 * 60_000;
const GONE_MS = 10_000;

/**
 * Marks what came to a source and what left it between two readings. Only readings of the whole source for the same can
 * be compared: of a part, what isn't in it may be there all the same.
 */
export function marked(state: State, before: SourceState, { failures, report }: EventOf<'read'>): State {
  const comparable = report.complete && before.report?.complete === true && sameAsked(before.readFor, state.asked);
  const mine = (id: string) => id.startsWith(`${before.name}/`);
  const fresh = new Map([...state.marks.fresh].filter(([id]) => !mine(id)));
  const gone = new Map([...state.marks.gone].filter(([id]) => !mine(id)));
  if (comparable) {
    const there = new Set(failures.map(({ id }) => id));
    const known = new Set(before.failures.map(({ id }) => id));
    for (const { id } of failures) {
      const since = state.marks.fresh.get(id) ?? (known.has(id) ? undefined : state.now);
      if (since !== undefined && state.now - since < FRESH_MS) fresh.set(id, since);
    }
    for (const failure of before.failures) {
      if (!there.has(failure.id) && !state.marks.ours.has(failure.id)) gone.set(failure.id, { failure, at: state.now });
    }
    for (const [id, one] of state.marks.gone) if (mine(id) && !there.has(id)) gone.set(id, one);
  }
  const ours = new Set([...state.marks.ours].filter((id) => !mine(id)));
  return { ...state, marks: { fresh, gone, ours } };
}

/** Takes away the marks that are old; the same marks where none is. */
export function unmarked(marks: Marks, now: number): Marks {
  const fresh = young(marks.fresh, (since) => now - since < FRESH_MS);
  const gone = young(marks.gone, ({ at }) => now - at < GONE_MS);
  return fresh === marks.fresh && gone === marks.gone ? marks : { ...marks, fresh, gone };
}

/** The failures that have left and are still in sight. */
export function leftBehind({ gone }: Marks): WholeFailure[] {
  return [...gone.values()].map(({ failure }) => failure);
}

function young<T>(all: ReadonlyMap<string, T>, is: (one: T) => boolean): ReadonlyMap<string, T> {
  const kept = [...all].filter(([, one]) => is(one));
  return kept.length === all.size ? all : new Map(kept);
}

function sameAsked(a: Asked | null, b: Asked): boolean {
  return (
    a !== null &&
    a.line === b.line &&
    a.states.size === b.states.size &&
    [...a.states].every((one) => b.states.has(one))
  );
}
