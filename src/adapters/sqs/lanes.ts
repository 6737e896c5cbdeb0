import { BATCH } from './limits.ts';

/**
 * Hands items to `work` in batches of ten, several batches side by side. Items with the same key share a lane, where
 * one batch follows the other in the items' order.
 */
export async function inLanes<T>(
  items: readonly T[],
  most: number,
  keyOf: ((item: T) => string | null) | null,
  work: (batch: readonly T[]) => Promise<void> | undefined,
): Promise<void> {
  const count = Math.min(most, Math.ceil(items.length / BATCH));
  const lanes: T[][] = Array.from({ length: count }, () => []);
  const laneOfKey = new Map<string, T[]>();
  for (const [n, item] of items.entries()) {
    const key = keyOf?.(item) ?? null;
    // Ten in a row go to one lane, so that batches are full.
    const next = lanes[Math.floor(n / BATCH) % count] ?? [];
    const lane = key === null ? next : (laneOfKey.get(key) ?? next);
    if (key !== null) laneOfKey.set(key, lane);
    lane.push(item);
  }
  await Promise.all(
    lanes.map(async (lane) => {
      for (let n = 0; n < lane.length; n += BATCH) await work(lane.slice(n, n + BATCH));
    }),
  );
}
