import type { SourceFacts } from '../../model/ports.ts';
import { totalOf } from '../text/header.ts';
import type { EventOf } from './events.ts';
import type { SourceState, State } from './state.ts';

/** How far a reading is. */
export function readProgress(state: State, { source, reading, progress }: EventOf<'read_progress'>): State {
  return onReading(state, source, reading, (one) => (one.phase === 'reading' ? { ...one, progress } : one));
}

/** A reading that was cut short: what was read before stays. */
export function readStopped(state: State, { source, reading }: EventOf<'read_stopped'>): State {
  return onReading(state, source, reading, (one) => ({ ...one, phase: 'stopped', progress: null }));
}

/** Counts that came by themselves. The first after a reading is what later ones are compared with. */
export function counted(state: State, facts: readonly SourceFacts[]): State {
  const sources = state.sources.map((source) => {
    const found = facts.find(({ name }) => name === source.name);
    if (found === undefined) return source;
    // The same counts again are nothing to draw.
    if (source.baseline !== null && JSON.stringify(source.facts) === JSON.stringify(found)) return source;
    const baseline = source.phase === 'read' && source.baseline === null ? totalOf(found) : source.baseline;
    return { ...source, facts: found, baseline };
  });
  return sources.every((source, at) => source === state.sources[at]) ? state : { ...state, sources };
}

/** Changes a source by what came of a reading, unless a later one was begun. */
export function onReading(
  state: State,
  name: string,
  reading: number,
  change: (source: SourceState) => SourceState,
): State {
  const sources = state.sources.map((source) =>
    source.name === name && source.reading === reading ? change(source) : source,
  );
  return { ...state, sources };
}
