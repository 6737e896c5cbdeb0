import { quoteTyped } from './display/escape.ts';
import { BabelqError } from './errors.ts';

const SECOND = 1000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['w', 7 * 24 * 3600 * SECOND],
  ['d', 24 * 3600 * SECOND],
  ['h', 3600 * SECOND],
  ['m', 60 * SECOND],
  ['s', SECOND],
]);

/** A hundred years: beyond it a duration is a slip of the finger. */
const LONGEST = 5200 * 7 * 24 * 3600 * SECOND;

const DURATION = /^(?:\d{1,9}[wdhms]){1,5}$/;
const TIME =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Milliseconds of a duration such as `90s`, `30m`, `2h`, `3d`, `1w` or `1h30m` (larger units first, each once).
 * From 0 to a hundred years. `name` is what the person typed it for, as the message shows it (`--wait`).
 * Throws `usage`.
 */
export function parseDuration(text: string, name: string): number {
  const ms = durationOf(text);
  if (ms === null) {
    throw new BabelqError('usage', `${name} needs a duration, not ${quoteTyped(text)}.`, {
      hint: `Write a number and a unit (s, m, h, d, w), such as ${example(name, '90s')} or ${example(name, '2h')}.`,
    });
  }
  if (ms > LONGEST) {
    throw new BabelqError('usage', `${name} ${text} is longer than a hundred years.`, {
      hint: `Give a shorter one, such as ${example(name, '2h')}.`,
    });
  }
  return ms;
}

/** A point in time as typed: so long ago, or fixed. `ago` and `at` are milliseconds (`at` since the epoch). */
export type Moment = { readonly ago: number } | { readonly at: number };

/**
 * Reads a duration (`2h`: that long ago) or an ISO 8601 date or time (`2026-11-30`, `2026-11-30T14:02`, with seconds,
 * fractions and a zone or not). One without a zone is UTC, as every time that babelq prints in JSON. Throws `usage`.
 */
export function parseTime(text: string, name: string): Moment {
  if (DURATION.test(text)) return { ago: parseDuration(text, name) };
  const at = isoTime(text);
  if (at === null) {
    throw new BabelqError('usage', `${name} needs a duration or an ISO time, not ${quoteTyped(text)}.`, {
      hint: `For example ${['2h', '3d', '2026-11-30T14:02Z'].map((value) => example(name, value)).join(', ')}.`,
    });
  }
  return { at };
}

/** The moment in milliseconds since the epoch. */
export function momentAt(moment: Moment, now: number): number {
  return 'ago' in moment ? now - moment.ago : moment.at;
}

/** A duration as parseDuration reads it, exact to the second: `2h`, `1h30m`, `10d`; under a second `0s`. */
export function sayDuration(ms: number): string {
  let rest = Math.max(0, Math.floor(ms / SECOND)) * SECOND;
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    // A week is only said where nothing is left over: 10d reads better than 1w3d.
    if (unit === 'w' && rest % size !== 0) continue;
    const count = Math.floor(rest / size);
    if (count === 0) continue;
    parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.length === 0 ? '0s' : parts.join('');
}

/** A value as it is typed: with its flag or its filter's name, `--since 2h`, `since:2h`; alone where a screen asks for it by name. */
export function example(name: string, value: string): string {
  if (name.endsWith(':')) return `${name}${value}`;
  return name.startsWith('-') ? `${name} ${value}` : value;
}

function durationOf(text: string): number | null {
  if (!DURATION.test(text)) return null;
  let total = 0;
  let last = Number.POSITIVE_INFINITY;
  for (const [, count, unit] of text.matchAll(/(\d+)([wdhms])/g)) {
    const size = UNITS.get(unit ?? '') ?? 0;
    if (size >= last) return null;
    last = size;
    total += Number(count) * size;
  }
  return total;
}

/** Date.parse takes what it likes and rolls 31 February over; this takes ISO 8601 and refuses days that don't exist. */
function isoTime(text: string): number | null {
  const found = TIME.exec(text);
  if (found === null) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = found;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offset = zoneMinutes(zone);
  return offset === null ? null : date.getTime() - offset * 60 * SECOND;
}

function zoneMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
