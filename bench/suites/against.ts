import { median } from '../measure.ts';
import { onSqs, RETRY } from '../on-sqs.ts';
import { OTHERS } from '../others.ts';
import type { Findings, Suite } from '../report.ts';

/** The others move one message at a time. */
const MESSAGES = 2000;

/** Against what people use today. */
export const against: Suite = (bench) =>
  onSqs(bench, async ({ inTurn, babelq }) => {
    const found: Required<Findings> = { figures: [], notes: [] };
    for (const other of OTHERS) {
      try {
        await other.install();
      } catch (error) {
        found.notes.push(`${other.name} was left out, as it can't be installed here: ${(error as Error).message}`);
        continue;
      }
      const { ratios } = await inTurn(
        (queue) => other.redrive(queue),
        (queue) => babelq(queue, RETRY),
        { messages: MESSAGES, until: 'empty' },
      );
      found.figures.push({ name: `times as fast as ${other.name}`, value: median(ratios), unit: '×' });
    }
    return found;
  });
