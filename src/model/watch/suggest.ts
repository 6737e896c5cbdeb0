import { sayDuration } from '../duration.ts';

const STEPS = [
  { below: 120_000, step: 5_000 },
  { below: 600_000, step: 30_000 },
  { below: Number.POSITIVE_INFINITY, step: 60_000 },
];
/** Two looks and a reading come on top of what is waited for. */
const MARGIN_MS = 2_000;

/** A `--wait` that is long enough for so many milliseconds, as a person would type it. */
export function suggestWait(ms: number): string {
  const wanted = ms * 1.05 + MARGIN_MS;
  const step = STEPS.find(({ below }) => wanted < below)?.step ?? 60_000;
  return sayDuration(Math.ceil(wanted / step) * step);
}
