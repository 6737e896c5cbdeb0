import { expiresSoon } from '../../model/display/age.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { type Filter, matches } from '../../model/filter.ts';
import { type Steps, sortInSteps } from '../../model/steps.ts';
import { type Group, type GroupRequest, groupInSteps } from './grouping.ts';
import { compareBy, GROUP_ORDERS, type GroupOrder, ORDERS, type Order, type Sorting } from './orders.ts';

export interface ArrangeRequest extends GroupRequest {
  /** What was read, a list a source, and what left since. */
  failures: readonly Iterable<WholeFailure>[];
  filter: Filter;
  sort: Sorting<Order>;
  /** The failures are in that order already. */
  sorted?: boolean;
  groupSort: Sorting<GroupOrder>;
}

export interface Arrangement {
  /** All that match, in order. */
  rows: readonly WholeFailure[];
  groups: readonly Group[];
  /** Milliseconds that the groups' histograms go back. */
  span: number;
  soon: number;
}

/** Failures looked at between two breaths, and bytes of their bodies: well under the time in which a key must be answered. */
const SLICE = 500;
const SLICE_BYTES = 1 << 20;

/** Filters, orders and groups what was read, in steps, so that keys are answered between them however much there is. */
export function* arrange(request: ArrangeRequest): Steps<Arrangement> {
  const { filter, now } = request;
  const found: WholeFailure[] = [];
  let soon = 0;
  let looked = 0;
  let bytes = 0;
  for (const failures of request.failures) {
    for (const failure of failures) {
      looked += 1;
      bytes += failure.size_bytes;
      if (looked >= SLICE || bytes >= SLICE_BYTES) {
        looked = 0;
        bytes = 0;
        yield;
      }
      if (!matches(filter, failure, now)) continue;
      found.push(failure);
      if (expiresSoon(failure.expires_at, now)) soon += 1;
    }
  }
  const rows = request.sorted === true ? found : yield* sortInSteps(found, compareBy(ORDERS, request.sort));
  const { groups, span } = yield* groupInSteps(rows, request);
  const sorted = yield* sortInSteps(groups, compareBy(GROUP_ORDERS, request.groupSort));
  return { rows, groups: sorted, span, soon };
}
