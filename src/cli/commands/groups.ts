import { EXIT } from '../../model/errors.ts';
import { LISTED_STATES } from '../../model/failure.ts';
import { parseFilter } from '../../model/filter.ts';
import { groups, parseGroupBy } from '../../model/operations/groups.ts';
import { limitOf } from '../../model/options/numbers.ts';
import type { Context } from '../context.ts';
import { type FilterOptions, filterWords } from '../filter-options.ts';
import { groupReport } from '../outputs/groups.ts';
import { print } from '../outputs/report.ts';
import { sayTrouble } from '../outputs/source-trouble.ts';
import { sayWithoutArchive } from '../outputs/without-archive.ts';
import { whileReading } from '../reading.ts';
import { sameSources } from '../same-options.ts';

interface Options extends FilterOptions {
  by?: string[];
  limit?: string;
}

export async function run(_args: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal, signal } = context;
  const filter = parseFilter(filterWords(options), LISTED_STATES);
  const by = parseGroupBy(options.by, '--by');
  const limit = limitOf(options.limit, 'all');
  const { sources, journal, clock, redact } = await context.open();
  const grouped = await whileReading(context, (onProgress) =>
    groups({
      sources,
      filter,
      by,
      redact,
      allowReceive: global.allowReceive,
      clock,
      signal,
      onProgress,
    }),
  );
  const shown = limit === 'all' ? grouped.groups : grouped.groups.slice(0, limit);
  const report = { ...grouped, groups: shown };
  print(groupReport(report, grouped.groups.length, by, clock.now(), sameSources(global)), global.output, terminal);
  sayTrouble(grouped.sources, global.output, terminal);
  if (grouped.groups.length === 0) await sayWithoutArchive(filter, journal, terminal);
  return grouped.sources.some(({ error }) => error !== null) ? EXIT.couldNot : EXIT.done;
}
