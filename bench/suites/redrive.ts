import { median } from '../measure.ts';
import { MESSAGES, onSqs, RETRY, type Side } from '../on-sqs.ts';
import type { Suite } from '../report.ts';
import { AWAY_MS } from '../server.ts';

/** Retrying, the journal on, against the least that the SDK must do. */
export const redrive: Suite = (bench) =>
  onSqs(bench, async ({ inTurn, bare, babelq, server }) => {
    const theirs: Side = (queue) => bare('redrive', queue);
    const ours: Side = (queue) => babelq(queue, RETRY);
    // Until the last message has moved: without the long poll that then tells both that nothing is left.
    const how = { messages: MESSAGES, until: 'empty' } as const;
    const near = await inTurn(theirs, ours, how);
    const away = await inTurn(theirs, ours, { ...how, environment: server.away });
    const target = { least: 0.85 };
    return {
      figures: [
        { name: `redrive of ${MESSAGES}, journal on`, value: MESSAGES / median(near.seconds), unit: 'messages/s' },
        { name: 'redrive, rate against a bare SDK loop', value: median(near.ratios), unit: '×', target },
        { name: `redrive, ${AWAY_MS} ms away`, value: MESSAGES / median(away.seconds), unit: 'messages/s' },
        { name: `the same against a bare SDK loop, ${AWAY_MS} ms away`, value: median(away.ratios), unit: '×', target },
      ],
    };
  });
