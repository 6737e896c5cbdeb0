import { expiresSoon } from '../../model/display/age.ts';
import { type GroupMember, timeOf, type WholeFailure } from '../../model/failure.ts';
import { type FailureGroup, Grouping } from '../../model/operations/groups.ts';
import type { Steps } from '../../model/steps.ts';

/** A group as the screens show it: what `babelq groups` counts, with its failures. */
export interface Group extends FailureGroup {
  /** The same whenever it is grouped so again. */
  readonly name: string;
  /** In the order of the list. */
  readonly members: readonly WholeFailure[];
  /** When the first of them expires. */
  readonly expires_at: string | null;
  /** How many expire within six hours. */
  readonly soon: number;
  /** How many came since the last reading, and how many left. */
  readonly fresh: number;
  readonly gone: number;
  readonly histogram: Histogram;
}

/** When a group's failures happened, within the time that all groups are shown over. */
export interface Histogram {
  /** How many in each part of it, the earliest first. */
  readonly parts: readonly number[];
  /** How many before it. */
  readonly older: number;
}

export interface GroupRequest {
  /** Null for by cause. */
  by: readonly GroupMember[] | null;
  fresh: ReadonlyMap<string, unknown>;
  gone: ReadonlyMap<string, unknown>;
  now: number;
}

/** Parts of a histogram. */
const PARTS = 12;
const HOUR = 3_600_000;
/** The times that histograms may cover. */
const SPANS = [1, 6, 24, 3 * 24, 7 * 24, 14 * 24, 60 * 24, 365 * 24].map((hours) => hours * HOUR);
/** Of all failures this share at least is within that time: one from last week must not make one bar of all the others. */
const MOST_OF_THEM = 0.75;
/** Failures looked at between two breaths. */
const SLICE = 500;

interface Growing {
  members: WholeFailure[];
  expires: string | null;
  soon: number;
  fresh: number;
  gone: number;
}

/**
 * Groups failures by the rule of `babelq groups`; in no order.
 * @param rows in the order in which each group's members shall stand
 */
export function* groupInSteps(
  rows: readonly WholeFailure[],
  { by, fresh, gone, now }: GroupRequest,
): Steps<{ groups: Group[]; span: number }> {
  const grouping = new Grouping(by);
  const growing = new Map<string, Growing>();
  const within = SPANS.map(() => 0);
  let timed = 0;
  let looked = 0;
  for (const failure of rows) {
    looked += 1;
    if (looked % SLICE === 0) yield;
    const name = grouping.add(failure);
    let group = growing.get(name);
    if (group === undefined) {
      group = { members: [], expires: null, soon: 0, fresh: 0, gone: 0 };
      growing.set(name, group);
    }
    group.members.push(failure);
    const { id, expires_at } = failure;
    if (expires_at !== null && (group.expires === null || expires_at < group.expires)) group.expires = expires_at;
    if (expiresSoon(expires_at, now)) group.soon += 1;
    if (fresh.has(id)) group.fresh += 1;
    if (gone.has(id)) group.gone += 1;
    const time = timeAt(failure);
    if (time === null) continue;
    timed += 1;
    for (const [at, span] of SPANS.entries()) if (now - time <= span) within[at] = (within[at] ?? 0) + 1;
  }
  const fitting = within.findIndex((count) => count >= timed * MOST_OF_THEM);
  const span = SPANS[fitting === -1 ? SPANS.length - 1 : fitting] ?? HOUR;
  const groups: Group[] = [];
  for (const [name, group] of grouping.named()) {
    const { members, expires, soon, fresh: came, gone: left } = growing.get(name) as Growing;
    const histogram = yield* histogramOf(members, now, span);
    groups.push({ ...group, name, members, expires_at: expires, soon, fresh: came, gone: left, histogram });
  }
  return { groups, span };
}

function* histogramOf(members: readonly WholeFailure[], now: number, span: number): Steps<Histogram> {
  let older = 0;
  const parts = new Array<number>(PARTS).fill(0);
  let looked = 0;
  for (const failure of members) {
    looked += 1;
    if (looked % SLICE === 0) yield;
    const time = timeAt(failure);
    if (time === null) continue;
    const part = Math.floor(((time - (now - span)) / span) * PARTS);
    const at = Math.min(PARTS - 1, part);
    if (at < 0) older += 1;
    else parts[at] = (parts[at] ?? 0) + 1;
  }
  yield;
  return { parts, older };
}

function timeAt(failure: WholeFailure): number | null {
  const time = Date.parse(timeOf(failure) ?? '');
  return Number.isNaN(time) ? null : time;
}
