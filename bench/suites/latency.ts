import { measure, median } from '../measure.ts';
import { MESSAGES, onSqs, RETRY } from '../on-sqs.ts';
import type { Figure, Suite } from '../report.ts';

const DISTANCES_MS = [20, 100];

/**
 * From a region away it is the calls that take the time: so many of them, so long each, so many at once as babelq came
 * to. What it takes beyond that is the start, the finding of how many at once is good, and its own work.
 */
export const latency: Suite = (bench) =>
  onSqs(bench, async ({ server, seeded, babelq }) => {
    const figures: Figure[] = [];
    for (const ms of DISTANCES_MS) {
      const ratios: number[] = [];
      const seconds: number[] = [];
      const widths: number[] = [];
      for (let round = 0; round < bench.rounds; round += 1) {
        const { environment, calls } = await server.from(ms);
        const queue = await seeded(MESSAGES, environment);
        const took = await measure(
          babelq(queue, RETRY),
          server.until(queue.dlq.slice(queue.dlq.lastIndexOf('/') + 1), 'empty'),
        );
        const { count, most } = await calls();
        seconds.push(took.seconds);
        widths.push(most);
        ratios.push(took.seconds / ((count * ms) / 1000 / most));
      }
      figures.push(
        { name: `redrive of ${MESSAGES} from ${ms} ms away`, value: median(seconds), unit: 's' },
        { name: '  calls at once, as it chose', value: median(widths), unit: '' },
        { name: '  times what those calls must take', value: median(ratios), unit: '×', target: { most: 1.3 } },
      );
    }
    return { figures };
  });
