import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJadpoFile, parkedExamples } from '../../test/support/jadpo-table.ts';
import { type Command, measure, median } from '../measure.ts';
import { BIN, onSqs } from '../on-sqs.ts';
import type { Figure, Suite } from '../report.ts';

/** Starts are short, so a figure needs many of them. */
const PAIRS_A_ROUND = 5;
const ON_THE_QUEUE = 40;

/** How long a person waits for the first word. */
export const start: Suite = async (bench) => {
  const pairs = bench.rounds * PAIRS_A_ROUND;
  const database = join(bench.folder, 'parked.db');
  createJadpoFile(database, parkedExamples(Date.now()));
  const config = join(bench.folder, 'babelq.yaml');
  writeFileSync(config, `sources:\n  - name: warehouse\n    jadpo: ${database}\n`);
  const environment = { HOME: bench.folder, XDG_STATE_HOME: bench.folder };
  const node = (...args: string[]): Command => ({ command: process.execPath, args, environment });
  const bare = node('-e', '0');
  const against = (name: string, command: Command, most?: number): Figure => {
    const { ratio } = paired(bare, command, pairs);
    return {
      name: `${name}, times \`node -e 0\``,
      value: ratio,
      unit: '×',
      ...(most !== undefined && { target: { most } }),
    };
  };
  const figures = [
    against('babelq --version', node(BIN, '--version'), 1.3),
    against('babelq --help', node(BIN, '--help')),
    against('babelq deliveries --json, one SQLite source', node(BIN, '--jadpo', database, 'deliveries', '--json'), 2.2),
    against('the same by babelq.yaml', node(BIN, '--config', config, 'deliveries', '--json')),
  ];
  figures.push(
    await onSqs(bench, async ({ seeded, babelq, bare: script }) => {
      const ratios: number[] = [];
      for (let pair = 0; pair < pairs; pair += 1) {
        const queue = await seeded(ON_THE_QUEUE);
        const theirs = await measure(script('list-and-release', queue));
        const ours = await measure(babelq(queue, ['deliveries', '--json']));
        ratios.push(ours.seconds / theirs.seconds);
      }
      return {
        name: `babelq deliveries --json, ${ON_THE_QUEUE} on SQS, times an SDK script`,
        value: median(ratios),
        unit: '×',
        target: { most: 1.25 },
      };
    }),
  );
  return { figures };
};

/** Interleaved, so that both have the same neighbours. */
function paired(first: Command, second: Command, pairs: number): { ratio: number } {
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const theirs = seconds(first);
    ratios.push(seconds(second) / theirs);
  }
  return { ratio: median(ratios) };
}

function seconds({ command, args, environment }: Command): number {
  const env: NodeJS.ProcessEnv = { ...process.env, ...environment };
  // It costs old Nodes 80 ms a start, and nothing measured here speaks TLS.
  delete env.NODE_EXTRA_CA_CERTS;
  const begun = performance.now();
  const { status, stderr } = spawnSync(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
  return (performance.now() - begun) / 1000;
}
