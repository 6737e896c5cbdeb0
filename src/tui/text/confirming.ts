import { CHANGE_NOT_SHOWN, moreLines } from '../../model/display/change.ts';
import { escapeText } from '../../model/display/escape.ts';
import { bindingsFor, type Command } from '../keys.ts';
import type { BodyChange, Flow, Options, Phase } from '../state/flow-state.ts';
import { NAMES } from '../state/terms.ts';
import { keyName } from './key-name.ts';
import { type Line, line, lineWidth, type Span, span, type Tone } from './line.ts';
import { Page } from './page.ts';
import { cutText } from './wrap.ts';

/** Lines of a difference that are shown; a person who changed more has seen it in the editor. */
const SHOWN = 500;

/** The question with its options, and what the command line says before it asks. */
export function confirmingLines(flow: Flow, phase: Phase & { name: 'confirming' }, width: number): Line[] {
  const { confirmation, outlook } = phase;
  const page = new Page(width);
  const { question, lines, doable } = confirmation;
  if (doable === 0) page.add(line('Nothing of this can be done.', 'bad')).gap();
  else page.add(line(`${question} [y/n]`, 'strong'), ...optionLines(flow, width)).gap();
  for (const text of lines) page.text(text, 'plain', 'escaped');
  if (outlook === 'asking') page.gap().text('Asking the queues whether that time is enough…', 'dim');
  else if (outlook !== null) {
    page.gap();
    for (const text of outlook.will) page.text(text);
    for (const text of outlook.warnings) page.text(text, 'warn');
  }
  if (flow.remarks.length > 0) page.gap();
  for (const remark of flow.remarks) page.text(remark, 'accent');
  if (flow.editing?.change && doable > 0) changeLines(page, flow.editing.change, width);
  return page.lines;
}

/** An option's name, and its value as it stands: what nothing was typed for is told by what then holds. */
const OPTIONS: readonly (readonly [Command, string, (options: Options) => string, string])[] = [
  ['set_target', NAMES.target, ({ target }) => target, 'as shown'],
  ['set_rate', NAMES.rate, ({ rate }) => (rate === '' ? '' : `${rate}/s`), 'full'],
  ['set_max', NAMES.max, ({ max }) => max, 'all'],
  ['set_canary', NAMES.canary, ({ canary }) => canary, 'none'],
  ['set_wait', NAMES.wait, ({ wait }) => wait, 'none'],
  ['set_bypass', 'bypass', ({ bypass }) => (bypass ? 'yes' : ''), 'no'],
  ['set_note', NAMES.note, ({ note }) => (note === '' ? '' : `“${note}”`), '–'],
];

/** The options that can be set here, as many in a line as fit. */
function optionLines({ action, options }: Flow, width: number): Line[] {
  const keys = new Map(
    bindingsFor(action === 'retry' ? 'confirming_retry' : 'confirming').map(({ command, keys }) => [command, keys[0]]),
  );
  const lines: Span[][] = [];
  for (const [command, name, said, otherwise] of OPTIONS) {
    const key = keys.get(command);
    if (key === undefined) continue;
    const value = said(options);
    const piece: Line = [
      span(keyName(key), 'strong'),
      span(` ${name} `, 'dim'),
      value === '' ? span(otherwise, 'dim') : span(escapeText(value), 'accent'),
    ];
    const current = lines.at(-1);
    if (current !== undefined && lineWidth(current) + 2 + lineWidth(piece) <= width) current.push(span('  '), ...piece);
    else lines.push([...piece]);
  }
  return lines;
}

const TONES: Readonly<Record<BodyChange['lines'][number]['kind'], readonly [string, Tone]>> = {
  same: ['    ', 'dim'],
  taken: ['  - ', 'bad'],
  added: ['  + ', 'good'],
  gap: ['    …', 'dim'],
};

function changeLines(page: Page, { lines, warning }: BodyChange, width: number): void {
  if (warning !== null) page.gap().text(warning, 'warn');
  page.title('What you changed');
  for (const { kind, text } of lines.slice(0, SHOWN)) {
    const [mark, tone] = TONES[kind];
    // The difference is of texts that were made safe to show.
    for (const part of cutText(text, width - mark.length, SHOWN).lines) page.add(line(`${mark}${part}`, tone));
  }
  if (lines.length > SHOWN) page.text(`    ${moreLines(lines.length - SHOWN)}`, 'dim');
  if (lines.length === 0) page.text(CHANGE_NOT_SHOWN, 'dim');
}
