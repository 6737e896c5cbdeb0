import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DiscoveredQueue, FindProgress, FoundPlace } from '../../model/discover/found.ts';
import { nameAll } from '../../model/discover/names.ts';
import { escapeText, quoteTyped } from '../../model/display/escape.ts';
import { shellWord } from '../../model/display/shell-word.ts';
import { grouped } from '../../model/display/verbs.ts';
import type { Reach, Sample } from '../../model/doctor/diagnosis.ts';
import { asBabelqError, BabelqError, EXIT } from '../../model/errors.ts';
import { discover } from '../../model/operations/discover.ts';
import { sampleOf } from '../../model/operations/sample.ts';
import { rateOf, wholeNumber } from '../../model/options/numbers.ts';
import type { WrittenSource } from '../config/write.ts';
import type { Context } from '../context.ts';
import { databaseSetting } from '../discovering/databases.ts';
import {
  type DiscoveredSource,
  type DiscoverReport,
  lookedAt,
  neededOf,
  sourceOfQueue,
  sourceOfTable,
} from '../discovering/report.ts';
import type { Discovery } from '../open.ts';
import { discoverOutput } from '../outputs/discover.ts';
import { print } from '../outputs/report.ts';
import { ProgressLine } from '../progress.ts';
import { readProgress } from '../reading.ts';

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
  const rate = options.rate === undefined ? RATE : rateOf(options.rate);
  const sample = options.sample === undefined ? 0 : wholeNumber(options.sample, '--sample');
  const file =
    options.write === undefined ? null : resolve(io.cwd, options.write === true ? 'babelq.yaml' : options.write);
  const discovery = await context.openDiscovery();
  // Before anything is asked: who waits a minute wants no refusal at its end.
  if (file !== null && options.replace !== true) await refuseFile(file);

  const found = await lookAround(globs, options, rate, context, discovery);
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
  const config = sources.length === 0 ? null : writeConfig(written(queues, tables, folder, context));
  if (file !== null && config !== null) await writeNew(file, config, options.replace === true);

  const places = found.places.map(lookedAt);
  const report: DiscoverReport = { sources, places, config, written: config === null ? null : file };
  print(discoverOutput(report, Date.now()), global.output, terminal);
  sayRest(report, troubles, context);
  const failed = found.places.some((place) => place.error !== null && !mayBeLeftOut(place, tables, options));
  return failed || troubles.length > 0 ? EXIT.couldNot : EXIT.done;
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

async function lookAround(globs: string[], options: Options, rate: number, context: Context, discovery: Discovery) {
  const { terminal, io, signal } = context;
  const line = new ProgressLine(terminal, io.stderr.columns || 80);
  const finders = reachesOf(options).map((reach) => discovery.finder(reach));
  try {
    return await discover(finders, {
      globs,
      prefixes: options.prefix ?? [],
      rate,
      signal,
      onProgress: (all) => line.show(() => sayProgress(all)),
    });
  } finally {
    line.clear();
    await Promise.allSettled(finders.map((finder) => finder.close()));
  }
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

function sayProgress(all: readonly FindProgress[]): string {
  const listed = all.reduce((sum, one) => sum + one.listed, 0);
  const asked = all.reduce((sum, one) => sum + one.asked, 0);
  return `Looking around: ${grouped(asked)} of ${grouped(listed)} queues asked`;
}

async function sampled(
  queues: readonly DiscoveredQueue[],
  sample: number,
  context: Context,
  discovery: Discovery,
): Promise<Map<string, Sample>> {
  const { terminal, global, signal } = context;
  // The JSON document says it itself.
  if (queues.length > 0 && global.output !== 'json') {
    terminal.say('Receiving some messages of each queue and giving them back: each look counts as a receive.');
  }
  const progress = readProgress(context);
  const samples = new Map<string, Sample>();
  try {
    // One after the other: what is received side by side is hidden side by side.
    for (const { name, queue, place } of queues) {
      const { region, profile, endpoint } = place.reach;
      const source = await discovery.source({
        kind: 'sqs',
        name,
        queue: queue.name,
        ...(region !== null && { region }),
        ...(profile !== null && { profile }),
        ...(endpoint !== null && { endpoint }),
      });
      const request = { sample, allowReceive: global.allowReceive, signal, onProgress: progress.onProgress };
      samples.set(name, await sampleOf(source, request));
    }
  } finally {
    progress.end();
  }
  return samples;
}

interface FoundTable {
  source: DiscoveredSource;
  /** As it was typed, a path made absolute. */
  database: string;
}

/** The databases that --jadpo names, each looked into for the table. */
async function databases(
  { signal }: Context,
  discovery: Discovery,
): Promise<{ tables: FoundTable[]; troubles: BabelqError[] }> {
  const tables: FoundTable[] = [];
  const troubles: BabelqError[] = [];
  for (const config of discovery.databases) {
    try {
      const source = await discovery.source(config);
      const facts = await source.facts(signal);
      const names = tables.map(({ source: { name } }) => name);
      let name = facts.name;
      for (let number = 2; names.includes(name); number += 1) name = `${facts.name}-${number}`;
      tables.push({ source: sourceOfTable(facts, name), database: config.database });
    } catch (error) {
      if (!(error instanceof BabelqError)) throw error;
      troubles.push(asBabelqError(error));
    }
  }
  return { tables, troubles };
}

function written(
  queues: readonly DiscoveredQueue[],
  tables: readonly FoundTable[],
  folder: string,
  { io }: Context,
): WrittenSource[] {
  return [
    ...queues.map(({ name, queue, place, redriveTo, note, sources }): WrittenSource => {
      const from = sources.length === 0 ? null : `fed by ${sources.join(', ')}`;
      const comments = [from, note].filter((comment) => comment !== null);
      return {
        settings: {
          name,
          sqs: queue.name,
          ...(redriveTo !== null && { redrive_to: redriveTo }),
          ...neededOf(place.reach, io.env),
        },
        comment: comments.length === 0 ? null : comments.join('; '),
      };
    }),
    ...tables.map(({ source, database }): WrittenSource => {
      const { value, note } = databaseSetting(database, folder, io.env);
      return { settings: { name: source.name, jadpo: value }, comment: note };
    }),
  ];
}

async function refuseFile(file: string): Promise<void> {
  if (/[*?]/.test(file)) {
    throw new BabelqError('usage', `--write was given ${quoteTyped(file)}, which looks like names of queues.`, {
      hint: "Put names before it: babelq sources discover 'orders-*' --write",
    });
  }
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw unwritable(file, error);
  }
  await handle.close();
  throw isThere(file);
}

async function writeNew(file: string, text: string, replace: boolean): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, replace ? 'w' : 'wx', 0o644);
    await handle.writeFile(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw isThere(file);
    throw unwritable(file, error);
  } finally {
    await handle?.close();
  }
}

function isThere(file: string): BabelqError {
  return new BabelqError('usage', `The file ${file} is there already, and was left as it is.`, {
    hint: 'Name another (--write FILE), leave --write out to see what would be written, or say --replace.',
  });
}

function unwritable(file: string, cause: unknown): BabelqError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
  return new BabelqError('config', `The file ${file} can't be written: ${code}.`, {
    hint: 'Name another place with --write FILE.',
    exit: EXIT.couldNot,
    cause,
  });
}

/** What a table has no room for, and what to type next. */
function sayRest(
  { sources, places, written }: DiscoverReport,
  troubles: readonly BabelqError[],
  context: Context,
): void {
  const { terminal, global } = context;
  if (global.output !== 'json') {
    const { red } = terminal.paintNotes;
    for (const { error } of places) if (error !== null) terminal.complain(`${red('babelq:')} ${escapeText(error)}`);
    for (const { where, untold } of places) if (untold.length > 0) terminal.complain(sayUntold(where, untold));
  }
  for (const { message, hint } of troubles) {
    terminal.complain(
      `${terminal.paintNotes.red('babelq:')} ${escapeText(message)}${hint === null ? '' : ` ${escapeText(hint)}`}`,
    );
  }
  // What to do next is for a person.
  if (global.output !== 'table') return;
  const looked = places.reduce((sum, { queues }) => sum + queues, 0);
  const queues = `${grouped(looked)} ${looked === 1 ? 'queue' : 'queues'}`;
  const among = looked === 0 ? '' : ` among ${queues}`;
  if (sources.length === 0) {
    // Where it couldn't look, nothing is known of what is there.
    if (places.every(({ error }) => error !== null)) return;
    terminal.say(
      `Nothing was found among ${queues} that is a dead-letter queue by a RedrivePolicy, a RedriveAllowPolicy or its name (-dlq).`,
    );
    terminal.say(
      'Name one yourself: babelq deliveries --sqs QUEUE   Other regions: --region eu-west-1 --region us-east-1',
    );
    return;
  }
  const count = `${grouped(sources.length)} ${sources.length === 1 ? 'source' : 'sources'}`;
  if (written === null) {
    terminal.say(`\nFound ${count}${among}. Write it: babelq sources discover --write`);
    return;
  }
  const isUsual = written === resolve(context.io.cwd, 'babelq.yaml');
  const config = isUsual ? '' : ` --config ${shellWord(written)}`;
  terminal.say(`\nFound ${count}${among}, and wrote ${escapeText(written)}.`);
  terminal.say(
    `Look at what failed: babelq deliveries${config}   Send it back: babelq retry ID${config}   Is all well? babelq doctor${config}`,
  );
}

function sayUntold(where: string, untold: readonly { queue: string; why: string }[]): string {
  const shown = untold
    .slice(0, 5)
    .map(({ queue }) => queue)
    .join(', ');
  const more = untold.length > 5 ? ` and ${grouped(untold.length - 5)} more` : '';
  return escapeText(
    `${where}: could not ask about ${shown}${more}: ${[...new Set(untold.map(({ why }) => why))].join(', ')}.`,
  );
}
