import { escapeText } from '../../model/display/escape.ts';
import type { Filter } from '../../model/filter.ts';
import { DISMISSED, sayNoJournal } from '../../model/operations/no-journal.ts';
import type { Journal } from '../../model/ports.ts';
import type { Terminal } from '../terminal.ts';

/** Where dismissed messages were asked for and none were met, says so if there is no journal that they could be in. */
export async function sayWithoutArchive(filter: Filter, journal: Journal, terminal: Terminal): Promise<void> {
  if (!filter.states.has('dismissed')) return;
  const said = await sayNoJournal(journal, DISMISSED);
  if (said !== null) terminal.say(escapeText(said));
}
