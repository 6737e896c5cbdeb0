import type { SqsClient } from '../../../src/adapters/sqs/client.ts';
import { openSqsSource } from '../../../src/adapters/sqs/source.ts';
import type { ActionItem, Counts } from '../../../src/model/action.ts';
import { mendEdit } from '../../../src/model/edit.ts';
import { BabelqError, Interrupted } from '../../../src/model/errors.ts';
import { parseFilter } from '../../../src/model/filter.ts';
import { carryOut } from '../../../src/model/operations/act.ts';
import type { ActionAsk } from '../../../src/model/operations/action-ask.ts';
import { planAction } from '../../../src/model/operations/plan-action.ts';
import type { Journal, Source } from '../../../src/model/ports.ts';
import type { Mandate } from './invariants.ts';
import type { SimulatedProcess } from './process.ts';
import type { Command } from './scenario.ts';
import { REGION } from './sqs.ts';

/** One babelq as the command line would put it together, on the simulated service. */
export interface Babelq {
  process: SimulatedProcess;
  client: SqsClient;
  journal: Journal;
  /** The dead-letter queue's name. */
  queue: string;
  random: () => number;
  inFlightLimit: number;
  onItem: (item: ActionItem) => void;
}

export interface Report {
  counts: Counts;
  /** What it says is still hidden by it. */
  held: number;
  interrupted: boolean;
  /** What it would have printed on stderr. */
  error: string | null;
}

const MEND = mendEdit({ set: ['data.mended=true'], unset: [] });
const NONE: Counts = { matched: 0, done: 0, skipped: 0, failed: 0, uncertain: 0 };

/** What a person or a runbook does with babelq: one command, in one or two passes, to its end. */
export async function operator(babelq: Babelq, command: Command, mandate: Mandate): Promise<Report> {
  const { process, journal } = babelq;
  const source = openSource(babelq);
  const states = command.action === 'restore' ? (['dismissed'] as const) : (['failed'] as const);
  const words = command.subset === 'all' ? {} : { subject: [`urn:babel:sim:${command.subset}`] };
  const ask: ActionAsk = {
    action: command.action,
    asked: { kind: 'filter', filter: parseFilter(words, states) },
    sources: [source],
    journal,
    clock: process.clock,
    by: process.name,
    note: null,
    allowReceive: false,
    signal: process.signal,
    onItem: babelq.onItem,
    onProgress: () => {},
    bypass: command.bypass,
    ...(command.mend && { edit: MEND }),
    ...(command.max !== null && { max: command.max }),
    ...(command.rate !== null && { rate: command.rate }),
    ...(mandate.to !== null && { to: mandate.to }),
  };
  const report: Report = { counts: NONE, held: 0, interrupted: false, error: null };
  try {
    const plan = command.passes === 'one' ? null : (await planAction(ask)).plan;
    if (plan !== null) {
      if (command.passes === 'ids') plan.items = plan.items.slice(0, 5);
      mandate.ids = new Set(plan.items.map(({ nativeId }) => nativeId));
      // A person reads what it would do.
      await process.clock.sleep(3_000, process.signal);
    }
    mandate.startedAt = process.clock.now();
    const acted = await carryOut(ask, plan);
    const { matched, done, skipped, failed, uncertain } = acted.report;
    report.counts = { matched, done, skipped, failed, uncertain };
    report.interrupted = acted.interrupted;
    report.error = acted.sources.find(({ error }) => error !== null)?.error?.message ?? null;
  } catch (error) {
    if (error instanceof Interrupted) report.interrupted = true;
    else if (error instanceof BabelqError && error.code !== 'internal') report.error = error.message;
    else throw error;
  }
  report.held = source.held().count;
  await source.close();
  await journal.close();
  return report;
}

/** How many of its own polls may be answered at once, which babelq leaves room for. */
const MARGIN = 500;

function openSource({ client, journal, process, queue, inFlightLimit, random }: Babelq): Source {
  const connect = async () => client;
  const deps = { journal, clock: process.clock, connect, random, inFlightLimit: inFlightLimit + MARGIN };
  return openSqsSource({ name: 'dlq', queue, region: REGION }, deps);
}
