import { startPostgres } from '../../test/support/postgres-server.ts';
import { median } from '../measure.ts';
import { MESSAGES, onSqs, RETRY, type Side } from '../on-sqs.ts';
import type { Suite } from '../report.ts';

/** Retrying with the journal in PostgreSQL on the same machine, against the journal in a file. */
export const team: Suite = async (bench) => {
  const postgres = await startPostgres();
  if ('missing' in postgres)
    return { figures: [], notes: [`A journal in PostgreSQL was not measured. ${postgres.missing}.`] };
  try {
    return await onSqs(bench, async ({ inTurn, babelq }) => {
      const inFile: Side = (queue) => babelq(queue, RETRY);
      const onServer: Side = (queue) => {
        const command = babelq(queue, RETRY);
        return { ...command, environment: { ...command.environment, BABELQ_JOURNAL: postgres.url } };
      };
      const { ratios, seconds } = await inTurn(inFile, onServer, { messages: MESSAGES, until: 'empty' });
      return {
        figures: [
          {
            name: `redrive of ${MESSAGES}, journal in ${postgres.name.replace(/^postgres \(PostgreSQL\) (\S+).*$/, 'PostgreSQL $1')}`,
            value: MESSAGES / median(seconds),
            unit: 'messages/s',
          },
          { name: 'the same against a journal in a file', value: median(ratios), unit: '×' },
        ],
      };
    });
  } finally {
    await postgres.stop();
  }
};
