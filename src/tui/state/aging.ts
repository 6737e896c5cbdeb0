import { layoutOf } from '../layout.ts';
import { type State, topScreen } from './state.ts';

const MINUTE = 60_000;
/** How often ages are told anew while one of them is in seconds. */
const SECONDS = 5000;
/** For so long what was read was read just now. */
const JUST_NOW = 10_000;

/**
 * When what is shown has aged, in milliseconds since the epoch: some seconds from now where an age in sight is told in
 * seconds, else a minute, so that screens that nobody looks at do next to nothing.
 */
export function agedAt(state: State): number {
  const { now, marks } = state;
  const inSeconds = marks.gone.size > 0 || timesShown(state).some((time) => Math.abs(now - time) < MINUTE);
  return Math.min(now + (inSeconds ? SECONDS : MINUTE), statusAgedAt(state));
}

/** The line under the list tells the first minute in two parts only. */
function statusAgedAt({ sources, now }: State): number {
  const oldest = Math.min(...sources.flatMap(({ readAt }) => (readAt === null ? [] : [readAt])));
  const next = [JUST_NOW, MINUTE].map((age) => oldest + age).find((time) => time > now);
  return next ?? Number.POSITIVE_INFINITY;
}

function timesShown(state: State): number[] {
  const screen = topScreen(state);
  switch (screen?.kind) {
    case undefined: {
      const { body } = layoutOf(state);
      if (state.place.kind === 'groups') {
        const { rows, top } = state.groups;
        return rows.slice(top, top + body).flatMap((group) => parsed(group.last_failed_at, group.expires_at));
      }
      const { rows, top } = state.list;
      return rows.slice(top, top + body).flatMap((one) => parsed(one.failed_at ?? one.sent_at, one.expires_at));
    }
    case 'failure':
      return parsed(screen.failure.failed_at, screen.failure.sent_at, screen.failure.expires_at);
    case 'entry':
      return parsed(screen.entry.at);
    case 'log':
    case 'run':
      return Array.isArray(screen.entries) ? parsed(screen.entries[0]?.at ?? null) : [];
    default:
      return [];
  }
}

function parsed(...times: readonly (string | null)[]): number[] {
  return times.flatMap((time) => (time === null ? [] : [Date.parse(time)]));
}
