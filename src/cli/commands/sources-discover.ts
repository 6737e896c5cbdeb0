import { dirname, resolve } from 'node:path';
import type { FoundPlace } from '../../model/discover/found.ts';
import { nameAll } from '../../model/discover/names.ts';
import { escapeText } from '../../model/display/escape.ts';
import type { Reach, Sample } from '../../model/doctor/diagnosis.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import { rateOf, wholeNumber } from '../../model/options/numbers.ts';
import type { Context } from '../context.ts';
import { refuseFile, writeNew } from '../discovering/config-file.ts';
import { databases, type FoundTable, lookAround, sampled } from '../discovering/look.ts';
import { type DiscoverReport, lookedAt, sourceOfQueue } from '../discovering/report.ts';
import { written } from '../discovering/written.ts';
import { discoverOutput, sayBesideFound } from '../outputs/discover.ts';
import { print } from '../outputs/report.ts';

interface Options {
  region?: string[];
  profile?: string[];
  endpoint?: string[];
  prefix?: string[];
  rate?: string;
  sample?: string;
  write?: string | true;
  replace?: boolean;
}

/** GetQueueAttributes calls a second, where nobody says: quick for hundreds of queues, and far from what AWS throttles. */
const RATE = 50;

export async function run(globs: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal, io } = context;
  refuseSources(context);
  const rate = options.rate === undefined ? RATE : rateOf(options.rate, '--rate', 'queues');
  const sample = options.sample === undefined ? 0 : wholeNumber(options.sample, '--sample');
  const file =
    options.write === undefined ? null : resolve(io.cwd, options.write === true ? 'babelq.yaml' : options.write);
  const discovery = await context.openDiscovery();
  if (file !== null && options.replace !== true) await refuseFile(file);

  const wanted = { reaches: reachesOf(options), globs, prefixes: options.prefix ?? [], rate };
  const found = await lookAround(wanted, context, discovery);
  const samples = sample > 0 ? await sampled(found.queues, sample, context, discovery) : new Map<string, Sample>();
  const { tables, troubles } = await databases(context, discovery);
  const queues = nameAll(
    found.queues,
    tables.map(({ source }) => source.name),
  );
  const sources = [
    ...queues.map((one, at) => sourceOfQueue(one, samples.get(found.queues[at]?.name ?? '') ?? null)),
    ...tables.map(({ source }) => source),
  ];
  const folder = file === null ? io.cwd : dirname(file);
  const { writeConfig } = await import('../config/write.ts');
  const config = sources.length === 0 ? null : writeConfig(written(queues, tables, folder, io.env));
  const kept = file !== null && config !== null ? await writeNew(file, config, options.replace === true) : null;

  const places = found.places.map(lookedAt);
  const report: DiscoverReport = { sources, places, config, written: config === null ? null : file };
  print(discoverOutput(report, Date.now()), global.output, terminal);
  sayBesideFound(report, troubles, context);
  if (kept !== null) terminal.say(`What was there before is kept: ${escapeText(kept)}`);
  if (file !== null && config === null) terminal.complain(`Nothing was written to ${escapeText(file)}.`);
  const failed = found.places.some((place) => place.error !== null && !mayBeLeftOut(place, tables, options));
  if (!failed && troubles.length === 0) return EXIT.done;
  return report.written === null ? EXIT.couldNot : EXIT.partly;
}

/** Who has a database and no AWS account asked for no queues. */
function mayBeLeftOut({ error }: FoundPlace, tables: readonly FoundTable[], options: Options): boolean {
  const { region, profile, endpoint } = options;
  const asked = region !== undefined || profile !== undefined || endpoint !== undefined;
  return tables.length > 0 && !asked && (error?.code === 'config' || error?.code === 'no_credentials');
}

function refuseSources({ global }: Context): void {
  if (global.sqs.length === 0 && global.source.length === 0) return;
  throw new BabelqError(
    'usage',
    'sources discover looks for queues itself, so --sqs and --source have no place here.',
    {
      hint: "Narrow it with names: babelq sources discover 'orders-*', or --prefix orders-",
    },
  );
}

/** Every region with every profile at every server. */
function reachesOf({ region = [], profile = [], endpoint = [] }: Options): Reach[] {
  const each = (values: readonly string[]): (string | null)[] => (values.length === 0 ? [null] : [...new Set(values)]);
  return each(profile).flatMap((oneProfile) =>
    each(region).flatMap((oneRegion) =>
      each(endpoint).map((oneEndpoint) => ({ region: oneRegion, profile: oneProfile, endpoint: oneEndpoint })),
    ),
  );
}
