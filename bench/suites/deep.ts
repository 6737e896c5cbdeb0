import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { measure } from '../measure.ts';
import { onSqs } from '../on-sqs.ts';
import type { Suite } from '../report.ts';

const MESSAGES = 250_000;
const FEW = 10_000;
const FILTERED = ['retry', '--reason', 'unknown_urn', '--yes'];

/** A dead-letter queue after a long outage: longer than SQS lets anybody hold at once. */
export const deep: Suite = (bench) =>
  onSqs(bench, async ({ server, seeded, babelq }) => {
    const few = await seeded(FEW);
    const many = await seeded(MESSAGES);
    const list = ['deliveries', '--limit', '1000', '--json'];
    const small = await measure(babelq(few, list));
    const listed = await measure(babelq(many, list));
    const fewGrouped = await measure(babelq(few, ['groups', '--json']));
    const grouped = await measure(babelq(many, ['groups', '--json']), undefined, [0, 1]);
    const { command, args, environment } = babelq(many, FILTERED);
    let runs = 0;
    let left = MESSAGES / 10;
    const begun = performance.now();
    for (const interrupted of [true, false, false, false]) {
      runs += 1;
      const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: 'ignore' });
      if (interrupted) await halfWay(child, async () => (await server.count(many.name)).lying >= left / 2);
      await once(child, 'exit');
      left = MESSAGES / 10 - (await server.count(many.name)).lying;
      if (left === 0) break;
    }
    const seconds = (performance.now() - begun) / 1000;
    const target = await server.count(many.name);
    const dlq = await server.count(`${many.name}-dlq`);
    if (target.twice > 0 || dlq.hidden > 0) throw new Error(`${target.twice} came twice, ${dlq.hidden} stay hidden`);
    return {
      figures: [
        { name: `listing of ${MESSAGES}, 1000 shown`, value: listed.seconds, unit: 's' },
        { name: `  peak memory against ${FEW}`, value: listed.peakMb / small.peakMb, unit: '×' },
        { name: `groups of ${MESSAGES}`, value: grouped.seconds, unit: 's' },
        { name: `  peak memory against ${FEW}`, value: grouped.peakMb / fewGrouped.peakMb, unit: '×' },
        { name: `redrive of one in ten of ${MESSAGES}, interrupted once`, value: seconds, unit: 's' },
        { name: '  runs until it was done', value: runs, unit: '' },
        { name: '  of them left', value: left, unit: '', target: { most: 0 } },
      ],
    };
  });

async function halfWay(child: ChildProcess, is: () => Promise<boolean>): Promise<void> {
  while (child.exitCode === null && !(await is())) await new Promise((resolve) => setTimeout(resolve, 250));
  child.kill('SIGINT');
}
