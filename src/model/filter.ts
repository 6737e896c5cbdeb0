import { escapeText, quoteTyped } from './display/escape.ts';
import { example, type Moment, momentAt, parseTime, sayDuration } from './duration.ts';
import { BabelqError } from './errors.ts';
import {
  dismissedAt,
  ORIGINS,
  type Origin,
  STATES,
  type State,
  sayProblem,
  timeOf,
  type WholeFailure,
} from './failure.ts';
import { globMatches } from './filter/glob.ts';
import { bodyFits, parseWhere, sayWhere, type Where } from './filter/where.ts';

/**
 * Which failures are meant. All parts must fit; a list fits where one of its entries does (but every one of `where` and
 * `text` must), and an empty list or null asks for nothing.
 */
export interface Filter {
  /** Globs over the queue where it failed. */
  readonly queue: readonly string[];
  /** Globs over the reason code. */
  readonly reason: readonly string[];
  /** Globs over the URN or the event's name. */
  readonly subject: readonly string[];
  readonly origin: readonly Origin[];
  readonly states: ReadonlySet<State>;
  /** Whether the states were typed, and aren't the command's own. */
  readonly statesTyped: boolean;
  /** Whether `since` and `before` go by when it was dismissed, and not by when it failed. */
  readonly byDismissal: boolean;
  /** Not before. */
  readonly since: Moment | null;
  /** Before, not at. */
  readonly before: Moment | null;
  /** Parts of the error or the exception, in any case. */
  readonly error: readonly string[];
  readonly trace: readonly string[];
  readonly message_id: readonly string[];
  readonly fingerprint: readonly string[];
  readonly where: readonly Where[];
  /** Words that must each stand somewhere in what a list shows: ids, queue, subject, reason, error, problems. */
  readonly text: readonly string[];
}

/** A filter as it was typed: one member a flag, repeated flags in order. */
export interface FilterWords {
  queue?: readonly string[];
  reason?: readonly string[];
  subject?: readonly string[];
  origin?: readonly string[];
  state?: readonly string[];
  since?: string;
  before?: string;
  error?: readonly string[];
  trace?: readonly string[];
  message_id?: readonly string[];
  fingerprint?: readonly string[];
  where?: readonly string[];
  text?: readonly string[];
}

/** Every part that can be typed. */
export const FILTER_PARTS = [
  ...(['queue', 'reason', 'subject', 'origin', 'state', 'since', 'before', 'error', 'trace'] as const),
  ...(['message_id', 'fingerprint', 'where', 'text'] as const),
] satisfies readonly (keyof FilterWords)[];

/** How a part is named to the person: `--since` on the command line, `since:` in a line. */
export type NameOf = (part: keyof FilterWords) => string;

const asFlag: NameOf = (part) => `--${part.replace('_', '-')}`;

/**
 * The filter that was typed. `states` are the command's own, taken where no state is given: `failed` and `pending` to
 * list, `failed` to retry and dismiss, `dismissed` to restore, where times are those of the dismissals. Throws `usage`, with a hint that shows a right example.
 */
export function parseFilter(words: FilterWords, states: readonly State[], nameOf: NameOf = asFlag): Filter {
  const since = words.since === undefined ? null : parseTime(words.since, nameOf('since'));
  const before = words.before === undefined ? null : parseTime(words.before, nameOf('before'));
  refuseEmptySpan(since, before, nameOf);
  const given = oneOf(words.state, STATES, nameOf('state'));
  return {
    queue: filled(words.queue, nameOf('queue'), 'orders*'),
    reason: filled(words.reason, nameOf('reason'), 'failed'),
    subject: filled(words.subject, nameOf('subject'), 'urn:babel:orders:*'),
    origin: oneOf(words.origin, ORIGINS, nameOf('origin')),
    states: new Set(given.length === 0 ? states : given),
    statesTyped: given.length > 0,
    byDismissal: states.every((state) => state === 'dismissed'),
    since,
    before,
    error: filled(words.error, nameOf('error'), 'timeout'),
    trace: filled(words.trace, nameOf('trace'), '7b3f9c2a-e41d-4f88-9b2a-1c0d5e6f7a8b'),
    message_id: filled(words.message_id, nameOf('message_id'), 'f1e2d3c4-b5a6-4789-90ab-cdef01234567'),
    fingerprint: filled(words.fingerprint, nameOf('fingerprint'), '1f6b0c9d2e3a'),
    where: (words.where ?? []).map((text) => parseWhere(text, nameOf('where'))),
    text: filled(words.text, nameOf('text'), 'timeout'),
  };
}

/**
 * Whether a failure is meant. `now` (ms) is what `since` and `before` count back from: keep one for a whole run, or
 * the edges move under it.
 *
 * What isn't known doesn't match: a failure without a queue fits no `--queue`, not even `*`, and one whose time isn't
 * known (neither `failed_at` nor `sent_at`) fits neither `--since` nor `--before`. Ids and fingerprints are compared
 * whole, ids in any case.
 */
export function matches(filter: Filter, failure: WholeFailure, now: number): boolean {
  return (
    filter.states.has(failure.state) &&
    (filter.origin.length === 0 || filter.origin.includes(failure.origin)) &&
    oneFits(filter.queue, failure.queue) &&
    oneFits(filter.reason, failure.reason) &&
    oneFits(filter.subject, failure.subject) &&
    oneIs(filter.trace, failure.trace_id) &&
    oneIs(filter.message_id, failure.message_id) &&
    // Not asked for unasked: a failure's fingerprint is made when it is read.
    (filter.fingerprint.length === 0 || oneIs(filter.fingerprint, failure.fingerprint)) &&
    inTime(filter, failure, now) &&
    oneIsPart(filter.error, [failure.error, failure.exception]) &&
    filter.text.every((word) => oneIsPart([word], shownOf(failure))) &&
    (filter.where.length === 0 || (failure.body !== null && allFit(filter.where, failure.body)))
  );
}

/** Whether it asks for what only the messages themselves can tell: anything but states, and of those the archive. */
export function looksInside(filter: Filter): boolean {
  return describeFilter({ ...filter, statesTyped: false }) !== '' || filter.states.has('dismissed');
}

/**
 * The filter in words for a confirmation, `reason failed, queue orders*, since 2h ago`; empty where it asks for nothing.
 * States are said where they were typed. Escaped: safe to print.
 */
export function describeFilter(filter: Filter): string {
  const parts: string[] = [];
  const say = (name: string, values: readonly string[]) => {
    if (values.length > 0) parts.push(`${name} ${values.join(' or ')}`);
  };
  const dismissed = filter.byDismissal ? 'dismissed ' : '';
  if (filter.statesTyped) say('state', [...filter.states]);
  say('reason', filter.reason);
  say('queue', filter.queue);
  say('subject', filter.subject);
  say('origin', filter.origin);
  if (filter.since !== null) parts.push(`${dismissed}since ${sayMoment(filter.since)}`);
  if (filter.before !== null) parts.push(`${dismissed}before ${sayMoment(filter.before)}`);
  say('error with', filter.error.map(quoted));
  say('trace', filter.trace);
  say('message id', filter.message_id);
  say('fingerprint', filter.fingerprint);
  parts.push(...filter.where.map(sayWhere));
  if (filter.text.length > 0) parts.push(`with ${filter.text.map(quoted).join(' and ')}`);
  return escapeText(parts.join(', '));
}

function sayMoment(moment: Moment): string {
  return 'ago' in moment ? `${sayDuration(moment.ago)} ago` : new Date(moment.at).toISOString().replace('.000Z', 'Z');
}

function quoted(text: string): string {
  return `"${text}"`;
}

function filled(values: readonly string[] | undefined, name: string, right: string): readonly string[] {
  if (values?.some((value) => value.trim() === '')) {
    throw new BabelqError('usage', `${name} needs a value.`, { hint: `For example ${example(name, right)}.` });
  }
  return values ?? [];
}

/** Values of a closed set; several may also be given with commas between. Throws `usage` with the set. */
export function oneOf<T extends string>(
  values: readonly string[] | undefined,
  known: readonly T[],
  name: string,
): readonly T[] {
  return (values ?? []).flatMap((value) =>
    value.split(',').map((word) => {
      const found = known.find((one) => one === word.trim());
      if (found === undefined) {
        throw new BabelqError('usage', `${name} can't be ${quoteTyped(word)}.`, {
          hint: `It is one of ${known.join(', ')}.`,
        });
      }
      return found;
    }),
  );
}

function refuseEmptySpan(since: Moment | null, before: Moment | null, nameOf: NameOf): void {
  if (since === null || before === null) return;
  const empty =
    'ago' in since && 'ago' in before
      ? since.ago <= before.ago
      : 'at' in since && 'at' in before && since.at >= before.at;
  if (empty) {
    throw new BabelqError('usage', `Nothing is both since ${sayMoment(since)} and before ${sayMoment(before)}.`, {
      hint: `${nameOf('since')} is the earlier end: to see from 3h ago to 2h ago, since is 3h and before is 2h.`,
    });
  }
}

function oneFits(globs: readonly string[], value: string | null): boolean {
  return globs.length === 0 || (value !== null && globs.some((glob) => globMatches(glob, value)));
}

function oneIs(wanted: readonly string[], value: string | null): boolean {
  if (wanted.length === 0) return true;
  const lower = value?.toLowerCase();
  return lower !== undefined && wanted.some((one) => one.toLowerCase() === lower);
}

function oneIsPart(parts: readonly string[], values: readonly (string | null)[]): boolean {
  if (parts.length === 0) return true;
  const lower = parts.map((part) => part.toLowerCase());
  return values.some((value) => {
    const text = value?.toLowerCase();
    return text !== undefined && lower.some((part) => text.includes(part));
  });
}

function inTime(filter: Filter, failure: WholeFailure, now: number): boolean {
  if (filter.since === null && filter.before === null) return true;
  const time = Date.parse((filter.byDismissal ? dismissedAt(failure) : timeOf(failure)) ?? '');
  if (Number.isNaN(time)) return false;
  if (filter.since !== null && time < momentAt(filter.since, now)) return false;
  return filter.before === null || time < momentAt(filter.before, now);
}

function allFit(where: readonly Where[], body: string): boolean {
  return where.every((condition) => bodyFits(condition, body));
}

function shownOf(failure: WholeFailure): (string | null)[] {
  return [
    failure.id,
    failure.queue,
    failure.subject,
    failure.reason,
    failure.error,
    failure.exception,
    failure.message_id,
    failure.trace_id,
    ...failure.problems.map(sayProblem),
  ];
}
