import { type Confirmation, confirmation } from '../../model/display/confirmation.ts';
import { escapeText } from '../../model/display/escape.ts';
import { Tally } from '../../model/display/tally.ts';
import { EXIT } from '../../model/errors.ts';
import { refuseWithoutNote } from '../../model/operations/action-ask.ts';
import { exitOf } from '../../model/operations/exit.ts';
import { carryOutImport, type ImportAsk, type ImportPlan, planImport } from '../../model/operations/import.ts';
import { rateOf } from '../../model/options/numbers.ts';
import { refuseNoQueue } from '../../model/options/target.ts';
import { doableItems, plannedItem } from '../../model/plan.ts';
import { actProgress } from '../acting/act-progress.ts';
import { confirms, whoConfirms } from '../acting/asking.ts';
import { showDryRun } from '../acting/dry-run.ts';
import { sayErrors } from '../acting/parts-trouble.ts';
import type { Context } from '../context.ts';
import { openLines } from '../importing/lines.ts';
import { itemReporter } from '../outputs/items.ts';
import { whileReading } from '../reading.ts';
import { sameJournal } from '../same-options.ts';

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
  const answers = whoConfirms('import', options, context.io, path === '-');
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
    const plan = await whileReading(context, (onRead) => planImport({ ...ask, onRead }));
    if (options.dryRun) return showPlan(ask, plan, context);
    if (answers !== null && !(await confirms(confirmationOf(ask, plan), [], answers, context))) {
      context.terminal.complain('Nothing was changed.');
      return EXIT.couldNot;
    }
    if (answers === null) for (const note of plan.notes) context.terminal.say(note);
    return await carry(ask, plan, context);
  } finally {
    file.remove();
  }
}

function confirmationOf(ask: ImportAsk, plan: ImportPlan): Confirmation {
  const said = confirmation(plan, {
    sources: ask.sources,
    parts: [],
    bypass: false,
    ...(ask.rate !== undefined && { rate: ask.rate }),
  });
  return { ...said, lines: [...said.lines, ...plan.notes.map(escapeText)] };
}

function showPlan(ask: ImportAsk, plan: ImportPlan, context: Context): number {
  // The digest that an import keeps is of the file's line, and not of a stored body.
  const items = plan.items.map(({ digest: _line, ...item }) => plannedItem(item));
  return exitOf(showDryRun('import', items, confirmationOf(ask, plan), [], null, context), []);
}

async function carry(ask: ImportAsk, plan: ImportPlan, context: Context): Promise<number> {
  const { terminal, global } = context;
  const tally = new Tally();
  const doable = doableItems(plan).length;
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
  sayErrors(sources, context);
  if (global.output === 'table' && report.run !== null)
    terminal.say(`How each ended: babelq log --run ${report.run}${sameJournal(global)}`);
  return exitOf(report, sources);
}
