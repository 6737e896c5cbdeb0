import { restAfter } from '../rest.ts';
import type { EventOf } from './events.ts';
import { arrange } from './listing.ts';
import { unmarked } from './marks.ts';
import type { State } from './state.ts';
import type { Step } from './step.ts';

/** How long what depends on the time, such as `since:2h` and what expires soon, may be old, in milliseconds. */
const AGED_MS = 60_000;

/** Time has gone by: ages are told anew, old marks go, and now and then the list is made anew for what has aged in it. */
export function ticked(state: State, { now, held }: EventOf<'ticked'>): Step {
  const changed = state.sources.some((source, at) => source.held !== (held[at] ?? 0));
  const sources = changed ? state.sources.map((source, at) => ({ ...source, held: held[at] ?? 0 })) : state.sources;
  const marks = unmarked(state.marks, now);
  const next = { ...state, now, sources, marks };
  const { arrangedAt, took, wanted, shown } = state.list;
  const aged = arrangedAt !== null && now - arrangedAt >= restAfter(took, AGED_MS) && wanted === shown;
  return marks !== state.marks || aged ? arrange(next) : { state: next, effects: [] };
}
