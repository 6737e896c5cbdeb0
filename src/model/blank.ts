/** The six ASCII blanks, BabelQueue's whole set. Neither `trim` nor `\s` will do: both take U+00A0, U+3000 and U+FEFF for blanks. */
const BLANK = /^[ \t\n\v\f\r]*$/;

/** Whether a text says nothing to BabelQueue's SDKs: empty, or ASCII blanks alone (ADR-0032). U+2003 is a name like any other. */
export function isBlank(text: string): boolean {
  return BLANK.test(text);
}
