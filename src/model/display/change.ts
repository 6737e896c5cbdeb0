import { sayCount } from './counts.ts';
import { type DifferentLine, difference } from './difference.ts';
import { prettyBody } from './pretty.ts';
import { redactBody } from './redact.ts';

/** What is said of a saved body that SQS doesn't take. */
export function sayUnsendable(why: string): string {
  return `What you saved can't be sent: ${why}.`;
}

/** What is said where nobody changed anything in the editor. */
export const LEFT_AS_IT_WAS = 'The body was left as it was; nothing was changed.';

/** What stands in place of a difference that has no line. */
export const CHANGE_NOT_SHOWN = 'What you changed is not shown: redacted members, or white space.';

/** What stands after the lines of a difference that are shown. */
export function moreLines(count: number): string {
  return `… and ${sayCount(count)} lines more`;
}

/**
 * What an edit changed in a body, line by line: safe to show, and without what the configuration blanks. Empty where only
 * that differs, or white space.
 * @param redact paths of members to blank
 */
export function bodyChange(before: string, after: string, redact: readonly string[]): DifferentLine[] {
  return difference(prettyBody(redactBody(before, redact).body), prettyBody(redactBody(after, redact).body));
}
