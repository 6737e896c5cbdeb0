import { escapeJsonToken } from '../../model/display/escape.ts';

/**
 * A document as one line of JSON. What a terminal would act on is in JSON's own escapes (C1 and bidirectional controls
 * too), so that the text is safe to look at and its value unchanged.
 */
export function toJson(document: unknown): string {
  return escapeJsonToken(JSON.stringify(document));
}

/**
 * The same as toJson in pieces, an item of each list in the document at a time: a listing with its bodies may be longer than
 * a string can be (512 MB in V8).
 */
export function* jsonPieces(document: object): Generator<string, void, undefined> {
  let before = '{';
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    yield `${before}${toJson(name)}:`;
    before = ',';
    if (!Array.isArray(value)) yield toJson(value);
    else {
      yield '[';
      for (const [at, item] of value.entries()) yield `${at === 0 ? '' : ','}${toJson(item)}`;
      yield ']';
    }
  }
  yield before === '{' ? '{}' : '}';
}

/** As toJson, laid out for a person. */
export function toPrettyJson(document: unknown): string {
  return JSON.stringify(document, null, 2).split('\n').map(escapeJsonToken).join('\n');
}
