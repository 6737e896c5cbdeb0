/**
 * Whether the whole text fits a glob: `*` stands for any text, `?` for one character (a star or a question mark too).
 * Upper and lower case differ, as in queue names and URNs.
 *
 * Greedy, with only the last `*` to go back to: at most pattern × text steps, whatever the pattern.
 */
export function globMatches(pattern: string, text: string): boolean {
  const parts = compile(pattern);
  let part = 0;
  let at = 0;
  let star = -1; // the last `*` seen, and the text it has been given up to
  let given = 0;
  while (at < text.length) {
    const want = parts[part];
    const char = text.codePointAt(at) ?? 0;
    if (want === MANY) {
      star = part;
      part += 1;
      given = at;
    } else if (want === ONE || want === char) {
      part += 1;
      at += width(char);
    } else if (star >= 0) {
      given += width(text.codePointAt(given) ?? 0);
      at = given;
      part = star + 1;
    } else return false;
  }
  while (parts[part] === MANY) part += 1;
  return part === parts.length;
}

const ONE = -1;
const MANY = -2;

function compile(pattern: string): number[] {
  return Array.from(pattern, (char) => (char === '*' ? MANY : char === '?' ? ONE : (char.codePointAt(0) ?? 0)));
}

function width(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1;
}
