import { sayCount } from '../../model/display/counts.ts';
import { EXIT } from '../../model/errors.ts';
import { LISTED_STATES } from '../../model/failure.ts';
import { parseFilter } from '../../model/filter.ts';
import { LISTING_LIMIT, list } from '../../model/operations/list.ts';
import type { SourceReport } from '../../model/operations/survey.ts';
import { limitOf } from '../../model/options/numbers.ts';
import type { Context } from '../context.ts';
import { type FilterOptions, filterWords } from '../filter-options.ts';
import { failureReport } from '../outputs/failures.ts';
import { print } from '../outputs/report.ts';
import { sayTrouble } from '../outputs/source-trouble.ts';
import { sayWithoutArchive } from '../outputs/without-archive.ts';
import { whileReading } from '../reading.ts';
import { sameSources } from '../same-options.ts';

interface Options extends FilterOptions {
  limit?: string;
  withBody?: boolean;
}

export async function run(_args: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal, signal } = context;
  const filter = parseFilter(filterWords(options), LISTED_STATES);
  const limit = limitOf(options.limit, LISTING_LIMIT);
  const { sources, journal, clock, redact } = await context.open();
  const listing = await whileReading(context, (onProgress) =>
    list({
      sources,
      filter,
      limit,
      withBody: options.withBody ?? false,
      redact,
      allowReceive: global.allowReceive,
      clock,
      signal,
      onProgress,
    }),
  );
  print(failureReport(listing, clock.now(), sameSources(global)), global.output, terminal);
  sayTrouble(listing.sources, global.output, terminal);
  const isCut = ({ listed, complete }: SourceReport): boolean => listed === limit && !complete;
  if (options.limit === undefined && global.output !== 'json' && listing.sources.some(isCut)) {
    terminal.say(`Of each source ${sayCount(LISTING_LIMIT)} are listed at most: --limit all lists everything.`);
  }
  if (!listing.failures.some(({ state }) => state === 'dismissed')) {
    await sayWithoutArchive(filter, journal, terminal);
  }
  return listing.sources.some(({ error }) => error !== null) ? EXIT.couldNot : EXIT.done;
}
