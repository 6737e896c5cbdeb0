import type { Confirmation } from '../../model/display/confirmation.ts';
import { BabelqError } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import type { Io } from '../io.ts';
import { forgetTyped, readLine, whereToAsk } from './prompt.ts';

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

type Asking = Pick<Context, 'terminal' | 'whileAsking' | 'signal'>;

/** Asks on stderr; only a typed `y` or `yes` is one, and the end of input is a no. @throws Interrupted */
export async function asksYes(question: string, answers: NodeJS.ReadStream, context: Asking): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test((await asksLine(question, '[y/N]', answers, context)) ?? '');
}

/**
 * Asks on stderr for a line; null at the end of input.
 * @param after what stands behind the question; empty for nothing
 * @throws Interrupted
 */
export async function asksLine(
  question: string,
  after: string,
  answers: NodeJS.ReadStream,
  { terminal, whileAsking, signal }: Asking,
): Promise<string | null> {
  await forgetTyped(answers);
  terminal.draw(`${terminal.paintNotes.bold(question)} ${after === '' ? '' : `${after} `}`);
  return whileAsking(() => readLine(answers, signal));
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
