export type JsonKind = 'string' | 'number' | 'true' | 'false' | 'null' | 'object' | 'array';

/** Where a value stands in a text: from `start` up to, not including, `end` (UTF-16 units). */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: JsonKind;
}
