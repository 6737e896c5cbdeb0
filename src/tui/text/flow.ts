import { sayUnsendable } from '../../model/display/change.ts';
import { lettingGo, messages, ofAbout, sayCount } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { endedOf, sayProgress, WORKING } from '../../model/display/progress.ts';
import { VERBS } from '../../model/display/verbs.ts';
import { sayWatching } from '../../model/display/watched.ts';
import type { Flow, Phase, ResultLine } from '../state/flow-state.ts';
import type { State } from '../state/state.ts';
import { confirmingLines } from './confirming.ts';
import { type Line, line, span } from './line.ts';
import { Page } from './page.ts';
import { wrapText } from './wrap.ts';

/** What a flow is doing, for the line on top. */
export function flowTitle({ action, editing, phase }: Flow): string {
  const verb = editing === null ? VERBS[action].ask : 'Edit and retry';
  switch (phase.name) {
    case 'planning':
      return `${verb}: looking at what is there`;
    case 'editing':
      return `${verb}: in your editor`;
    case 'unsendable':
    case 'confirming':
      return verb;
    case 'acting':
      return phase.watching === null ? WORKING[action] : 'Watching what was retried';
    case 'result':
      return 'Result';
  }
}

/** What a flow shows of its phase; escaped. */
export function flowLines(flow: Flow, state: State): readonly Line[] {
  const { columns } = state.size;
  switch (flow.phase.name) {
    case 'planning':
      return planningLines(flow, flow.phase, columns);
    case 'editing':
      return new Page(columns).text('Your editor has the terminal: save and close it to go on.').lines;
    case 'unsendable':
      return unsendableLines(flow.phase, columns);
    case 'confirming':
      return confirmingLines(flow, flow.phase, columns);
    case 'acting':
      return actingLines(flow, flow.phase, columns, state.now);
    case 'result':
      return resultPage(flow.phase.lines, columns);
  }
}

function planningLines(flow: Flow, { progress }: Phase & { name: 'planning' }, width: number): Line[] {
  const page = new Page(width);
  const what = flow.ids.length === 0 ? 'your last dismissal' : messages(flow.ids.length);
  page.text(`Looking again at ${what}: how many there are, and where each would go. Nothing is changed yet.`);
  page.gap();
  for (const { source, seen, about, releasing } of progress) {
    const words =
      releasing !== undefined && releasing > 0
        ? `giving back what was read, ${sayCount(releasing)} left`
        : `seen ${ofAbout(seen, about)}`;
    page.field(source, words);
  }
  return page.lines;
}

function unsendableLines({ why }: Phase & { name: 'unsendable' }, width: number): Line[] {
  return new Page(width)
    .text(sayUnsendable(why), 'bad')
    .gap()
    .text('e opens it again as you saved it; Esc leaves the message as it was. Nothing was changed.').lines;
}

function actingLines(flow: Flow, phase: Phase & { name: 'acting' }, width: number, now: number): Line[] {
  const { total, progress, startedAt, watching, stopping } = phase;
  const page = new Page(width);
  const ended = endedOf(progress);
  page.add(bar(ended, total, Math.min(60, width - 8))).gap();
  page.text(sayProgress(progress, total, watching === null ? now - startedAt : 0));
  if (watching !== null) {
    page.gap().text(sayWatching(watching), 'plain', 'escaped');
    page.text('Esc ends the watching: what was not seen until then is told as not known.', 'dim');
  }
  for (const { source, releasing } of progress) {
    if (releasing !== undefined && releasing > 0) page.text(lettingGo(source, releasing), 'dim');
  }
  if (stopping) {
    page
      .gap()
      .text('Stopping: what was begun is being finished, what is held let go. The rest stays as it is.', 'warn');
    page.text('Ctrl+C once more leaves at once.', 'dim');
  }
  if (flow.action === 'retry' && ended === 0)
    page.gap().text('Each message is received again before it is sent.', 'dim');
  return page.lines;
}

function bar(ended: number, total: number, width: number): Line {
  const share = total === 0 ? 1 : Math.min(1, ended / total);
  const full = Math.floor(share * width);
  return [span('█'.repeat(full), 'good'), span('░'.repeat(width - full), 'dim'), span(` ${Math.floor(share * 100)}%`)];
}

/** The last result that was laid out: it may be thousands of lines, and is scrolled by the key. */
const laidOut = new WeakMap<readonly ResultLine[], { width: number; lines: readonly Line[] }>();

function resultPage(result: readonly ResultLine[], width: number): readonly Line[] {
  const known = laidOut.get(result);
  if (known?.width === width) return known.lines;
  const lines = result.flatMap(({ text, tone }) => hanging(text, width).map((part) => line(part, tone)));
  laidOut.set(result, { width, lines });
  return lines;
}

/** What goes on in a second line stands under the first. */
function hanging(text: string, width: number): string[] {
  const indent = text.length - text.trimStart().length;
  if (indent === 0) return wrapText(text, width);
  return wrapText(text.slice(indent), width - indent - 2).map(
    (part, at) => ' '.repeat(at === 0 ? indent : indent + 2) + part,
  );
}

/** The subject of a flow over one message, in its title. */
export function flowSubject(flow: Flow): string {
  const [id] = flow.ids;
  return flow.ids.length === 1 && id !== undefined ? escapeText(id) : '';
}
