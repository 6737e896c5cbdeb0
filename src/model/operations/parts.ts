import type { SourcePart } from './act.ts';

/** What the first pass couldn't read is told too; where a source acted, what it said then is the newer word. */
export function mergeParts(first: readonly SourcePart[], then: readonly SourcePart[]): SourcePart[] {
  return [...first.filter(({ name }) => !then.some((part) => part.name === name)), ...then];
}
