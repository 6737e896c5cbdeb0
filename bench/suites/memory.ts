import { measure } from '../measure.ts';
import { MESSAGES, onSqs, RETRY } from '../on-sqs.ts';
import type { Suite } from '../report.ts';

/** Whether ten times the messages need more memory. */
export const memory: Suite = (bench) =>
  onSqs(bench, async ({ seeded, babelq }) => {
    const peak = async (messages: number) => (await measure(babelq(await seeded(messages), RETRY))).peakMb;
    const small = await peak(MESSAGES);
    const large = await peak(10 * MESSAGES);
    return {
      figures: [
        { name: `peak memory, redrive of ${MESSAGES}`, value: small, unit: 'MB' },
        { name: `peak memory, redrive of ${10 * MESSAGES}`, value: large, unit: 'MB', target: { most: 200 } },
        { name: 'peak memory, ten times the messages', value: large / small, unit: '×', target: { most: 1.2 } },
      ],
    };
  });
