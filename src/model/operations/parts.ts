import type { BabelqError } from '../errors.ts';
import type { ActResult } from '../ports.ts';

/** What a source said of its part of an action. */
export interface SourcePart {
  name: string;
  seen: number;
  complete: boolean;
  note: string | null;
  allInFlight: ActResult['allInFlight'];
  error: BabelqError | null;
}

/** What the first pass couldn't read is told too; where a source acted, what it said then is the newer word. */
export function mergeParts(first: readonly SourcePart[], then: readonly SourcePart[]): SourcePart[] {
  return [...first.filter(({ name }) => !then.some((part) => part.name === name)), ...then];
}
