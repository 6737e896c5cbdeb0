import { createHash } from 'node:crypto';
import { type ActionItem, count, noCounts } from '../action.ts';
import { Pace } from '../budget.ts';
import { readBody } from '../envelope.ts';
import { BabelqError } from '../errors.ts';
import { type ImportedMessage, readExportLine } from '../export-line.ts';
import { blockedItem, itemFor, type PlannedItem } from '../plan.ts';
import type { ActProgress, Clock, Intake, Journal, ReadProgress, Run, Source } from '../ports.ts';
import type { Acted } from './act.ts';
import { refuseWithoutNote } from './action-ask.ts';
import { inRun } from './in-run.ts';
import { type EndedPart, howEnded, partOf, partThatThrew } from './parts.ts';

/** One line of a file that isn't blank. */
export interface NumberedLine {
  number: number;
  text: string;
}

export interface ImportAsk {
  /** The file, as messages name it. */
  name: string;
  /** Reads the file from its beginning; asked for more than once. */
  lines: () => AsyncIterable<NumberedLine>;
  sources: readonly Source[];
  journal: Journal;
  clock: Clock;
  by: string;
  note: string | null;
  /** Whether it must say why. */
  requireNote: boolean;
  /** `--to` */
  to: string | null;
  /** `--again` */
  again: boolean;
  /** Messages a second. */
  rate?: number;
  allowReceive: boolean;
  signal: AbortSignal;
  onRead?: (progress: ReadProgress) => void;
  onProgress?: (progress: ActProgress) => void;
  onItem?: (item: ActionItem) => void;
}

export interface ImportPlan {
  action: 'import';
  /** A line each, in the file's order. `source` is the one by which it is put; `digest` is the line's. */
  items: PlannedItem[];
  /** What a person should know, in words. */
  notes: string[];
}

/** Lines that are judged at once. */
const PAGE = 200;

/**
 * Reads the whole file and says what would become of each line. Nothing is changed.
 * @throws BabelqError `usage` for a file that is no export, and where nothing can be put anywhere; `nothing_matched` for an
 *   empty one; what an intake throws; Interrupted
 */
export async function planImport(ask: ImportAsk): Promise<ImportPlan> {
  // All of it, before anything is asked of anybody: what is wrong with the last line is wrong with the file.
  for await (const { number, text } of ask.lines()) readExportLine(text, `${ask.name}, line ${number}`);
  const items: PlannedItem[] = [];
  let records = 0;
  for await (const page of pagesOf(plannedLines(ask))) {
    await judge(page, ask);
    items.push(...page.map(({ item }) => item));
    records += page.filter(keepsItsRecord).length;
  }
  if (items.length === 0) {
    throw new BabelqError('nothing_matched', `There is no message in ${ask.name}; nothing was changed.`, {
      hint: 'The export before it found nothing: run it alone to see.',
    });
  }
  const note = `${records} of them have a dead_letter record, which stays: an app that reads them sets them aside again. On their dead-letter queue, babelq retry takes it off.`;
  return { action: 'import', items, notes: records > 0 ? [note] : [] };
}

/** A line of the file on its way into the plan. */
interface PlannedLine {
  message: ImportedMessage;
  item: PlannedItem;
  /** Where it goes; null where there is no such place. */
  at: { intake: Intake; source: Source } | null;
}

/** The file's lines, with what can be said of each before its queue is asked. */
async function* plannedLines(ask: ImportAsk): AsyncGenerator<PlannedLine, void, undefined> {
  const places = new Places(ask);
  const firstLines = new Map<string, number>();
  for await (const { number, text } of ask.lines()) {
    const message = readExportLine(text, `${ask.name}, line ${number}`);
    const { id, nativeId, reason, queue } = message;
    const at = await places.of(message);
    const first = firstLines.get(id);
    if (first === undefined) firstLines.set(id, number);
    const item: PlannedItem = {
      id,
      source: at?.source.name ?? message.source,
      nativeId,
      reason,
      queue,
      to: at?.intake.queue ?? null,
      digest: digestOf(text),
      blocked: whyNot(message, at === null, first),
    };
    yield { message, item, at };
  }
}

async function* pagesOf<T>(all: AsyncIterable<T>): AsyncGenerator<T[], void, undefined> {
  let page: T[] = [];
  for await (const one of all) {
    page.push(one);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Asks each queue about the lines that go there. */
async function judge(page: readonly PlannedLine[], { again, allowReceive, signal, onRead }: ImportAsk): Promise<void> {
  for (const intake of new Set(page.flatMap(({ at }) => at?.intake ?? []))) {
    const open = page.filter(({ at, item }) => at?.intake === intake && item.blocked === null);
    const judged = await intake.judge(
      open.map(({ message }) => message),
      { again, allowReceive, signal, ...(onRead && { onProgress: onRead }) },
    );
    for (const [n, { item }] of open.entries()) item.blocked = judged[n] ?? null;
  }
}

/** Whether it is put where an app reads it, with the record of its failure. */
function keepsItsRecord({ message, item, at }: PlannedLine): boolean {
  return item.blocked === null && at !== null && at.intake.queue !== at.source.heldIn && isRecord(message);
}

function whyNot(message: ImportedMessage, isHomeless: boolean, first: number | undefined): string | null {
  if (message.redacted) return 'Members of its body were blanked when it was exported: what they held is not here.';
  if (first !== undefined) return `It is in the file already, in line ${first}.`;
  return isHomeless ? `There is no SQS source ${message.source} here: name it, or give --to.` : null;
}

function isRecord({ body, attributes }: ImportedMessage): boolean {
  return body !== null && readBody(body, attributes).deadLetter !== null;
}

function digestOf(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** Where each message goes: the dead-letter queue of its own source, or all to `--to`. */
class Places {
  readonly #ask: ImportAsk;
  readonly #opened = new Map<string, Promise<{ intake: Intake; source: Source }>>();

  constructor(ask: ImportAsk) {
    this.#ask = ask;
  }

  /** Null where its source isn't here, or takes nothing. */
  of({ source: name }: Pick<ImportedMessage, 'source'>): Promise<{ intake: Intake; source: Source }> | null {
    const { sources, to, signal } = this.#ask;
    const takers = sources.filter(({ intake }) => intake !== undefined);
    const own = takers.find((source) => source.name === name);
    const source = to === null ? own : takers[0];
    if (source === undefined) {
      if (takers.length > 0) return null;
      throw new BabelqError('usage', 'Messages are put on SQS queues only, and none of the sources is on SQS.', {
        hint: 'Name the dead-letter queue with --sqs QUEUE.',
      });
    }
    const opened = this.#opened.get(source.name);
    if (opened !== undefined) return opened;
    const opening = openIntake(source, to, signal);
    this.#opened.set(source.name, opening);
    return opening;
  }
}

async function openIntake(
  source: Source,
  to: string | null,
  signal: AbortSignal,
): Promise<{ intake: Intake; source: Source }> {
  const intake = await source.intake?.(to, signal);
  if (intake === undefined) throw new BabelqError('internal', `${source.name} takes nothing.`);
  return { intake, source };
}

/**
 * Puts what the plan says on its queues, in the file's order, and nothing else.
 * @throws BabelqError where nothing could begin (the journal can't be written, a note that is missing)
 */
export async function carryOutImport(ask: ImportAsk, plan: ImportPlan): Promise<Acted> {
  refuseWithoutNote({ ...ask, action: 'import' });
  const counts = noCounts();
  const onItem = (item: ActionItem): void => {
    count(counts, item);
    ask.onItem?.(item);
  };
  for (const item of plan.items) if (item.blocked !== null) onItem(blockedItem(item));
  const names = [...new Set(plan.items.flatMap(({ source, blocked }) => (blocked === null ? [source] : [])))];
  const report = { action: 'import' as const, run: null, dry_run: false };
  if (names.length === 0) return { report: { ...report, ...counts }, sources: [], interrupted: false };
  const { journal, clock, by, note, signal } = ask;
  const places = new Places(ask);
  const pace = ask.rate === undefined ? null : new Pace(ask.rate, clock);
  return inRun({ action: 'import', by, note, asked: ask.name, journal, clock }, async (run) => {
    const parts: EndedPart[] = [];
    // One after the other: each reads the file, and the order of what is put is the file's.
    for (const name of names) parts.push(await putOf(name, run, pace));
    const how = signal.aborted ? 'interrupted' : howEnded(parts);
    const sources = parts.map(({ part }) => part);
    return {
      how,
      result: { report: { ...report, run: run.id, ...counts }, sources, interrupted: how === 'interrupted' },
    };
  });

  async function putOf(name: string, run: Run, pace: Pace | null): Promise<EndedPart> {
    try {
      const { intake } = (await places.of({ source: name })) ?? {};
      if (intake === undefined) throw new BabelqError('internal', `${name} takes nothing.`);
      const messages = plannedOf(ask, plan, name, onItem);
      const { again, onProgress } = ask;
      const request = { run, messages, again, pace, signal, onItem, ...(onProgress && { onProgress }) };
      return partOf(name, await intake.put(request));
    } catch (thrown) {
      return partThatThrew(name, thrown, signal);
    }
  }
}

/** The messages of the plan that one source puts, read from the file again; a line that isn't what it was is skipped. */
async function* plannedOf(
  ask: ImportAsk,
  { items }: ImportPlan,
  source: string,
  onItem: (item: ActionItem) => void,
): AsyncGenerator<ImportedMessage, void, undefined> {
  const changed = ({ id, reason, to }: PlannedItem) =>
    onItem(itemFor(id, reason, 'skipped', { to, detail: `${ask.name} has changed since it was read.` }));
  let at = 0;
  for await (const { number, text } of ask.lines()) {
    const item = items[at];
    at += 1;
    if (item === undefined) break;
    if (item.source !== source || item.blocked !== null) continue;
    if (item.digest === digestOf(text)) yield readExportLine(text, `${ask.name}, line ${number}`);
    else changed(item);
  }
  for (const item of items.slice(at)) if (item.source === source && item.blocked === null) changed(item);
}
