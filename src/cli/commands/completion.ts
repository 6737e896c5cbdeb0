import { quoteTyped } from '../../model/display/escape.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import { SCRIPTS } from '../completion/scripts.ts';
import { SHELLS } from '../completion/shells.ts';
import type { Context } from '../context.ts';

export async function run([typed = '']: string[], _options: unknown, { terminal }: Context): Promise<number> {
  const shell = SHELLS.find((one) => one === typed);
  if (shell === undefined) {
    throw new BabelqError('usage', `There is no completion for ${quoteTyped(typed)}.`, {
      hint: `It is one of ${SHELLS.join(', ')}.`,
    });
  }
  terminal.write(SCRIPTS[shell]);
  return EXIT.done;
}
