import { escapeJsonToken } from '../../model/display/escape.ts';

/**
 * A document as one line of JSON. What a terminal would act on is in JSON's own escapes (C1 and bidirectional controls
 * too), so that the text is safe to look at and its value unchanged.
 */
export function toJson(document: unknown): string {
  return escapeJsonToken(JSON.stringify(document));
}

/** As toJson, laid out for a person. */
export function toPrettyJson(document: unknown): string {
  return JSON.stringify(document, null, 2).split('\n').map(escapeJsonToken).join('\n');
}
