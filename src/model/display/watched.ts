import { sayDuration } from '../duration.ts';
import type { ActedWatched } from '../operations/retry-watched.ts';
import type { Watched, WatchProgress } from '../operations/watch.ts';
import { messages, sayCount } from './counts.ts';
import { escapeText } from './escape.ts';

/** Kinds and ids that are named; the rest is counted. */
const KINDS = 12;
const NAMED = 5;

/** How far a watch is: `2 of 5 stayed away, 1 came back; 12 in orders; 45s of 2m`. Escaped. */
export function sayWatching({ watched, back, away, waitingFor, elapsedMs, waitMs }: WatchProgress): string {
  const parts = [
    `${sayCount(away)} of ${sayCount(watched)} stayed away, ${sayCount(back)} came back`,
    ...(waitingFor === null ? [] : [escapeText(waitingFor)]),
    `${sayDuration(elapsedMs)} of ${sayDuration(waitMs)}`,
  ];
  return parts.join('; ');
}

/** What became of what was retried, for a person: counts, then what came back and what can't be told, each with why. Escaped. */
export function watchedLines({ canary, watched }: ActedWatched): string[] {
  const lines: string[] = [];
  if (canary !== null) {
    const first = canary.sent === 1 ? 'The one that went first' : `The ${messages(canary.sent)} that went first`;
    lines.push(
      canary.passed
        ? `${first} stayed away${after(canary.watched)}.`
        : `${first} ${canary.sent === 1 ? 'is' : 'are'} not known to stay away: the rest was not begun.`,
    );
    if (!canary.passed && canary.watched !== null) lines.push(...outcomeLines(canary.watched));
  }
  if (watched !== null) lines.push(...outcomeLines(watched));
  return lines;
}

function outcomeLines(watched: Watched): string[] {
  const counts = sayCounts(watched);
  const lines = [`${counts.charAt(0).toUpperCase()}${counts.slice(1)}${after(watched)}.`];
  const kinds = new Map<string, { returned: boolean; text: string; ids: string[]; count: number }>();
  for (const [id, { returned, reason, detail }] of watched.fates) {
    if (returned === false) continue;
    const text = returned ? (reason ?? '') : (detail ?? '');
    const key = `${returned} ${text}`;
    const kind = kinds.get(key) ?? { returned: returned === true, text, ids: [], count: 0 };
    kind.count += 1;
    if (kind.ids.length < NAMED) kind.ids.push(returned ? `${id}${asWhat(detail)}` : id);
    kinds.set(key, kind);
  }
  const all = [...kinds.values()].sort((a, b) => Number(b.returned) - Number(a.returned) || b.count - a.count);
  for (const { returned, text, ids, count } of all.slice(0, KINDS)) {
    const more = count > ids.length ? `, and ${sayCount(count - ids.length)} more` : '';
    const what = returned ? 'came back' : "can't be told";
    lines.push(`  ${sayCount(count)} ${what}: ${escapeText(text)}  ${ids.map(escapeText).join(', ')}${more}`);
  }
  if (all.length > KINDS) lines.push(`  and ${all.length - KINDS} more kinds`);
  return lines;
}

/** ` (now orders/77ab…)`, where it has another id now. */
function asWhat(detail: string | null): string {
  const found = / as (\S+):/.exec(detail ?? '');
  return found === null ? '' : ` (now ${found[1]})`;
}

function sayCounts({ counts: { watched, back, away, unknown } }: Watched): string {
  const all = watched === 1 ? 'It' : watched === 2 ? 'Both' : `All ${sayCount(watched)}`;
  if (away === watched) return `${all} stayed away`;
  const parts = [
    away > 0 ? `${sayCount(away)} stayed away` : null,
    back > 0 ? `${sayCount(back)} came back` : null,
    unknown > 0 ? `of ${sayCount(unknown)} it can't be told` : null,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

function after(watched: Watched | null): string {
  if (watched === null) return '';
  const time = sayDuration(Math.ceil((watched.endedAt - watched.startedAt) / 1000) * 1000);
  return watched.interrupted ? `, when it was interrupted after ${time}` : `, after ${time}`;
}

/**
 * What a person would write into the incident: when, who, what, how it went, why. One paragraph, escaped.
 * @param asked what was asked, in words; empty for ids
 */
export function incidentLine(
  acted: ActedWatched,
  { by, note, asked }: { by: string; note: string | null; asked: string },
): string {
  const { report, canary, watched, startedAt, endedAt } = acted;
  const [day = '', from = ''] = new Date(startedAt).toISOString().split('T');
  const until = new Date(endedAt).toISOString().slice(11, 19);
  const of = acted.sources.map(({ name }) => name).join(' and ');
  const undone = (['skipped', 'failed', 'uncertain'] as const)
    .filter((outcome) => report[outcome] > 0)
    .map((outcome) => `${sayCount(report[outcome])} ${outcome}`);
  const sentences = [
    `${day} ${from.slice(0, 8)} to ${until} UTC: ${by} retried ${messages(report.done)} of ${of}${asked === '' ? '' : ` (${asked})`} with babelq${report.run === null ? '' : `, run ${report.run}`}`,
  ];
  if (undone.length > 0) sentences.push(`Not done: ${undone.join(', ')}`);
  if (canary?.passed && watched !== null) sentences.push(`${sayCount(canary.sent)} went first and stayed away`);
  else if (canary?.passed && canary.watched !== null) sentences.push(resultOf(canary.watched));
  if (canary?.passed === false) {
    sentences.push(`${sayCount(canary.sent)} went first, and the rest was held back`);
    if (canary.watched !== null) sentences.push(resultOf(canary.watched));
  }
  if (watched !== null) sentences.push(resultOf(watched));
  if (note !== null) sentences.push(`Why: ${note.replace(/\.$/, '')}`);
  return escapeText(`${sentences.map((sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1)).join('. ')}.`);
}

function resultOf(watched: Watched): string {
  const reasons = new Map<string, number>();
  for (const { returned, reason } of watched.fates.values()) {
    if (returned && reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  const why = [...reasons].map(([reason, count]) => `${reason} ${sayCount(count)}`).join(', ');
  return `${sayCounts(watched)}${why === '' ? '' : ` (${why})`}${after(watched)}`;
}
