import { SILENCE_MS } from '../runs.ts';

/** The schema that the journal's tables are in, unless its address names another. */
export const DEFAULT_SCHEMA = 'babelq';

/**
 * The time that `now` in `$1` gives, else the server's own, in milliseconds since the epoch. Runs on many machines are told alive or
 * dead by the one clock that they have in common.
 */
export const NOW = `coalesce(($1::json ->> 'now')::bigint, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)`;

/** Whether run `r` is alive. */
export const ALIVE = `(r.ended_at IS NULL AND r.beat_at > ${NOW} - ${SILENCE_MS})`;

/**
 * A text as PostgreSQL takes it. It has no U+0000, which somebody's envelope may hold: written as U+0001 and `0`, and
 * U+0001 itself doubled, so that no two texts become one. Halves of surrogate pairs become U+FFFD, as in every UTF-8.
 */
export function toText(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes('\u0000') || whole.includes('\u0001')
    ? whole.replaceAll('\u0001', '\u0001\u0001').replaceAll('\u0000', '\u00010')
    : whole;
}

function fromText(text: string): string {
  return text.includes('\u0001')
    ? text.replace(/\u0001([\u00010])/g, (_, next) => (next === '0' ? '\u0000' : next))
    : text;
}

/** The same of a text that may be missing. */
export function orNull(text: string | null): string | null {
  return text === null ? null : toText(text);
}

/** An object as one parameter, which the statement reads as JSON; its texts must have been through `toText`. */
export function json(value: unknown): string {
  return JSON.stringify(value);
}

/** Every text in what a statement made as JSON, as it was before it was stored. */
export function parsed<T>(text: string | null | undefined): T {
  return JSON.parse(text ?? 'null', (_, value) => (typeof value === 'string' ? fromText(value) : value)) as T;
}
