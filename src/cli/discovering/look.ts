import type { DiscoveredQueue, FindProgress } from '../../model/discover/found.ts';
import { sayCount } from '../../model/display/counts.ts';
import type { Reach, Sample } from '../../model/doctor/diagnosis.ts';
import { asBabelqError, BabelqError } from '../../model/errors.ts';
import { discover } from '../../model/operations/discover.ts';
import { sampleOf } from '../../model/operations/sample.ts';
import type { Context } from '../context.ts';
import type { Discovery } from '../open.ts';
import { ProgressLine } from '../progress.ts';
import { SAMPLING, whileReading } from '../reading.ts';
import { type DiscoveredSource, sourceOfTable } from './report.ts';

export interface Wanted {
  /** The regions, profiles and servers to look around in. */
  reaches: readonly Reach[];
  globs: readonly string[];
  prefixes: readonly string[];
  /** GetQueueAttributes calls a second, at most. */
  rate: number;
}

/** Looks for dead-letter queues, and draws how far that is. @throws Interrupted */
export async function lookAround(
  { reaches, ...request }: Wanted,
  { terminal, signal }: Context,
  discovery: Discovery,
): ReturnType<typeof discover> {
  const line = new ProgressLine(terminal);
  const finders = reaches.map((reach) => discovery.finder(reach));
  try {
    return await discover(finders, { ...request, signal, onProgress: (all) => line.show(() => sayProgress(all)) });
  } finally {
    line.clear();
    await Promise.allSettled(finders.map((finder) => finder.close()));
  }
}

function sayProgress(all: readonly FindProgress[]): string {
  const listed = all.reduce((sum, one) => sum + one.listed, 0);
  const asked = all.reduce((sum, one) => sum + one.asked, 0);
  return `Looking around: ${sayCount(asked)} of ${sayCount(listed)} queues asked`;
}

/**
 * Receives up to so many messages of each queue and gives them back, and answers what is known by that, by the queues' own
 * names here.
 * @param sample above 0
 * @throws Interrupted
 */
export async function sampled(
  queues: readonly DiscoveredQueue[],
  sample: number,
  context: Context,
  discovery: Discovery,
): Promise<Map<string, Sample>> {
  const { terminal, global, signal } = context;
  // The JSON document says it itself.
  if (queues.length > 0 && global.output !== 'json') terminal.say(SAMPLING);
  const samples = new Map<string, Sample>();
  await whileReading(context, async (onProgress) => {
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
      samples.set(name, await sampleOf(source, { sample, allowReceive: global.allowReceive, signal, onProgress }));
    }
  });
  return samples;
}

export interface FoundTable {
  source: DiscoveredSource;
  /** As it was typed, a path made absolute. */
  database: string;
}

/** The databases that --jadpo names, each looked into for the table. @throws Interrupted */
export async function databases(
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
