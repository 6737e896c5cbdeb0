import { bodyChange } from '../../model/display/change.ts';
import { bodyToEdit } from '../../model/edit.ts';
import { type EditingText, editingText, editWarning, readSaved } from '../../model/edit-text.ts';
import type { WholeFailure } from '../../model/failure.ts';
import type { OpenEditor } from '../options.ts';
import type { EditResult } from '../state/events.ts';

/** The editing of one message's body: the editor may be opened again and again, until what was saved can be sent. */
export class BodyEditing {
  readonly #failure: WholeFailure;
  readonly #there: { body: string; text: EditingText } | { why: string };

  constructor(failure: WholeFailure) {
    this.#failure = failure;
    const there = bodyToEdit(failure);
    this.#there = 'why' in there ? there : { body: there.body, text: editingText(there.body, failure.attributes) };
  }

  /**
   * Opens the editor, on the body or on what was saved before. The file is gone when it resolves, or rejects.
   * @param away runs while another program has the terminal
   * @throws BabelqError `refused` where the editor fails; Interrupted
   */
  async edit(
    saved: string | null,
    redact: readonly string[],
    openEditor: OpenEditor,
    away: (work: () => Promise<void>) => Promise<void>,
  ): Promise<EditResult> {
    if ('why' in this.#there) return { kind: 'impossible', why: this.#there.why };
    const { body, text } = this.#there;
    const file = openEditor(saved ?? text.text, text.isJson ? 'json' : 'txt');
    try {
      await away(() => file.edit());
      const now = file.read();
      const read = readSaved(body, text, now);
      if (read.kind === 'unsendable') return { ...read, saved: now };
      if (read.kind === 'unchanged') return read;
      const warning = editWarning(body, read.body, this.#failure.attributes);
      const lines = bodyChange(body, read.body, redact);
      return { kind: 'changed', before: body, after: read.body, saved: now ?? '', lines, warning };
    } finally {
      file.remove();
    }
  }
}
