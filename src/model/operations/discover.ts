import type { DiscoveredQueue, FindProgress, FindRequest, FoundPlace, QueueFinder } from '../discover/found.ts';
import { judgeQueues } from '../discover/judge.ts';

export interface Discovered {
  places: FoundPlace[];
  queues: DiscoveredQueue[];
}

/**
 * Looks around in every place at once, and tells which queues are dead-letter queues. Receives nothing. A place that can't be
 * looked at says why and hides no other.
 * @throws Interrupted
 */
export async function discover(
  finders: readonly QueueFinder[],
  request: Omit<FindRequest, 'onProgress'> & { onProgress?: (all: readonly FindProgress[]) => void },
): Promise<Discovered> {
  const progress: FindProgress[] = finders.map(() => ({ where: '', listed: 0, asked: 0 }));
  const { onProgress, ...rest } = request;
  const places = await Promise.all(
    finders.map((finder, at) =>
      finder.find({
        ...rest,
        onProgress: (latest) => {
          progress[at] = latest;
          onProgress?.(progress);
        },
      }),
    ),
  );
  return { places, queues: judgeQueues(places) };
}
