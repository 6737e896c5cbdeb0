import { escapeText } from '../../model/display/escape.ts';
import type { SourcePart } from '../../model/operations/parts.ts';
import type { Context } from '../context.ts';
import { complainOf } from '../trouble.ts';

/** What went wrong with sources of an action, and what they didn't see, on stderr. */
export function sayErrors(sources: readonly SourcePart[], { terminal, global }: Context): void {
  for (const { name, error, note } of sources) {
    // Also beside an error: how much stays hidden, for how long, matters most where the server is gone.
    if (note !== null && (error !== null || global.output !== 'json')) terminal.say(escapeText(`${name}: ${note}`));
    if (error !== null) complainOf(error, terminal, global);
  }
}
