import { sayCount } from '../../model/display/counts.ts';
import { type FailurePage, type Field, type Tone as FieldTone, failurePage } from '../../model/display/failure-page.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { FailureScreen, Pane } from '../state/failure-state.ts';
import { bodyOf } from './body.ts';
import { brief } from './brief.ts';
import { type Document, documentOf } from './document.ts';
import type { Tone } from './line.ts';
import { Page } from './page.ts';

const TONES: Readonly<Record<FieldTone, Tone>> = {
  plain: 'plain',
  strong: 'strong',
  soon: 'bad',
  near: 'warn',
  blocked: 'bad',
};

/** Characters that are shown of a value other than the body. */
const LONGEST = 5000;

/** What a pane shows, and what of it is folded when it is opened. */
export interface PaneText {
  readonly document: Document;
  readonly folded: ReadonlySet<number>;
}

type Drawn = Pick<FailureScreen, 'history' | 'body'> & {
  now: number;
  page: FailurePage;
  texts: Map<string, PaneText>;
};

/** The last pages of each failure: to scroll one must not mean to read a megabyte again. */
const drawn = new WeakMap<WholeFailure, Drawn>();

const NOTHING: ReadonlySet<number> = new Set();

/** What a pane of one failure says: why it failed and what to do first, what came with it, what was done to it, its body. */
export function paneText(screen: FailureScreen, pane: Pane, width: number, now: number): PaneText {
  if (pane === 'body' && screen.body === 'there') return bodyOf(screen.failure, width);
  const { texts, page } = pageFor(screen, now);
  const key = `${pane} ${width}`;
  let text = texts.get(key);
  if (text === undefined) {
    text = { document: documentOf(linesOf(screen, pane, page, width).lines), folded: NOTHING };
    texts.set(key, text);
  }
  return text;
}

function pageFor({ failure, history, body }: FailureScreen, now: number): Drawn {
  let known = drawn.get(failure);
  if (known?.now !== now || known.history !== history || known.body !== body) {
    const entries = history === 'reading' || 'error' in history ? [] : history;
    known = { now, history, body, page: failurePage(brief(failure, LONGEST), entries, now), texts: new Map() };
    drawn.set(failure, known);
  }
  return known;
}

function linesOf(screen: FailureScreen, pane: Pane, { blocks, lists }: FailurePage, width: number): Page {
  const page = new Page(width);
  const { failure, history, body } = screen;
  const there = body === 'there';
  if (pane === 'summary') {
    for (const block of blocks) {
      page.gap();
      for (const field of block) {
        // What a reason means is told with what the body says of it: not before it is there.
        if (there || field.label !== '') addField(page, field);
      }
    }
    return page.field('Title', failure.title.slice(0, LONGEST)).field('Id', failure.id);
  }
  if (pane === 'body') {
    if (body === 'reading') return page.text('It is not kept in memory: reading it from its queue…', 'accent');
    return body === 'there' ? page : page.text(body.error, 'bad');
  }
  if (pane === 'history') {
    if (history === 'reading') return page.text('Reading the journal…', 'accent');
    if ('error' in history) return page.text(`The journal can't be read: ${history.error}`, 'bad');
    if (history.length === 0) return page.text('Nothing was done to it yet, as far as this journal knows.', 'dim');
  }
  const shown = lists.filter(({ title }) => (title === 'History') === (pane === 'history'));
  for (const { title, entries } of shown) page.pairs(title, entries);
  if (shown.length > 0) return page;
  return there ? page.text('It came without attributes.', 'dim') : page.text('Not read yet.', 'dim');
}

function addField(page: Page, { label, value, tone }: Field): void {
  page.field(label, value, label === 'Fix first' ? 'accent' : TONES[tone]);
}

/** How a pane is named, with how much is in it: `Attributes 5`, `Body 412 bytes`; escaped. */
export function paneName(screen: FailureScreen, pane: Pane, now: number): string {
  const { failure, history } = screen;
  switch (pane) {
    case 'summary':
      return 'Summary';
    case 'attributes':
      return `Attributes ${Object.keys(failure.attributes).length + Object.keys(failure.system_attributes).length}`;
    case 'history':
      return Array.isArray(history) ? `History ${history.length}` : 'History';
    case 'body': {
      const { bodyMarks } = pageFor(screen, now).page;
      const marks = screen.body === 'there' ? bodyMarks : [`${sayCount(failure.size_bytes)} bytes`];
      return `Body ${marks.join(', ').replace('shown escaped', 'in hex')}`;
    }
  }
}
