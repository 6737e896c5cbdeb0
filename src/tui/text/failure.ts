import { escapeBlock, escapeText } from '../../model/display/escape.ts';
import { type Field, type Tone as FieldTone, failurePage } from '../../model/display/failure-page.ts';
import { prettyBody } from '../../model/display/pretty.ts';
import { grouped } from '../../model/display/verbs.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { FailureScreen } from '../state/state.ts';
import { brief } from './brief.ts';
import { type Line, line, span, type Tone } from './line.ts';
import { Page } from './page.ts';
import { cutText } from './wrap.ts';

const TONES: Readonly<Record<FieldTone, Tone>> = {
  plain: 'plain',
  strong: 'strong',
  soon: 'bad',
  near: 'warn',
  blocked: 'bad',
};

type Drawn = Pick<FailureScreen, 'history' | 'body'> & { width: number; now: number; lines: readonly Line[] };

/** The last page of each failure: to scroll it must not mean to read a megabyte again. */
const drawn = new WeakMap<WholeFailure, Drawn>();

/** One failure: why first, then what to do, then the rest, the body last. */
export function failureLines(screen: FailureScreen, width: number, now: number): readonly Line[] {
  const { failure, history, body } = screen;
  const known = drawn.get(failure);
  if (known?.width === width && known.now === now && known.history === history && known.body === body)
    return known.lines;
  const lines = drawFailure(screen, width, now);
  drawn.set(failure, { width, now, history, body, lines });
  return lines;
}

function drawFailure(screen: FailureScreen, width: number, now: number): readonly Line[] {
  const { failure, history, body } = screen;
  const there = body === 'there';
  const known = history === 'reading' || 'error' in history ? [] : history;
  const { blocks, lists, bodyMarks } = failurePage(brief(failure, LONGEST), known, now);
  const page = new Page(width).field('Id', failure.id);
  for (const block of blocks) {
    page.gap();
    for (const field of block) {
      // What a reason means is told with what the body says of it: not before it is there.
      if (there || field.label !== '') addField(page, field);
    }
  }
  for (const { title, entries } of lists) {
    if (there || title === 'History') page.pairs(title, entries);
  }
  if (history !== 'reading' && 'error' in history) {
    page.title('History').text(`The journal can't be read: ${history.error}`, 'bad');
  }
  const marks = there ? bodyMarks : [`${grouped(failure.size_bytes)} bytes`];
  page.gap().add([span('Body', 'strong'), span(`  ${marks.join(', ')}`, 'dim')]);
  if (there) return page.addAll(bodyLines(failure, width)).lines;
  if (body === 'reading') return page.text('It is not kept in memory: reading it from its queue…', 'accent').lines;
  return page.text(body.error, 'bad').lines;
}

function addField(page: Page, { label, value, tone }: Field): void {
  page.field(label, value, label === 'Fix first' ? 'accent' : TONES[tone]);
}

/** Characters that are shown of a value other than the body. */
const LONGEST = 5000;

/** Lines of a body that are shown: nobody scrolls further, and a mebibyte of line feeds must not keep a key waiting. */
const MOST_LINES = 50_000;

/** The last bodies that were laid out: a megabyte isn't laid out again for every key. */
const laidOut = new WeakMap<WholeFailure, { width: number; lines: readonly Line[] }>();

function bodyLines(failure: WholeFailure, width: number): readonly Line[] {
  const known = laidOut.get(failure);
  if (known?.width === width) return known.lines;
  const shown =
    failure.body === null
      ? escapeBlock(Buffer.from(failure.body_base64 ?? '', 'base64').toString('latin1'))
      : prettyBody(failure.body);
  const { lines: texts, whole } = cutText(shown, width, MOST_LINES);
  const lines = texts.map((text) => line(text));
  if (!whole) lines.push(line(escapeText(`and more: babelq inspect ${failure.id} --raw prints all of it`), 'dim'));
  laidOut.set(failure, { width, lines });
  return lines;
}

/** What stands over it. */
export function failureTitle({ failure }: FailureScreen): string {
  return escapeText(failure.title.slice(0, LONGEST));
}
