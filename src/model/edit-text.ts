import { readBody } from './envelope.ts';
import type { Attributes } from './failure.ts';
import { compactJson, indentJson } from './json/layout.ts';
import { offsetOfError, scanJson } from './json/scan.ts';
import { isSendable, MOST_BYTES, messageSize } from './size.ts';

/** A body as a person gets it to edit. */
export interface EditingText {
  readonly text: string;
  readonly isJson: boolean;
  /** What was saved as a body, or why it can't be one. */
  read(saved: string): { readonly body: string } | { readonly why: string };
}

/**
 * Lays a body out for an editor. Compact JSON, which is what apps send, gets a line a member and is made compact again: no
 * token changes but those that the person changes. Any other text is edited as it is; only the line end that editors
 * add at the end of a file is taken off, where there was none.
 */
export function editingText(body: string, attributes: Attributes): EditingText {
  const root = scanJson(body);
  const isCompact = root !== undefined && compactJson(body, root) === body;
  const text = isCompact ? `${indentJson(body, root, (token) => token)}\n` : body;
  const added = body.endsWith('\r') ? /\n$/ : /\r?\n$/;
  return {
    text,
    isJson: root !== undefined,
    read: (saved) => {
      const asTyped = isCompact || body.endsWith('\n') ? saved : saved.replace(added, '');
      if (root === undefined) return checked(asTyped, attributes);
      const span = scanJson(asTyped);
      if (span === undefined) return { why: `it is not JSON${placeOfError(asTyped)}` };
      return checked(isCompact ? compactJson(asTyped, span) : asTyped, attributes);
    },
  };
}

/** What came of an editor. */
export type Saved =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'unsendable'; readonly why: string }
  | { readonly kind: 'changed'; readonly body: string };

/**
 * What a person made of a body in their editor. An empty file is how one says no there.
 * @param body as it was before
 * @param saved null where it isn't UTF-8
 */
export function readSaved(body: string, editing: EditingText, saved: string | null): Saved {
  if (saved === null) return { kind: 'unsendable', why: 'it is not UTF-8' };
  if (saved.trim() === '') return { kind: 'unchanged' };
  const read = editing.read(saved);
  if ('why' in read) return { kind: 'unsendable', why: read.why };
  return read.body === body ? { kind: 'unchanged' } : { kind: 'changed', body: read.body };
}

/** What a person should know of an edited body; null where there is nothing. */
export function editWarning(before: string, after: string, attributes: Attributes): string | null {
  if (readBody(before, attributes).envelope === null || readBody(after, attributes).envelope !== null) return null;
  return 'It is no BabelQueue envelope any more: its consumers may not read it.';
}

function checked(body: string, attributes: Attributes): { body: string } | { why: string } {
  if (body === '') return { why: 'it is empty' };
  if (!isSendable(body)) return { why: 'it holds control characters that SQS does not accept' };
  const size = messageSize(body, attributes);
  return size > MOST_BYTES ? { why: `it has ${size} bytes with its attributes; SQS takes ${MOST_BYTES}` } : { body };
}

function placeOfError(text: string): string {
  const before = text.slice(0, offsetOfError(text)).split('\n');
  return `: see line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
