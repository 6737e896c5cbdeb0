import type { ActionSource } from '../action.ts';
import { asBabelqError, type BabelqError, Interrupted } from '../errors.ts';
import type { ActResult } from '../ports.ts';
import type { HowEnded } from './in-run.ts';

/** What a source said of its part of an action. */
export interface SourcePart {
  name: string;
  seen: number;
  complete: boolean;
  note: string | null;
  allInFlight: ActResult['allInFlight'];
  error: BabelqError | null;
}

/** The parts as the action's document tells them. */
export function actionSources(parts: readonly SourcePart[]): ActionSource[] {
  return parts.map(({ name, seen, complete, note, error }) => ({
    name,
    seen,
    complete: complete && error === null,
    note,
    error: error?.message ?? null,
  }));
}

/** A source's part, and whether the signal ended it. */
export interface EndedPart {
  part: SourcePart;
  interrupted: boolean;
}

/** The part of a source that answered. */
export function partOf(name: string, result: ActResult): EndedPart {
  const { seen, complete, note, allInFlight, error, interrupted } = result;
  return { part: { name, seen, complete, note, allInFlight, error }, interrupted };
}

/** The part of a source that threw: it has begun nothing. To be interrupted is no trouble of its own. */
export function partThatThrew(name: string, thrown: unknown, signal: AbortSignal): EndedPart {
  const error = thrown instanceof Interrupted ? null : asBabelqError(thrown, name);
  return {
    part: { name, seen: 0, complete: false, note: null, allInFlight: null, error },
    interrupted: signal.aborted || thrown instanceof Interrupted,
  };
}

/** How a run ended, by how its parts did. */
export function howEnded(parts: readonly EndedPart[]): HowEnded {
  if (parts.some(({ interrupted }) => interrupted)) return 'interrupted';
  return parts.some(({ part }) => part.error !== null) ? 'stopped' : 'finished';
}

/** What the first pass couldn't read is told too; where a source acted, what it said then is the newer word. */
export function mergeParts(first: readonly SourcePart[], then: readonly SourcePart[]): SourcePart[] {
  return [...first.filter(({ name }) => !then.some((part) => part.name === name)), ...then];
}
