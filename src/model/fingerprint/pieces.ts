/** What stands for something that varies. */
export const VALUE = '*';

const SEPARATORS = ' ,.:;/_+-';
/** Separators between two values that still make them one: `, ` in a list, `T` and `-` in a time. */
const MOST_BETWEEN = 3;

/** Words after which a number of three digits says what went wrong, and not which: `status code 503`. */
const CODE_WORDS = new Set(['status', 'code', 'statuscode', 'http', 'https']);

/** The blanked text as it grows, piece by piece: words, single signs, and values, of which a row counts as one. */
export class Pieces {
  readonly #pieces: string[] = [];
  #lastWord = '';

  /** A single character that is neither letter nor digit. White space becomes one space. */
  sign(char: string): void {
    if (/\s/.test(char)) {
      if (this.#pieces.at(-1) !== ' ') this.#pieces.push(' ');
    } else this.#pieces.push(char);
  }

  word(word: string): void {
    const counted = this.#pieces.at(-1) === ' ' && this.#pieces.at(-2) === VALUE;
    // `1 second` and `30 seconds` are the same.
    this.#pieces.push(counted && word.length > 3 && word.endsWith('s') ? word.slice(0, -1) : word);
    this.#lastWord = word.toLowerCase();
  }

  value(): void {
    let end = this.#pieces.length;
    while (end > 0 && this.#pieces.length - end < MOST_BETWEEN && isSeparator(this.#pieces[end - 1])) end -= 1;
    if (this.#pieces[end - 1] === VALUE) this.#pieces.length = end;
    else this.#pieces.push(VALUE);
    // `HTTP/1.1 503`: the version in between doesn't part the code from its word.
    if (!this.#lastWord.startsWith('http')) this.#lastWord = '';
  }

  /** Kept as it is, whatever is in it. */
  asIs(text: string): void {
    this.#pieces.push(text);
    this.#lastWord = '';
  }

  /** Whether the last thing was a value, with nothing but white space and separators after it. */
  followsValue(): boolean {
    const last = this.#pieces.findLast((piece) => !isSeparator(piece));
    return last === VALUE;
  }

  /** Whether a value and a `-` or `_` stand right before: `SKU-1042-XL`. */
  hangsOnValue(): boolean {
    const sign = this.#pieces.at(-1);
    return (sign === '-' || sign === '_') && this.#pieces.at(-2) === VALUE;
  }

  /** Whether a number here is a status or exit code. */
  expectsCode(): boolean {
    return CODE_WORDS.has(this.#lastWord);
  }

  /** Whether a letter or digit stands right before. */
  touchesWord(): boolean {
    return /[\p{L}\p{N}*]$/u.test(this.#pieces.at(-1) ?? '');
  }

  toString(): string {
    return this.#pieces.join('').trim();
  }
}

function isSeparator(piece: string | undefined): boolean {
  return piece !== undefined && piece.length === 1 && SEPARATORS.includes(piece);
}
