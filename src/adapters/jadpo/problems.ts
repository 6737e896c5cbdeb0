import type { Problem } from '../../model/failure.ts';
import type { Value } from './store.ts';
import { textOf } from './text.ts';

/**
 * jadpo's reasons why an event was refused, `[{"field":"total","rule":"required"}]`. Of each only the two names are
 * taken, whatever else stands there (a problem never shows a value); anything that isn't such a list is an empty one.
 */
export function problemsFrom(value: Value): Problem[] {
  const text = textOf(value);
  if (text === null) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(parsed) ? parsed.flatMap(problemFrom) : [];
}

function problemFrom(entry: unknown): Problem[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const field = own(entry, 'field');
  const rule = own(entry, 'rule');
  return typeof field === 'string' && typeof rule === 'string' ? [{ field, rule }] : [];
}

function own(entry: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(entry, name)?.value;
}
