import { expect, test } from 'vitest';
import { tickSentence, ticksFor } from '../../../src/model/display/tick.ts';

test("a retry's time follows from twenty messages a tick and a tick every ten seconds", () => {
  expect([0, 1, 20, 21, 500].map((count) => ticksFor(count))).toEqual([
    { ticks: 0, seconds: 0 },
    { ticks: 1, seconds: 10 },
    { ticks: 1, seconds: 10 },
    { ticks: 2, seconds: 20 },
    { ticks: 25, seconds: 250 },
  ]);
  expect([1, 20, 60, 500, 100_000].map(tickSentence)).toEqual([
    'The app reads it at its next tick, within about 10 seconds.',
    'The app reads them at its next tick, within about 10 seconds.',
    'The app reads 20 retried messages a tick: 60 take at least 3 ticks, about 30 seconds.',
    'The app reads 20 retried messages a tick: 500 take at least 25 ticks, about 4 minutes.',
    'The app reads 20 retried messages a tick: 100,000 take at least 5,000 ticks, about 14 hours.',
  ]);
});
