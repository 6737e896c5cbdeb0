import { escapeText } from '../../model/display/escape.ts';
import { endedOf, sayProgress, WORKING } from '../../model/display/progress.ts';
import { grouped, messages, VERBS } from '../../model/display/verbs.ts';
import type { Flow, Phase } from '../state/flow-state.ts';
import type { State } from '../state/state.ts';
import { type Line, line, span } from './line.ts';
import { Page } from './page.ts';
import { wrapText } from './wrap.ts';

export function flowTitle({ action, phase }: Flow): string {
  if (phase.name === 'planning') return `${VERBS[action].ask}: looking at what is there`;
  if (phase.name === 'confirming') return VERBS[action].ask;
  return phase.name === 'acting' ? WORKING[action] : 'Result';
}

export function flowLines(flow: Flow, state: State): Line[] {
  const { columns } = state.size;
  switch (flow.phase.name) {
    case 'planning':
      return planningLines(flow, flow.phase, columns);
    case 'confirming':
      return confirmingLines(flow, flow.phase, columns);
    case 'acting':
      return actingLines(flow, flow.phase, columns, state.now);
    case 'result': {
      const page = new Page(columns);
      for (const { text, tone } of flow.phase.lines) {
        for (const part of wrapText(text, columns)) page.add(line(part, tone));
      }
      return page.lines;
    }
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
        ? `giving back what was read, ${grouped(releasing)} left`
        : `seen ${grouped(seen)}${about === null ? '' : ` of about ${grouped(about)}`}`;
    page.field(source, words);
  }
  return page.lines;
}

function confirmingLines(flow: Flow, { confirmation }: Phase & { name: 'confirming' }, width: number): Line[] {
  const page = new Page(width);
  const { question, lines, doable } = confirmation;
  if (doable > 0) page.add(line(`${question} [y/n]`, 'strong')).gap();
  else page.add(line('Nothing of this can be done.', 'bad')).gap();
  for (const text of lines) page.text(text, 'plain', 'escaped');
  if (flow.remarks.length > 0) page.gap();
  for (const remark of flow.remarks) page.text(remark, 'accent');
  return page.lines;
}

function actingLines(flow: Flow, phase: Phase & { name: 'acting' }, width: number, now: number): Line[] {
  const { total, progress, startedAt, stopping } = phase;
  const page = new Page(width);
  const ended = endedOf(progress);
  page.add(bar(ended, total, Math.min(60, width - 8))).gap();
  page.text(sayProgress(progress, total, now - startedAt));
  for (const { source, releasing } of progress) {
    if (releasing !== undefined && releasing > 0)
      page.text(`Letting go of ${source}: ${grouped(releasing)} left`, 'dim');
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

/** The subject of a flow over one message, in its title. */
export function flowSubject(flow: Flow): string {
  const [id] = flow.ids;
  return flow.ids.length === 1 && id !== undefined ? escapeText(id) : '';
}
