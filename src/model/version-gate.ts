import { isBlank } from './blank.ts';
import type { Attributes } from './failure.ts';

/** The attribute that a BabelQueue consumer reads before it decodes a body. */
export const VERSION_ATTRIBUTE = 'bq-schema-version';
const SUPPORTED = '1';
const SHOWN = 64;

export interface Gate {
  readonly passed: boolean;
  /** The version that was refused, as it is shown: bounded, so that a hostile attribute can't bloat anything. */
  readonly refused: string | null;
}

/**
 * Whether a message's `bq-schema-version` lets a consumer decode its body. Absent or blank, the body decides: passed.
 * Anything else is compared exactly, never trimmed, with `1`. A binary attribute has no text, so it is as if absent.
 */
export function versionGate(attributes: Attributes): Gate {
  const attribute = Object.hasOwn(attributes, VERSION_ATTRIBUTE) ? attributes[VERSION_ATTRIBUTE] : undefined;
  if (attribute === undefined || attribute.type.startsWith('Binary')) return { passed: true, refused: null };
  if (isBlank(attribute.value) || attribute.value === SUPPORTED) return { passed: true, refused: null };
  return { passed: false, refused: boundedVersion(attribute.value) };
}

/** A version as it is shown: its first 64 characters, and `...` where there are more, as the SDKs bound it. */
export function boundedVersion(version: string): string {
  // Two UTF-16 units a character at most, so that a body-sized version isn't taken apart whole.
  const characters = Array.from(version.slice(0, 2 * SHOWN + 2));
  return characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}...` : version;
}

/** What is told of a message that was refused for its version, where its app recorded no error: a bare number would say nothing. */
export function sayVersion(refused: string | null): string | null {
  return refused === null ? null : `version ${refused}`;
}
