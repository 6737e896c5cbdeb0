/** What must never reach a terminal, told by numbers and not by the product's own pattern. */
export function isHostile(point: number): boolean {
  const within = (from: number, to: number) => point >= from && point <= to;
  return (
    within(0, 0x1f) || // C0
    within(0x7f, 0x9f) || // DEL and C1
    [0xad, 0x34f, 0x61c, 0x3164, 0xfeff, 0xffa0].includes(point) ||
    within(0x115f, 0x1160) || // fillers of Hangul
    within(0x17b4, 0x17b5) ||
    within(0x180b, 0x180f) ||
    within(0x200b, 0x200f) || // zero-width, marks of direction
    within(0x2028, 0x202e) || // separators, embeddings and overrides
    within(0x2060, 0x206f) || // joiners, isolates
    within(0xd800, 0xdfff) || // surrogates on their own
    within(0xfe00, 0xfe0f) || // variation selectors
    within(0xfff0, 0xfffb) ||
    within(0x1bca0, 0x1bca3) ||
    within(0x1d173, 0x1d17a) ||
    within(0xe0000, 0xe0fff) // tags, more variation selectors
  );
}

/** Texts that somebody may put into a message, each a way to do something to whoever looks at it. */
export const HOSTILE_TEXTS = [
  '\u001b]52;c;aGFja2Vk\u0007', // writes the clipboard
  '\u001b]8;;http://evil.example\u001b\\here\u001b]8;;\u001b\\', // a link
  '\u001b[31;5;7m\u001b[77;77H\u001b[2J\u001b[?1049l', // colours, the cursor, the screen
  '\u009b31m\u009d52;c;eA==\u009c', // the same in C1
  '\u001bP+q544e\u001b\\\u001b_x\u001b\\', // DCS, APC: a terminal may answer
  '\u0000\u0007\u0008\u000b\u000c\u007f',
  'one\r\ntwo\rover\n\tthree',
  '\u202eevil\u2066\u2069\u200f', // turns the line around
  '\u200b\u200d\ufeff\u00ad\u{e0041}\u3164', // not to be seen
  '\u2028\u2029\u0085',
  `a${'\u0301'.repeat(300)}\u0489`, // runs over its neighbours
  `\ud800 and \udfff`,
] as const;

/** What a spreadsheet would run. */
export const FORMULAS = [
  '=1+1',
  '+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1',
  ' =1',
  '＝1+1',
  '＋1',
  '－1',
  '＠x',
  '\u200b=1',
  '"=1',
];

/** All of them in one text. */
export const EVIL = `evil ${HOSTILE_TEXTS.join(' ')} end`;

/** What a terminal is told by babelq itself: colours, and the clearing of its own line. */
const OWN_SEQUENCES = /\u001b\[(?:0|1|2|7|22|27|3[0-9]|39|90)m|\u001b\[2?K/g;
const MOST_MARKS = 4;

/**
 * What of an output a terminal would act on; empty where it is clean. Not UTF-8 is a finding too.
 * @param allowed characters that this output is made of: line ends, mostly
 */
export function leaksIn(
  bytes: Uint8Array,
  { tty = false, allowed = '\n' }: { tty?: boolean; allowed?: string } = {},
): string[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return ['not UTF-8'];
  }
  const own = tty ? text.replace(OWN_SEQUENCES, '') : text;
  const left = [...new Set(own)]
    .filter((char) => !allowed.includes(char) && isHostile(char.codePointAt(0) ?? 0))
    .map((char) => {
      const at = own.indexOf(char);
      return `U+${(char.codePointAt(0) ?? 0).toString(16)} in ${JSON.stringify(own.slice(Math.max(0, at - 30), at + 20))}`;
    });
  return new RegExp(`\\p{M}{${MOST_MARKS + 1}}`, 'u').test(own) ? [...left, 'a flood of marks'] : left;
}

/** The cells of CSV, row after row, as RFC 4180 has it. */
export function csvCells(text: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= text.length) {
    const isQuoted = text[at] === '"';
    const cell = isQuoted ? /"((?:[^"]|"")*)"/y : /([^,\r]*)/y;
    cell.lastIndex = at;
    const [whole = '', inner = ''] = cell.exec(text) ?? [];
    cells.push(isQuoted ? inner.replaceAll('""', '"') : inner);
    at += whole.length;
    if (at === text.length) return cells;
    at += text[at] === ',' ? 1 : 2;
    if (at === text.length && text[at - 1] === '\n') return cells;
  }
  return cells;
}
