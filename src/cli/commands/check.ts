import { parseDuration } from '../../model/duration.ts';
import { LISTED_STATES } from '../../model/failure.ts';
import { parseFilter } from '../../model/filter.ts';
import { check, checkReads, exitOfCheck } from '../../model/operations/check.ts';
import { wholeNumber } from '../../model/options/numbers.ts';
import type { Context } from '../context.ts';
import { type FilterOptions, filterWords } from '../filter-options.ts';
import { checkReport } from '../outputs/check.ts';
import { print } from '../outputs/report.ts';
import { sayTrouble } from '../outputs/source-trouble.ts';
import { sayWithoutArchive } from '../outputs/without-archive.ts';
import { whileReading } from '../reading.ts';

interface Options extends FilterOptions {
  max?: string;
  olderThan?: string;
  expiresWithin?: string;
}

export async function run(_args: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal, signal } = context;
  const asked = {
    filter: parseFilter(filterWords(options), LISTED_STATES),
    max: options.max === undefined ? 0 : wholeNumber(options.max, '--max', 0),
    olderThan: options.olderThan === undefined ? null : parseDuration(options.olderThan, '--older-than'),
    expiresWithin:
      options.expiresWithin === undefined ? null : parseDuration(options.expiresWithin, '--expires-within'),
  };
  const { sources, journal, clock } = await context.open();
  // The JSON document says it itself.
  if (global.output !== 'json' && checkReads(asked) && sources.some(({ kind }) => kind === 'sqs')) {
    terminal.say('Reading the messages, since counts alone cannot tell: on SQS each look counts as a receive.');
  }
  const checked = await whileReading(context, (onProgress) =>
    check({
      ...asked,
      sources,
      allowReceive: global.allowReceive,
      clock,
      signal,
      onProgress,
    }),
  );
  print(checkReport(checked), global.output, terminal);
  sayTrouble(checked.sources, global.output, terminal);
  if (checked.matched === 0) await sayWithoutArchive(asked.filter, journal, terminal);
  return exitOfCheck(checked);
}
