const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Below it an age is `just now`: clocks differ by seconds. */
const NOW = 10_000;

/**
 * How long ago, in the largest unit and rounded down: `just now`, `45s ago`, `4m ago`, `2h ago`, `3d ago`, `2y ago`; of a
 * time to come `in 5h`. `iso` is ISO 8601, `now` in milliseconds. A dash where the time isn't known.
 */
export function ago(iso: string | null, now: number): string {
  const time = Date.parse(iso ?? '');
  if (Number.isNaN(time)) return '–';
  const past = now - time;
  if (Math.abs(past) < NOW) return 'just now';
  return past > 0 ? `${roughly(past)} ago` : `in ${roughly(-past)}`;
}

const SOON = 6 * HOUR;

/** Whether it will be deleted within 6 hours, or is due: what is counted and shown first. `now` in milliseconds. */
export function expiresSoon(iso: string | null, now: number): boolean {
  return iso !== null && Date.parse(iso) - now < SOON;
}

/** How near the end is: `soon` within 6 hours, `near` within 24, else `later`. */
type Nearness = 'soon' | 'near' | 'later';

export interface Expiry {
  /** For a column: `in 5h`; `due` where the time has passed and the message is still there. */
  readonly short: string;
  /** For a sentence: `expires in 5h`. */
  readonly words: string;
  readonly level: Nearness;
}

/** `2h ago`, or `sent 2h ago` where the time is that of the sending: SQS doesn't record its own moves. */
export function failedAgo(iso: string | null, now: number, basis: 'failed_at' | 'sent_at' | 'both' | null): string {
  return basis === 'sent_at' && iso !== null ? `sent ${ago(iso, now)}` : ago(iso, now);
}

/** When a message will be deleted, in words; null where that isn't known. `now` in milliseconds. */
export function expiry(iso: string | null, now: number): Expiry | null {
  const time = Date.parse(iso ?? '');
  if (Number.isNaN(time)) return null;
  const left = time - now;
  if (left <= 0) return { short: 'due', words: 'due to expire now', level: 'soon' };
  const short = left < MINUTE ? 'in <1m' : `in ${roughly(left)}`;
  return { short, words: `expires ${short}`, level: left < SOON ? 'soon' : left < DAY ? 'near' : 'later' };
}

/**
 * A time in full, for inspect: on the person's clock with its offset (or UTC), then as the JSON has it, so that it can be
 * typed back: `2026-11-30 15:02:11 +01:00 (2026-11-30T14:02:11.034Z)`. `zone` is an IANA name, by default the machine's.
 */
export function fullTime(iso: string | null, zone?: string): string {
  const time = Date.parse(iso ?? '');
  if (Number.isNaN(time)) return '–';
  const parts = new Map(
    new Intl.DateTimeFormat('en-GB', {
      ...(zone === undefined ? {} : { timeZone: zone }),
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    })
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const offset = at('timeZoneName').replace('GMT', '');
  const utc = new Date(time).toISOString();
  const local = `${at('year')}-${at('month')}-${at('day')} ${at('hour')}:${at('minute')}:${at('second')}`;
  return `${local} ${offset === '' || offset === '+00:00' ? 'UTC' : offset} (${utc})`;
}

/** A span of time in its largest unit, rounded down: `45s`, `4m`, `2h`, `3d`, `2y`. */
function roughly(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / 1000)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  const days = Math.floor(ms / DAY);
  return days < 365 ? `${days}d` : `${Math.floor(days / 365)}y`;
}
