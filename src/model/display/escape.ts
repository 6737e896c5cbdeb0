/**
 * Message content is other people's text, and a terminal obeys what is written to it. Everything that a terminal would
 * act on, reorder by, or hide is shown as what it is instead.
 */

/** Text that needs no look at Unicode's tables, since to make their patterns takes milliseconds: ASCII, and babelq's own signs. */
const PLAIN = /^[ -~·…–→]*$/;

let made: ReturnType<typeof makePatterns> | undefined;

function makePatterns() {
  // Controls (C0, C1, DEL), format characters (bidirectional, zero-width), separators, lone surrogates and other invisibles.
  const hostile =
    /[\p{Control}\p{Format}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
  const mark = /\p{Mark}/u;
  const needsWork = new RegExp(`${hostile.source}|${mark.source}`, 'u');
  return { hostile, mark, needsWork, blank: /\p{White_Space}/u };
}

/** Marks kept on one base. Living scripts stack up to four; more is a flood that runs over the lines around it. */
const MOST_MARKS = 4;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/**
 * Text for a single-line cell: what a terminal would act on is shown readably (`\n`, `\t`, `\x1b`, `\u{202e}`), marks
 * with nothing to sit on likewise, and of a flood of marks the first four are kept and the rest counted (`[+997 marks]`).
 * Linear in the text. A backslash stays as it is: class names are full of them.
 */
export function escapeText(text: string): string {
  return escapeWith(text, CELL);
}

/** As escapeText, but line feeds stay: for bodies and other text of several lines. */
export function escapeBlock(text: string): string {
  return escapeWith(text, BLOCK);
}

/**
 * A JSON token (a string, mostly) with what a terminal would act on written in JSON's own escapes, so that what is
 * shown is still JSON of the same value.
 */
export function escapeJsonToken(token: string): string {
  return escapeWith(token, JSON_TOKEN);
}

/** What a person typed, as a message can quote it: in quotes, escaped, cut at 60 characters. */
export function quoteTyped(text: string): string {
  const points = [...text.slice(0, 200)];
  return `"${escapeText(points.length > 60 ? `${points.slice(0, 60).join('')}…` : text)}"`;
}

interface Style {
  show(char: string): string;
  /** What stands for the marks that were too many. */
  flood(marks: readonly string[]): string;
}

const CELL: Style = { show: readable, flood: (marks) => `[+${marks.length} marks]` };
const BLOCK: Style = { ...CELL, show: (char) => (char === '\n' ? char : readable(char)) };
const JSON_TOKEN: Style = { show: jsonEscape, flood: (marks) => marks.map(jsonEscape).join('') };

function escapeWith(text: string, style: Style): string {
  if (PLAIN.test(text)) return text;
  made ??= makePatterns();
  const { hostile, mark, needsWork, blank } = made;
  if (!needsWork.test(text)) return text;
  const out: string[] = [];
  let onBase = false; // whether a mark that comes now has a visible character to sit on
  let marks = 0;
  let flood: string[] = [];
  for (const char of text) {
    const plain = char >= ' ' && char <= '~';
    if (!plain && hostile.test(char)) {
      if (flood.length > 0) flood = flush(out, flood, style);
      out.push(style.show(char));
      onBase = false;
      marks = 0;
    } else if (!plain && mark.test(char)) {
      marks += 1;
      if (!onBase) out.push(style === JSON_TOKEN ? jsonEscape(char) : codePoint(char));
      else if (marks <= MOST_MARKS) out.push(char);
      else flood.push(char);
    } else {
      if (flood.length > 0) flood = flush(out, flood, style);
      out.push(char);
      onBase = !blank.test(char);
      marks = 0;
    }
  }
  if (flood.length > 0) flush(out, flood, style);
  return out.join('');
}

function flush(out: string[], flood: readonly string[], style: Style): string[] {
  out.push(style.flood(flood));
  return [];
}

function readable(char: string): string {
  const named = NAMED.get(char);
  if (named !== undefined) return named;
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : codePoint(char);
}

function codePoint(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** `\u202e`, and two of them for a character outside the basic plane. */
function jsonEscape(char: string): string {
  let out = '';
  for (let at = 0; at < char.length; at++) out += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return out;
}
