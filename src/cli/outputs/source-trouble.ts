import { ofAbout } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import type { SourceReport } from '../../model/operations/survey.ts';
import type { Output } from '../global-options.ts';
import type { Terminal } from '../terminal.ts';

/**
 * What went wrong with sources, and what a reading didn't see, on stderr: the JSON document has it in itself, every other
 * output has no room for it.
 */
export function sayTrouble(
  sources: readonly Pick<SourceReport, 'name' | 'error' | 'note'>[],
  output: Output,
  terminal: Terminal,
): void {
  if (output === 'json') return;
  for (const { name, error, note } of sources) {
    const source = escapeText(name);
    if (error !== null) terminal.complain(`${terminal.paintNotes.red(`${source}:`)} ${escapeText(error)}`);
    else if (note !== null) terminal.say(`${source}: ${escapeText(note)}.`.replace(/\.\.$/, '.'));
  }
}

/** `orders 42 of about 42, warehouse 1`: how much of each source is in a listing. */
export function sayListed(sources: readonly Pick<SourceReport, 'name' | 'listed' | 'about'>[]): string {
  return sources.map(({ name, listed, about }) => `${escapeText(name)} ${ofAbout(listed, about)}`).join(', ');
}
