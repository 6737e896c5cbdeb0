import { whatWentWrong } from '../display/reasons.ts';
import { redactFailure } from '../display/redact.ts';
import { type Failure, GROUP_MEMBERS, type GroupMember, timeOf } from '../failure.ts';
import { type Filter, matches, oneOf } from '../filter.ts';
import { newestFirst } from '../order.ts';
import type { Clock, ReadProgress, Source } from '../ports.ts';
import { noteOf, type SourceReport, survey } from './survey.ts';

/** By cause: the fingerprint, with the members that it is made of, so that a person sees which cause it is. */
const BY_CAUSE: readonly GroupMember[] = ['fingerprint', 'reason', 'subject', 'exception', 'origin'];

/** How many ids a group names. */
const SAMPLES = 5;
/** Of an error (UTF-16 units): it may be a megabyte. */
const MOST_SHOWN = 1000;

export interface FailureGroup {
  /** The members that all of its failures share. */
  key: Partial<Record<GroupMember, string | null>>;
  count: number;
  /** ISO 8601; by `failed_at`, else `sent_at`; null where no failure's time is known. */
  first_failed_at: string | null;
  last_failed_at: string | null;
  /** Which times those are: `both` where some failures have the one and some the other. */
  time_basis: 'failed_at' | 'sent_at' | 'both' | null;
  /** What went wrong, as the newest one says it: its error and exception, or the refused fields. */
  sample: string | null;
  /** The newest, five at most. */
  sample_ids: string[];
}

export interface GroupsRequest {
  sources: readonly Source[];
  filter: Filter;
  /** Null for by cause. */
  by: readonly GroupMember[] | null;
  /** The configuration's `redact` paths. */
  redact: readonly string[];
  allowReceive: boolean;
  clock: Clock;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

export interface Grouped {
  /** Most first. */
  groups: FailureGroup[];
  sources: SourceReport[];
}

/** Reads `--by reason,queue`. @throws BabelqError `usage` */
export function parseGroupBy(values: readonly string[] | undefined, name: string): readonly GroupMember[] | null {
  const members = [...new Set(oneOf(values, GROUP_MEMBERS, name))];
  return members.length === 0 ? null : members;
}

/**
 * Counts the failures that match, of all sources, by what they have in common. Nothing is kept of a message but what its
 * group counts, so memory grows with the groups alone.
 * @throws Interrupted
 */
export async function groups(request: GroupsRequest): Promise<Grouped> {
  const { filter, clock } = request;
  const now = clock.now();
  const grouping = new Grouping(request.by);
  const surveyed = await survey({ ...request, states: filter.states }, (failure) => {
    const listed = matches(filter, failure, now);
    if (listed) grouping.add(redactFailure(failure, request.redact));
    return { listed, next: 'more' };
  });
  return { groups: grouping.groups(), sources: surveyed.map((one) => ({ ...one.report, note: noteOf(one) })) };
}

/** A group as it grows. */
interface Growing {
  key: FailureGroup['key'];
  count: number;
  first: string | null;
  last: string | null;
  failed: boolean;
  sent: boolean;
  sample: string | null;
  newest: Pick<Failure, 'id' | 'failed_at' | 'sent_at'>[];
}

/** Groups failures as they go by, in whatever order: the same failures always come out the same. */
export class Grouping {
  readonly #by: readonly GroupMember[];
  readonly #groups = new Map<string, Growing>();

  constructor(by: readonly GroupMember[] | null) {
    this.#by = by ?? BY_CAUSE;
  }

  /** Counts it, and answers its group's name: the same for all of the group, and no other's. */
  add(failure: Failure): string {
    const values = this.#by.map((member) => failure[member]);
    const name = JSON.stringify(values);
    let group = this.#groups.get(name);
    if (group === undefined) {
      const key = Object.fromEntries(this.#by.map((member, at) => [member, values[at] ?? null]));
      group = { key, count: 0, first: null, last: null, failed: false, sent: false, sample: null, newest: [] };
      this.#groups.set(name, group);
    }
    group.count += 1;
    const time = timeOf(failure);
    if (time !== null) {
      if (group.first === null || time < group.first) group.first = time;
      if (group.last === null || time > group.last) group.last = time;
      if (failure.failed_at === null) group.sent = true;
      else group.failed = true;
    }
    keepNewest(group, failure);
    return name;
  }

  /** Most first; then the one that failed last; then by key. */
  groups(): FailureGroup[] {
    return [...this.named()]
      .sort(
        ([name, a], [other, b]) =>
          b.count - a.count || compare(b.last_failed_at ?? '', a.last_failed_at ?? '') || compare(name, other),
      )
      .map(([, group]) => group);
  }

  /** The groups with their names, in no order. */
  *named(): Generator<[name: string, group: FailureGroup]> {
    for (const [name, { key, count, first, last, failed, sent, sample, newest }] of this.#groups) {
      yield [
        name,
        {
          key,
          count,
          first_failed_at: first,
          last_failed_at: last,
          time_basis: failed && sent ? 'both' : failed ? 'failed_at' : sent ? 'sent_at' : null,
          sample,
          sample_ids: newest.map(({ id }) => id),
        },
      ];
    }
  }
}

function keepNewest(group: Growing, failure: Failure): void {
  const { id, failed_at, sent_at } = failure;
  const at = group.newest.findIndex((other) => newestFirst(failure, other) < 0);
  if (at === -1 && group.newest.length >= SAMPLES) return;
  // Nothing else of the failure is held on to.
  const one = { id, failed_at, sent_at };
  group.newest.splice(at === -1 ? group.newest.length : at, 0, one);
  if (group.newest.length > SAMPLES) group.newest.pop();
  if (group.newest[0] === one) group.sample = whatWentWrong(failure).slice(0, MOST_SHOWN) || null;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
