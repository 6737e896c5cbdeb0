import { describe, expect, it } from 'vitest';
import { MUTANTS } from './support/simulator/mutants.ts';
import { type Outcome, runSchedule } from './support/simulator/schedule.ts';

/**
 * `SEED=… npx vitest run test/simulator.test.ts` plays one schedule again and prints all of it. `npm run test:soak`
 * plays SOAK_SCHEDULES of them (20,000, or as many as SOAK_MINUTES let it) from a seed that nobody has chosen.
 */
const { SEED, SOAK, SOAK_SCHEDULES, SOAK_MINUTES, SOAK_FROM } = process.env;
const SCHEDULES = 2000;
/** Where the machine is busy there are fewer. */
const LONGEST_MS = 45_000;
const MINUTE = 60_000;
const chosen = SEED ?? SOAK;

describe.runIf(chosen === undefined)('whatever goes wrong, and when', () => {
  it('no message is lost, doubled unsaid, changed or left hidden', { retry: 0, timeout: 5 * MINUTE }, async () => {
    const total = await playAll(1, SCHEDULES, performance.now() + LONGEST_MS);
    // They are worth something only where much is done and much goes wrong.
    expect(total.schedules).toBeGreaterThan(SCHEDULES / 10);
    expect(total.acts).toBeGreaterThan(total.schedules * 10);
    expect(total.crashes).toBeGreaterThan(total.schedules / 10);
  });

  // Each broke a promise once: how is in the history of what mended it.
  it.each([491, 1554, 10_044, 359_321_845])('seed %i, which found a fault, finds it no more', async (seed) => {
    expect((await runSchedule(seed)).violations).toEqual([]);
  });

  it('the same seed plays the same schedule', async () => {
    for (const seed of [11, 12, 13, 14]) {
      const [first, second] = [await runSchedule(seed, { trace: true }), await runSchedule(seed, { trace: true })];
      expect(second).toEqual(first);
    }
  });
});

describe.runIf(chosen === undefined)('the invariants find a babelq that', () => {
  it.each(MUTANTS)('$name', async ({ caughtAs, spoil }) => {
    const found: string[] = [];
    for (let seed = 1; seed <= 600 && !found.some((one) => caughtAs.test(one)); seed += 1) {
      found.push(...(await runSchedule(seed, { mutant: spoil })).violations);
    }
    expect(found.filter((one) => caughtAs.test(one))).not.toEqual([]);
  });
});

it.runIf(SEED !== undefined)(`seed ${SEED}, all of it`, async () => {
  const outcome = await runSchedule(Number(SEED), { trace: true });
  console.log([JSON.stringify(outcome.scenario), ...outcome.trace, ...outcome.violations].join('\n'));
  expect(outcome.violations).toEqual([]);
});

describe.runIf(SOAK !== undefined)('soaked', () => {
  const minutes = Number(SOAK_MINUTES ?? 24 * 60);
  it('no message is lost, doubled unsaid, changed or left hidden', { timeout: (minutes + 5) * MINUTE }, async () => {
    const from = Number(SOAK_FROM ?? Math.floor(Math.random() * 1_000_000_000));
    const count = Number(SOAK_SCHEDULES ?? (SOAK_MINUTES === undefined ? 20_000 : Number.POSITIVE_INFINITY));
    console.log(`from seed ${from}`);
    console.log(await playAll(from, count, performance.now() + minutes * MINUTE));
  });
});

async function playAll(from: number, count: number, until = Number.POSITIVE_INFINITY) {
  const total = { schedules: 0, acts: 0, crashes: 0, events: 0 };
  for (let seed = from; seed < from + count && performance.now() < until; seed += 1) {
    const outcome = await runSchedule(seed);
    total.schedules += 1;
    total.acts += outcome.acts;
    total.crashes += outcome.crashes;
    total.events += outcome.events;
    if (outcome.violations.length > 0) throw new Error(await explained(outcome));
  }
  return total;
}

/** The seed, what was broken, and the end of what led there. */
async function explained({ seed, violations }: Outcome): Promise<string> {
  const { trace } = await runSchedule(seed, { trace: true });
  return [
    `Seed ${seed} broke a promise. To see all of it: SEED=${seed} npx vitest run test/simulator.test.ts`,
    ...violations.slice(0, 5),
    '… and what led there:',
    ...trace.slice(-40),
  ].join('\n');
}
