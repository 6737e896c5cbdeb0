import { escapeText } from '../model/display/escape.ts';
import { asBabelqError, type BabelqError } from '../model/errors.ts';
import type { GlobalOptions } from './global-options.ts';
import { toJson } from './outputs/json.ts';
import type { Terminal } from './terminal.ts';

/**
 * Prints an error on stderr: one or two sentences, or with --json the document; the stack only with --verbose.
 * @returns the error, whose `exit` is the code that it leads to
 */
export function complainOf(
  thrown: unknown,
  terminal: Terminal,
  { output, verbose }: Pick<GlobalOptions, 'output' | 'verbose'>,
): BabelqError {
  const error = asBabelqError(thrown);
  if (output === 'json') terminal.complain(toJson(errorDocument(error)));
  else {
    const paint = terminal.paintNotes;
    const source = error.source === null ? '' : `${escapeText(error.source)}: `;
    terminal.complain(`${paint.red('babelq:')} ${source}${escapeText(error.message)}`);
    const hint =
      error.hint ??
      (error.code === 'internal' && !verbose ? 'Run it again with --verbose, and report what it prints.' : null);
    if (hint !== null) terminal.complain(escapeText(hint));
  }
  if (verbose) {
    for (let cause: unknown = thrown; cause instanceof Error; cause = cause.cause) {
      for (const line of (cause.stack ?? '').split('\n')) terminal.complain(escapeText(line));
    }
  }
  return error;
}

interface ErrorDocument {
  error: { code: string; message: string; hint: string | null; source: string | null };
}

function errorDocument({ code, message, hint, source }: BabelqError): ErrorDocument {
  return { error: { code, message, hint, source } };
}
