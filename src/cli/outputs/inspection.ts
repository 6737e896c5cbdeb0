import { escapeBlock, escapeText } from '../../model/display/escape.ts';
import { type Field, type FieldList, failurePage, type Tone } from '../../model/display/failure-page.ts';
import { prettyBody } from '../../model/display/pretty.ts';
import { displayWidth, padTo } from '../../model/display/width.ts';
import type { InspectedFailure } from '../../model/operations/inspect.ts';
import type { Terminal } from '../terminal.ts';
import { wrap } from './wrap.ts';

/** The widest label there is. */
const LABEL = 'Fingerprint'.length;

/** Prints one failure as a page, the body last. */
export function showFailure(failure: InspectedFailure, now: number, terminal: Terminal): void {
  const { paint } = terminal;
  const line = (text: string) => terminal.write(`${text}\n`);
  const { blocks, lists, bodyMarks } = failurePage(failure, failure.history, now);
  line(`${paint.bold(escapeText(failure.id))}  ${escapeText(failure.title)}`);
  for (const block of blocks) {
    line('');
    for (const field of block) for (const text of fieldLines(field, terminal)) line(text);
  }
  for (const list of lists) {
    line(`\n${paint.bold(list.title)}`);
    for (const text of listLines(list)) line(text);
  }
  line(`\n${paint.bold('Body')}  ${paint.dim(bodyMarks.join(', '))}`);
  line(bodyText(failure));
}

/** The label and its value, wrapped to the terminal. */
function fieldLines({ label, value, tone }: Field, terminal: Terminal): string[] {
  const { columns, paint } = terminal;
  const tones: Record<Tone, (text: string) => string> = {
    plain: (text) => text,
    strong: paint.bold,
    soon: paint.red,
    near: paint.yellow,
    blocked: paint.red,
  };
  const lines = columns === null ? [value] : wrap(value, columns - LABEL - 1);
  return lines.map((text, at) => `${paint.dim(padTo(at === 0 ? label : '', LABEL))} ${tones[tone](text)}`);
}

function listLines({ entries }: FieldList): string[] {
  // A name longer than this pushes its own value along, and not everyone else's.
  const width = Math.min(32, Math.max(...entries.map(([name]) => displayWidth(name))));
  return entries.map(([name, value]) => `  ${displayWidth(name) > width ? name : padTo(name, width)}  ${value}`);
}

function bodyText({ body, body_base64 }: InspectedFailure): string {
  return body === null ? escapeBlock(Buffer.from(body_base64 ?? '', 'base64').toString('latin1')) : prettyBody(body);
}
