import { bodyChange, CHANGE_NOT_SHOWN, moreLines, sayUnsendable } from '../../model/display/change.ts';
import type { DifferentLine } from '../../model/display/difference.ts';
import { type BodyEdit, bodyToEdit, replacement } from '../../model/edit.ts';
import { type EditingText, editingText, editWarning, readSaved } from '../../model/edit-text.ts';
import { BabelqError } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { Context } from '../context.ts';
import { asksYes } from './asking.ts';
import { EditorFile } from './editor.ts';

/** Lines of a difference that are shown; a person who changed more has seen it in the editor. */
const SHOWN = 200;

/**
 * Lets a person edit the body that a retry of one message sends, and shows what they changed. Nothing is held meanwhile.
 * @param answers where they can be asked to look again; null with nobody there
 * @returns the edit; null where they left it as it was; why there is nothing to edit
 * @throws BabelqError `refused` where what was saved can't be sent; Interrupted
 */
export async function editByHand(
  failure: WholeFailure,
  redact: readonly string[],
  answers: NodeJS.ReadStream | null,
  context: Context,
): Promise<BodyEdit | { why: string } | null> {
  const there = bodyToEdit(failure);
  if ('why' in there) return there;
  const before = there.body;
  const editing = editingText(before, failure.attributes);
  const file = new EditorFile(editing.text, editing.isJson ? 'json' : 'txt');
  try {
    const after = await edited(file, before, editing, answers, context);
    if (after === null) return null;
    showChange(before, after, redact, context);
    const warning = editWarning(before, after, failure.attributes);
    if (warning !== null) context.terminal.complain(context.terminal.paintNotes.yellow(warning));
    return replacement(before, after);
  } finally {
    file.remove();
  }
}

/** The body that was saved, which SQS takes; null where the person left it as it was. */
async function edited(
  file: EditorFile,
  before: string,
  editing: EditingText,
  answers: NodeJS.ReadStream | null,
  context: Context,
): Promise<string | null> {
  const { terminal } = context;
  for (;;) {
    await file.edit(context);
    const saved = readSaved(before, editing, file.read());
    if (saved.kind === 'unchanged') return null;
    if (saved.kind === 'changed') return saved.body;
    if (answers === null) {
      throw new BabelqError('refused', `${sayUnsendable(saved.why)} Nothing was changed.`, {
        hint: 'The message lies where it was.',
      });
    }
    terminal.complain(sayUnsendable(saved.why));
    if (!(await asksYes('Edit it again?', answers, context))) return null;
  }
}

function showChange(before: string, after: string, redact: readonly string[], { terminal }: Context): void {
  const lines = bodyChange(before, after, redact);
  const { paintNotes: paint } = terminal;
  const looks: Readonly<Record<DifferentLine['kind'], (text: string) => string>> = {
    same: (text) => paint.dim(`    ${text}`),
    taken: (text) => paint.red(`  - ${text}`),
    added: (text) => paint.green(`  + ${text}`),
    gap: () => paint.dim('    …'),
  };
  for (const { kind, text } of lines.slice(0, SHOWN)) terminal.complain(looks[kind](text));
  if (lines.length > SHOWN) terminal.complain(paint.dim(`    ${moreLines(lines.length - SHOWN)}`));
  if (lines.length === 0) terminal.complain(CHANGE_NOT_SHOWN);
  terminal.complain('');
}
