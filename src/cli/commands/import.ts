import { confirmation } from '../../model/display/confirmation.ts';
import { escapeText } from '../../model/display/escape.ts';
import { Tally } from '../../model/display/tally.ts';
import { messages, VERBS } from '../../model/display/verbs.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import { refuseWithoutNote } from '../../model/operations/action-ask.ts';
import { exitOf } from '../../model/operations/exit.ts';
import { carryOutImport, type ImportAsk, type ImportPlan, planImport } from '../../model/operations/import.ts';
import { rateOf } from '../../model/options/numbers.ts';
import { refuseNoQueue } from '../../model/options/target.ts';
import { plannedItem } from '../../model/plan.ts';
import { actProgress } from '../acting/act-progress.ts';
import { readYes, whereToAsk } from '../acting/prompt.ts';
import type { Context } from '../context.ts';
import { openLines } from '../importing/lines.ts';
import { itemReporter } from '../outputs/items.ts';
import { readProgress } from '../reading.ts';
import { complainOf } from '../trouble.ts';

interface Options {
  to?: string;
  again?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  rate?: string;
  reasonNote?: string;
}

export async function run([path = '-']: string[], options: Options, context: Context): Promise<number> {
  refuseNoQueue(options.to);
  const rate = options.rate === undefined ? undefined : rateOf(options.rate);
  const answers = options.yes || options.dryRun ? null : whereToAsk(context.io, path === '-');
  if (!options.yes && !options.dryRun && answers === null) {
    throw new BabelqError('usage', 'There is nobody here to confirm, so nothing was touched.', {
      hint: 'Add --yes to import without asking, or --dry-run to see what it would do.',
    });
  }
  const file = await openLines(path, context.io, context.signal);
  try {
    const { sources, journal, clock, operator, requireNote } = await context.open();
    const ask: ImportAsk = {
      name: file.name,
      lines: () => file.lines(),
      sources,
      journal,
      clock,
      by: operator,
      note: options.reasonNote ?? null,
      requireNote,
      to: options.to ?? null,
      again: options.again ?? false,
      ...(rate !== undefined && { rate }),
      allowReceive: context.global.allowReceive,
      signal: context.signal,
    };
    // Before anything is read.
    if (!options.dryRun) refuseWithoutNote({ ...ask, action: 'import' });
    const reading = readProgress(context);
    const plan = await planImport({ ...ask, onRead: reading.onProgress }).finally(() => reading.end());
    if (options.dryRun) return showPlan(ask, plan, context);
    if (answers !== null && !(await confirmed(ask, plan, answers, context))) {
      context.terminal.complain('Nothing was changed.');
      return EXIT.couldNot;
    }
    if (answers === null) for (const note of plan.notes) context.terminal.say(note);
    return await carry(ask, plan, context);
  } finally {
    file.remove();
  }
}

function confirmationOf(ask: ImportAsk, plan: ImportPlan): ReturnType<typeof confirmation> {
  const said = confirmation(plan, {
    kinds: new Map(ask.sources.map(({ name, kind }) => [name, kind])),
    parts: [],
    bypass: false,
    ...(ask.rate !== undefined && { rate: ask.rate }),
  });
  return { ...said, lines: [...said.lines, ...plan.notes.map(escapeText)] };
}

async function confirmed(
  ask: ImportAsk,
  plan: ImportPlan,
  answers: NodeJS.ReadStream,
  context: Context,
): Promise<boolean> {
  const { terminal } = context;
  const { question, lines, doable } = confirmationOf(ask, plan);
  if (doable === 0) return true;
  for (const line of lines) terminal.complain(line);
  terminal.complain('');
  terminal.draw(`${terminal.paintNotes.bold(question)} [y/N] `);
  return context.whileAsking(() => readYes(answers, context.signal));
}

function showPlan(ask: ImportAsk, plan: ImportPlan, { terminal, global }: Context): number {
  const { lines, doable } = confirmationOf(ask, plan);
  const tally = new Tally();
  const reporter = itemReporter(global.output, 'import', terminal, () => {
    terminal.write(`${VERBS.import.planned} ${messages(doable)}; nothing was changed.\n`);
    for (const line of lines) terminal.write(`${line}\n`);
  });
  for (const { digest: _line, ...item } of plan.items) {
    const planned = plannedItem(item);
    tally.add(planned);
    reporter.item(planned);
  }
  const report = { action: 'import' as const, run: null, dry_run: true, ...tally.counts };
  reporter.end(report);
  return exitOf(report, []);
}

async function carry(ask: ImportAsk, plan: ImportPlan, context: Context): Promise<number> {
  const { terminal, global } = context;
  const tally = new Tally();
  const doable = plan.items.filter(({ blocked }) => blocked === null).length;
  const progress = actProgress('import', doable, context, () => ask.clock.now());
  const reporter = itemReporter(global.output, 'import', terminal, () => {
    for (const line of tally.lines('import')) terminal.write(`${line}\n`);
  });
  const { report, sources } = await carryOutImport(
    {
      ...ask,
      onProgress: progress.onProgress,
      onItem: (item) => {
        tally.add(item);
        reporter.item(item);
      },
    },
    plan,
  ).finally(() => progress.end());
  reporter.end(report);
  const how = { json: global.output === 'json', verbose: global.verbose };
  for (const { error } of sources) if (error !== null) complainOf(error, terminal, how);
  if (global.output === 'table' && report.run !== null) terminal.say(`How each ended: babelq log --run ${report.run}`);
  return exitOf(report, sources);
}
