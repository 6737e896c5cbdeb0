import type { RecordedAction } from '../action.ts';
import { sayDuration } from '../duration.ts';
import { UNEDITED } from '../edit.ts';
import type { SourcePart } from '../operations/parts.ts';
import { type Plan, type PlanLine, summarise } from '../plan.ts';
import type { SourceKind } from '../ports.ts';
import { messages, sayCount } from './counts.ts';
import { escapeText } from './escape.ts';
import { sayAllInFlight } from './in-flight.ts';
import { tickSentence } from './tick.ts';
import { VERBS } from './verbs.ts';
import { displayWidth, fitTo, padTo } from './width.ts';

export interface ConfirmationFacts {
  /** Those of the plan, at least. */
  sources: readonly { readonly name: string; readonly kind: SourceKind }[];
  /** How the first pass went, source by source. */
  parts: readonly SourcePart[];
  bypass: boolean;
  /** What is changed in their bodies, a line each; not escaped. */
  edits?: readonly string[];
  /** Messages a second. */
  rate?: number;
  /** `--max`: so many are done at most, whatever the plan names. */
  max?: number;
}

/** What a person sees before anything is changed. */
export interface Confirmation {
  /** `Retry 42 messages?` */
  question: string;
  /** The counts by queue, reason and target; what can't be done, and why; what it means. Escaped. */
  lines: string[];
  /** How many will be done: with none there is nothing to ask. */
  doable: number;
}

/** What is to be done, by whatever it was planned. */
type AnyPlan = Pick<Plan, 'items'> & { action: RecordedAction };

/** Lines of counts that are shown of each kind; more are told as a sum. */
const LINES = 12;
/** Cells that each may take: SQS's own names are never longer, and a reason or a sentence hardly ever. */
const WIDEST = { queue: 80, reason: 40, why: 200 };

/** The counts, targets and consequences of a plan, for a person to say yes or no to. */
export function confirmation(plan: AnyPlan, facts: ConfirmationFacts): Confirmation {
  const summary = summarise(plan);
  const can = summary.filter(({ blocked }) => blocked === null);
  const cannot = summary.filter(({ blocked }) => blocked !== null);
  const doable = Math.min(sum(can), facts.max ?? Number.POSITIVE_INFINITY);
  const lines = countLines(plan.action, can);
  if (cannot.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push(`Can't be done, and stays as it is: ${messages(sum(cannot))}.`, ...countLines(plan.action, cannot));
  }
  if (doable < sum(can)) {
    lines.push(
      '',
      `Only the first ${sayCount(doable)} of these that are met, as limited. The others stay as they are.`,
    );
  }
  const notes = [...whatItMeans(plan, facts), ...whatWasNotSeen(facts.parts)];
  if (notes.length > 0) lines.push('', ...notes);
  return { question: `${VERBS[plan.action].ask} ${messages(doable)}?`, lines, doable };
}

function countLines(action: RecordedAction, lines: readonly PlanLine[]): string[] {
  const shown = lines.slice(0, LINES);
  const rows = shown.map((line) => ({
    count: sayCount(line.count),
    // What a message says of itself must not push the counts out of sight.
    queue: fitTo(escapeText(line.queue ?? '–'), WIDEST.queue),
    reason: fitTo(escapeText(line.reason === '' ? '–' : line.reason), WIDEST.reason),
    rest:
      line.blocked === null ? `→ ${escapeText(whereTo(action, line))}` : fitTo(escapeText(line.blocked), WIDEST.why),
  }));
  const widest = (pick: (row: (typeof rows)[number]) => string) =>
    Math.max(0, ...rows.map((row) => displayWidth(pick(row))));
  const [counts, queues, reasons] = [widest((r) => r.count), widest((r) => r.queue), widest((r) => r.reason)];
  const out = rows.map(
    ({ count, queue, reason, rest }) =>
      `  ${padTo(count, counts, 'right')}  ${padTo(queue, queues)}  ${padTo(reason, reasons)}  ${rest}`,
  );
  const more = lines.slice(LINES);
  if (more.length > 0) out.push(`  and ${messages(sum(more))} of ${more.length} more kinds`);
  return out;
}

/** jadpo's rows stay in their table: they have no target. */
function whereTo(action: RecordedAction, line: PlanLine): string {
  if (line.to !== null) return line.elsewhere === undefined ? line.to : `${line.to} (${line.elsewhere})`;
  return {
    retry: "its app's next tick",
    dismiss: 'dismissed in its table',
    restore: 'failed in its table',
    import: '–',
  }[action];
}

function whatItMeans(plan: AnyPlan, facts: ConfirmationFacts): string[] {
  const perSource = new Map<string, number>();
  for (const { source, blocked } of plan.items) {
    if (blocked === null) perSource.set(source, (perSource.get(source) ?? 0) + 1);
  }
  const kinds = new Map(facts.sources.map(({ name, kind }) => [name, kind]));
  const jadpo = [...perSource].filter(([name]) => kinds.get(name) === 'jadpo');
  const sqs = [...perSource].filter(([name]) => kinds.get(name) === 'sqs');
  const notes: string[] = [];
  if (plan.action === 'retry') {
    if (facts.edits && perSource.size > 0) {
      notes.push('Edited before they are sent (the originals are kept for 30 days):');
      notes.push(...facts.edits.map((line) => `  ${escapeText(line)}`));
      const asTheyAre = plan.items.filter(({ blocked, changes }) => blocked === null && changes === UNEDITED).length;
      if (asTheyAre > 0) notes.push(`In ${sayCount(asTheyAre)} of these the edit changes nothing: sent as it is.`);
    }
    notes.push(...jadpo.map(([name, count]) => `${escapeText(name)}: ${tickSentence(count)}`));
    const doubles = plan.items.filter(({ blocked, possibleDouble }) => blocked === null && possibleDouble).length;
    if (doubles > 0) {
      const [were, they] = doubles === 1 ? ['was', 'it'] : ['were', 'they'];
      notes.push(
        `${messages(doubles)} may have been sent by an earlier run, whose end is not known: if ${they} ${were}, a consumer gets ${they === 'it' ? 'it' : 'them'} twice (babelq log --unfinished).`,
      );
    }
    if (facts.bypass && sqs.length > 0) {
      notes.push('They are marked bq-replay-bypass: handlers skip outside effects that happened already.');
    }
    if (facts.bypass) {
      notes.push(...jadpo.map(([name]) => `${escapeText(name)}: a bypass does not apply to parked messages.`));
    }
  }
  if (plan.action === 'dismiss') {
    if (sqs.length > 0) {
      notes.push(
        'From SQS: kept in the archive for 30 days, then deleted from their queue. babelq restore brings them back.',
      );
    }
    if (jadpo.length > 0)
      notes.push("jadpo's: the app deletes them in 30 days. babelq restore brings them back until then.");
  }
  if ((plan.action === 'restore' || plan.action === 'import') && sqs.length > 0) {
    notes.push('On SQS each is a new message: a new id, a receive count from zero, and its retention starts again.');
  }
  const total = Math.min(
    sqs.reduce((all, [, count]) => all + count, 0),
    facts.max ?? Number.POSITIVE_INFINITY,
  );
  if (facts.rate !== undefined && total > facts.rate) {
    notes.push(`At ${facts.rate} a second this takes about ${sayDuration((total / facts.rate) * 1000)}.`);
  }
  return notes;
}

function whatWasNotSeen(parts: readonly SourcePart[]): string[] {
  return parts.flatMap(({ name, complete, note, error, allInFlight }) => {
    const source = escapeText(name);
    if (error !== null)
      return [`${source} could not be read, so nothing of it is in this: ${escapeText(error.message)}`];
    if (allInFlight !== null) return [`${source}: ${sayAllInFlight(allInFlight)}.`];
    if (complete && note === null) return [];
    return [
      `${source}: ${note === null ? 'not all of it was seen; only what was seen is in this' : escapeText(note)}.`,
    ];
  });
}

function sum(lines: readonly PlanLine[]): number {
  return lines.reduce((all, { count }) => all + count, 0);
}
