import { median } from '../measure.ts';
import { LIST, MESSAGES, onSqs, type Side } from '../on-sqs.ts';
import type { Suite } from '../report.ts';

/** Reading a whole queue and giving it back. */
export const listing: Suite = (bench) =>
  onSqs(bench, async ({ inTurn, bare, babelq }) => {
    const ours: Side = (queue) => babelq(queue, LIST);
    const whole = await inTurn((queue) => bare('list-and-release', queue), ours, { messages: MESSAGES });
    const received = await inTurn((queue) => bare('list', queue), ours, { messages: MESSAGES, until: 'all hidden' });
    const target = { least: 0.9 };
    return {
      figures: [
        { name: `listing of ${MESSAGES}`, value: MESSAGES / median(received.seconds), unit: 'messages/s' },
        {
          name: 'listing, rate against a bare loop that receives and gives back',
          value: median(whole.ratios),
          unit: '×',
          target,
        },
        { name: 'the same, until the last message was received', value: median(received.ratios), unit: '×', target },
      ],
    };
  });
