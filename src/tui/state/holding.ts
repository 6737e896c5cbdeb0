import { messages } from '../../model/display/counts.ts';
import type { Effect, EventOf } from './events.ts';
import type { SourceState, State } from './state.ts';
import type { Step } from './step.ts';

/** What is kept hidden from everyone else, a part a source. */
export interface HoldPart {
  readonly source: string;
  /**
   * `paused`: it was let go for something that must receive it, and is taken again after that. `over`: it couldn't be
   * taken, or is visible again by SQS's own rule.
   */
  readonly phase: 'taking' | 'held' | 'paused' | 'over';
  /** How many are hidden now. */
  readonly count: number;
  /** Milliseconds since the epoch: SQS makes them visible by then. */
  readonly endsAt: number | null;
  /** Why not all that is shown is held. */
  readonly note: string | null;
}

/** Holds what is shown, or lets it go. */
export function toggleHold(state: State): Step {
  if (state.hold !== null) {
    return { state: { ...state, hold: null, notice: 'Letting go of what was held.' }, effects: [{ type: 'let_go' }] };
  }
  const wanted = shownBySource(state);
  const parts = state.sources.flatMap(({ name, holdable }) => (holdable && wanted.has(name) ? [paused(name)] : []));
  if (parts.length === 0) {
    return { state: { ...state, notice: 'Nothing of what is shown can be hidden from others.' }, effects: [] };
  }
  return resumeHold({ state: { ...state, hold: parts }, effects: [] });
}

/** All that can be held is, as soon as it was read. */
export function holdFromStart(state: State): State {
  return { ...state, hold: state.sources.flatMap(({ name, holdable }) => (holdable ? [paused(name)] : [])) };
}

function paused(source: string): HoldPart {
  return { source, phase: 'paused', count: 0, endsAt: null, note: null };
}

/** What became of a hold; nothing where it was let go meanwhile. */
export function heldNow(state: State, { source, part }: EventOf<'held'>): State {
  if (state.hold === null) return state;
  return { ...state, hold: state.hold.map((one) => (one.source === source ? { ...one, ...part } : one)) };
}

/**
 * Takes again what was let go, once nobody needs to receive it: no flow is open, no body is being read, the source was
 * read and what is shown of it is settled.
 */
export function resumeHold(step: Step): Step {
  const { state } = step;
  if (state.hold?.some(({ phase }) => phase === 'paused') !== true || !isSettled(state)) return step;
  const wanted = shownBySource(state);
  const effects: Effect[] = [];
  const hold = state.hold.map((part): HoldPart => {
    if (part.phase !== 'paused' || !wasRead(state.sources, part.source)) return part;
    const ids = wanted.get(part.source) ?? [];
    if (ids.length === 0) return { ...part, phase: 'held', count: 0, note: null };
    effects.push({ type: 'hold', source: part.source, ids });
    return { ...part, phase: 'taking', count: 0 };
  });
  return { state: { ...state, hold }, effects: [...step.effects, ...effects] };
}

function isSettled({ leaving, screens, list }: State): boolean {
  if (leaving !== null || list.wanted !== list.shown) return false;
  return screens.every((screen) => {
    if (screen.kind === 'failure') return screen.body !== 'reading';
    return screen.kind !== 'flow' || screen.phase.name === 'result';
  });
}

function wasRead(sources: readonly SourceState[], name: string): boolean {
  return sources.some((source) => source.name === name && source.phase === 'read');
}

function shownBySource({ list }: State): Map<string, string[]> {
  const shown = new Map<string, string[]>();
  for (const { id, source, state } of list.rows) {
    if (state === 'dismissed') continue;
    const ids = shown.get(source);
    if (ids === undefined) shown.set(source, [id]);
    else ids.push(id);
  }
  return shown;
}

/** How many are held, over all sources. */
export function heldCount(parts: readonly HoldPart[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/** What became of it, for the line under the list. */
export function sayLetGo(stuck: number): string {
  return stuck === 0
    ? 'Let go: visible to everyone again.'
    : `${messages(stuck)} could not be given back, and become visible by themselves.`;
}
