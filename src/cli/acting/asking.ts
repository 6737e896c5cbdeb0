import type { Confirmation } from '../../model/display/confirmation.ts';
import { BabelqError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { forgetTyped, readYes, whereToAsk } from './prompt.ts';

/**
 * Where a person will be asked before anything is changed; null where that was answered on the command line.
 * @param verb what they would be asked for, for the hint: `retry`, `import`
 * @param piped whether stdin is taken by what is acted on
 * @throws BabelqError `usage` where they must be asked and nobody is here
 */
export function whoConfirms(
  verb: string,
  { yes, dryRun }: { yes?: boolean; dryRun?: boolean },
  io: Io,
  piped: boolean,
): NodeJS.ReadStream | null {
  if (yes || dryRun) return null;
  const answers = whereToAsk(io, piped);
  if (answers !== null) return answers;
  throw new BabelqError('usage', 'There is nobody here to confirm, so nothing was touched.', {
    hint: `Add --yes to ${verb} without asking, or --dry-run to see what it would do.`,
  });
}

/** Asks on stderr; only a typed yes is one. @throws Interrupted */
export async function asksYes(
  question: string,
  answers: NodeJS.ReadStream,
  { terminal, whileAsking, signal }: Pick<Context, 'terminal' | 'whileAsking' | 'signal'>,
): Promise<boolean> {
  await forgetTyped(answers);
  terminal.draw(`${terminal.paintNotes.bold(question)} [y/N] `);
  return whileAsking(() => readYes(answers, signal));
}

/**
 * Shows what would be done and asks; true without asking where nothing can be done, since then nothing will be.
 * @param more lines to be shown after the confirmation's own, escaped
 * @throws Interrupted
 */
export async function confirms(
  { question, lines, doable }: Confirmation,
  more: readonly string[],
  answers: NodeJS.ReadStream,
  context: Context,
): Promise<boolean> {
  if (doable === 0) return true;
  for (const line of [...lines, ...more]) context.terminal.complain(line);
  context.terminal.complain('');
  return asksYes(question, answers, context);
}
