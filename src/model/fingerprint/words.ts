import type { Pieces } from './pieces.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/iy;
const RUN = /[A-Za-z0-9]+/y;
const HEX = /^[0-9a-fA-F]+$/;
const DIGIT = /\d/;

const CALENDAR = new Set(
  (
    'mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb mar apr may jun jul aug ' +
    'sep oct nov dec january february march april june july august september october november december'
  ).split(' '),
);

/** Writes a text of words and signs with its ids, numbers, hex and UUIDs blanked. `next` is what comes after it. */
export function addWords(pieces: Pieces, text: string, next: string): void {
  let at = 0;
  while (at < text.length) {
    UUID.lastIndex = at;
    if (UUID.test(text)) {
      pieces.value();
      at = UUID.lastIndex;
      continue;
    }
    RUN.lastIndex = at;
    const run = RUN.exec(text)?.[0];
    if (run === undefined) {
      const sign = text[at] ?? '';
      const ofNumber = (sign === '-' || sign === '+') && DIGIT.test(text[at + 1] ?? '') && !pieces.touchesWord();
      if (!ofNumber) pieces.sign(sign);
      at += 1;
      continue;
    }
    at += run.length;
    addRun(pieces, run, at < text.length ? text.slice(at, at + 3) : next);
  }
}

function addRun(pieces: Pieces, run: string, next: string): void {
  if (!DIGIT.test(run)) {
    if (isHexWord(run) || isCalendar(pieces, run, next) || (run.length <= 3 && pieces.hangsOnValue())) pieces.value();
    else pieces.word(run);
  } else if (isCode(run) && pieces.expectsCode()) pieces.asIs(run);
  else if (DIGIT.test(run[0] ?? '') || (run.length >= 6 && HEX.test(run)) || isRandom(run)) pieces.value();
  else for (const part of run.match(/\d+|\D+/g) ?? []) DIGIT.test(part) ? pieces.value() : pieces.word(part);
}

/** `deadbeef`: no word of any language has eight letters of a to f. */
function isHexWord(run: string): boolean {
  return run.length >= 8 && HEX.test(run);
}

/** The name of a day or month beside a number, and what is left of a time: `Nov 30`, `2 PM`. */
function isCalendar(pieces: Pieces, run: string, next: string): boolean {
  const word = run.toLowerCase();
  if (word === 'am' || word === 'pm') return pieces.followsValue();
  return CALENDAR.has(word) && (/^[ ,.]*\d/.test(next) || pieces.followsValue());
}

function isCode(run: string): boolean {
  return /^[1-5]\d\d$/.test(run);
}

/**
 * Whether letters and digits are mixed as in an id (`NffrFeUfNV2Hib`, `x2k4q`) and not as in a name with a number in
 * it (`worker12`, `Base64Decoder`): an id's letters come in short runs or change case at random.
 */
function isRandom(run: string): boolean {
  const letters = run.match(/\D+/g) ?? [];
  if (letters.length > 1 && letters.some((part) => part.length < 3)) return true;
  const humps = run.match(/[A-Z]+[a-z]*|[a-z]+/g) ?? [];
  return run.length >= 8 && humps.length > 1 && letters.join('').length / humps.length < 3.5;
}
