import { type DifferentLine, difference } from './difference.ts';
import { prettyBody } from './pretty.ts';
import { redactBody } from './redact.ts';

/**
 * What an edit changed in a body, line by line: safe to show, and without what the configuration blanks. Empty where only
 * that differs, or white space.
 * @param redact paths of members to blank
 */
export function bodyChange(before: string, after: string, redact: readonly string[]): DifferentLine[] {
  return difference(prettyBody(redactBody(before, redact).body), prettyBody(redactBody(after, redact).body));
}
