import type { Value } from './store.ts';

/** How a table writes a time, so that what is written beside it can be read by its app. */
export type TimeStyle =
  | {
      kind: 'text';
      /** Between date and time; null for a date alone. */
      separator: string | null;
      seconds: boolean;
      /** Digits of the fraction of a second. */
      fraction: number;
      /** As written: `Z`, `+00:00`, or empty. */
      zone: string;
    }
  | { kind: 'epoch'; unit: Unit; as: 'integer' | 'real' | 'text' };

type Unit = 's' | 'ms' | 'µs' | 'ns';
/** What a number of each unit is at least; each is a time in 1973, and in the year 5138 for the unit before. */
const UNITS: readonly { unit: Unit; from: number; perMs: number }[] = [
  { unit: 'ns', from: 1e17, perMs: 1e6 },
  { unit: 'µs', from: 1e14, perMs: 1e3 },
  { unit: 'ms', from: 1e11, perMs: 1 },
  { unit: 's', from: 1e8, perMs: 1e-3 },
];

const TEXT =
  /^(\d{4})-(\d\d)-(\d\d)(?:([Tt ])(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s?(Z|z|[+-]\d\d(?::?\d\d)?|))?$/;

/** What is written as it is shown already, on a day that its month always has. */
const SHOWN =
  /^[1-9]\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

interface Time {
  ms: number;
  style: TimeStyle;
}

/** A stored time as ISO 8601, UTC, with milliseconds; null for what isn't one. A text without a zone is UTC, as SQLite's are. */
export function isoFrom(value: Value): string | null {
  if (typeof value === 'string' && SHOWN.test(value)) return value;
  const ms = msFrom(value);
  return ms === null ? null : new Date(ms).toISOString();
}

/** Milliseconds since the epoch. */
export function msFrom(value: Value): number | null {
  if (typeof value === 'string' && SHOWN.test(value)) return Date.parse(value);
  return timeFrom(value)?.ms ?? null;
}

export function styleOf(value: Value): TimeStyle | null {
  if (typeof value === 'string' && SHOWN.test(value)) return ISO_STYLE;
  return timeFrom(value)?.style ?? null;
}

/** What jadpo's own table has: `2026-11-30T14:02:11.034Z`. */
export const ISO_STYLE: TimeStyle = { kind: 'text', separator: 'T', seconds: true, fraction: 3, zone: 'Z' };

/** A time in a table's own style. */
export function writeTime(ms: number, style: TimeStyle): Value {
  if (style.kind === 'epoch') return writeEpoch(ms, style);
  const iso = new Date(ms + zoneMinutes(style.zone) * 60_000).toISOString();
  const date = iso.slice(0, 10);
  if (style.separator === null) return date;
  const fraction = style.fraction === 0 ? '' : `.${iso.slice(20, 23).padEnd(9, '0').slice(0, style.fraction)}`;
  const seconds = style.seconds ? `${iso.slice(16, 19)}${fraction}` : '';
  return `${date}${style.separator}${iso.slice(11, 16)}${seconds}${style.zone}`;
}

function writeEpoch(ms: number, { unit, as }: { unit: Unit; as: 'integer' | 'real' | 'text' }): Value {
  if (as === 'real') return unit === 's' ? ms / 1000 : ms * (UNITS.find((one) => one.unit === unit)?.perMs ?? 1);
  const whole = BigInt(Math.trunc(ms));
  const scaled = { s: whole / 1000n, ms: whole, µs: whole * 1000n, ns: whole * 1_000_000n }[unit];
  return as === 'text' ? String(scaled) : scaled;
}

function timeFrom(value: Value): Time | null {
  if (typeof value === 'bigint') return epochFrom(Number(value), 'integer');
  if (typeof value === 'number') return epochFrom(value, 'real');
  if (typeof value !== 'string') return null;
  return /^\d{9,19}$/.test(value) ? epochFrom(Number(value), 'text') : textFrom(value);
}

function epochFrom(number: number, as: 'integer' | 'real' | 'text'): Time | null {
  const found = UNITS.find(({ from }) => number >= from);
  if (found === undefined) return null;
  const ms = Math.round(number / found.perMs);
  return isShowable(ms) ? { ms, style: { kind: 'epoch', unit: found.unit, as } } : null;
}

function textFrom(text: string): Time | null {
  const match = TEXT.exec(text);
  if (match === null) return null;
  const [, year, month, day, separator, hour = '00', minute = '00', second, fraction = '', zone = ''] = match;
  const clock = `${hour}:${minute}:${second ?? '00'}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
  const local = Date.parse(`${year}-${month}-${day}T${clock}`);
  // Date.parse takes the 31st of a shorter month for the next month's first.
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) return null;
  const ms = local - zoneMinutes(zone) * 60_000;
  if (!isShowable(ms)) return null;
  return {
    ms,
    style: {
      kind: 'text',
      separator: separator ?? null,
      seconds: second !== undefined,
      fraction: fraction.length,
      zone,
    },
  };
}

function zoneMinutes(zone: string): number {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone);
  if (match === null) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return match[1] === '-' ? -minutes : minutes;
}

/** Within the years that ISO 8601 writes with four digits. */
function isShowable(ms: number): boolean {
  return ms >= 0 && ms < Date.UTC(10_000, 0);
}
