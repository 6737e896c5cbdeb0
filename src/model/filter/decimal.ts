/**
 * Compares two JSON numbers by their text, exactly: `9007199254740993` and `9007199254740992` differ, `99.90` equals
 * `99.9`, `1E2` equals `100`, `-0` equals `0`. Negative where a is less, positive where it is more. Both must be JSON
 * numbers. Linear in the texts.
 */
export function compareDecimals(a: string, b: string): number {
  const left = read(a);
  const right = read(b);
  if (left.sign !== right.sign) return left.sign - right.sign;
  return left.sign * compareMagnitudes(left, right);
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether a text is a number as JSON writes it. */
export function isJsonNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** The value is sign × 0.digits × 10^power; digits neither begin nor end with 0, and are empty for zero. */
interface Decimal {
  sign: -1 | 0 | 1;
  digits: string;
  power: number | bigint;
}

function read(text: string): Decimal {
  const negative = text.startsWith('-');
  const e = text.search(/[eE]/);
  const mantissa = text.slice(negative ? 1 : 0, e === -1 ? text.length : e);
  const dot = mantissa.indexOf('.');
  const whole = dot === -1 ? mantissa : mantissa.slice(0, dot);
  const all = dot === -1 ? mantissa : whole + mantissa.slice(dot + 1);
  let first = 0;
  while (all[first] === '0') first += 1;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end -= 1;
  if (first === end) return { sign: 0, digits: '', power: 0 };
  const shift = whole.length - first;
  return {
    sign: negative ? -1 : 1,
    digits: all.slice(first, end),
    power: plus(e === -1 ? '0' : text.slice(e + 1), shift),
  };
}

/** The exponent plus a shift: as a double where that is exact, else as a big integer. */
function plus(exponent: string, shift: number): number | bigint {
  if (exponent.length <= 15) return Number(exponent) + shift;
  return BigInt(exponent.replace('+', '')) + BigInt(shift);
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  if (a.power < b.power) return -1;
  if (a.power > b.power) return 1;
  // Digits after a point that both share: text order is number order.
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -1 : 1;
}
