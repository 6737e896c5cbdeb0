import { quoteTyped } from '../display/escape.ts';
import { example } from '../duration.ts';
import { BabelqError } from '../errors.ts';

/** A whole number of at least `least`. @param option its name, as its face has it: `--max`, or `max` @throws BabelqError `usage` */
export function wholeNumber(text: string, option: string, least: 0 | 1 = 1): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < least || !Number.isSafeInteger(number)) {
    const above = least === 1 ? ' above 0' : '';
    throw new BabelqError('usage', `${option} needs a whole number${above}, not ${quoteTyped(text)}.`, {
      hint: `For example ${example(option, '100')}.`,
    });
  }
  return number;
}

/** What `--limit` gives: a whole number above 0, or `all`. @throws BabelqError `usage` */
export function limitOf(text: string | undefined, otherwise: number | 'all'): number | 'all' {
  if (text === undefined) return otherwise;
  return text === 'all' ? 'all' : wholeNumber(text, '--limit');
}

/**
 * So many a second: above 0 and up to 100,000, fractions allowed.
 * @param option its name, as its face has it
 * @param what is counted
 * @throws BabelqError `usage`
 */
export function rateOf(text: string, option = '--rate', what = 'messages'): number {
  const rate = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || rate <= 0 || rate > 100_000) {
    throw new BabelqError('usage', `${option} needs ${what} a second above 0, not ${quoteTyped(text)}.`, {
      hint: `For example ${example(option, '50')}, or ${example(option, '0.5')} for one every two seconds.`,
    });
  }
  return rate;
}
