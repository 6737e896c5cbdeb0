import { BabelqError, EXIT } from '../../model/errors.ts';
import { exportMessages } from '../../model/operations/export.ts';
import { limitOf } from '../../model/options/numbers.ts';
import { type AskedOptions, askedFor, settleAsked } from '../acting/asked.ts';
import type { Context } from '../context.ts';
import { anyFilter } from '../filter-options.ts';
import { toJson } from '../outputs/json.ts';
import { sayTrouble } from '../outputs/source-trouble.ts';
import { whileReading } from '../reading.ts';
import { notTogether } from '../together.ts';
import { complainOf } from '../trouble.ts';

interface Options extends AskedOptions {
  limit?: string;
  redact?: boolean;
  edited?: boolean;
}

export async function run(ids: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal, signal } = context;
  const { output } = global;
  if (options.edited && options.state !== undefined) {
    const hint = 'What was sent edited has no state any more: its originals lie in the archive.';
    throw notTogether('--edited', ['--state'], hint);
  }
  const everything = ids.length === 0 && options.stdin !== true && !anyFilter(options);
  const wanted = askedFor(options.edited ? 'restore' : 'export', ids, everything ? { ...options, all: true } : options);
  const limit = limitOf(options.limit, 'all');
  const asked = await settleAsked(wanted, context.io.stdin, signal);
  const { sources, journal, clock, redact } = await context.open();
  if (options.redact && redact.length === 0) {
    throw new BabelqError('usage', 'There is nothing that --redact could blank: the configuration has no redact.', {
      hint: 'Name the members under redact: in babelq.yaml, for example [data.email, data.card.*].',
    });
  }
  const exported = await whileReading(context, (onProgress) =>
    exportMessages({
      sources,
      asked,
      journal,
      limit,
      redact: options.redact ? redact : null,
      edited: options.edited ?? false,
      allowReceive: global.allowReceive,
      clock,
      signal,
      onProgress,
      onLine: (line) => {
        terminal.write(`${toJson(line)}\n`);
        return terminal.isGone ? 'enough' : 'more';
      },
    }),
  );
  sayTrouble(
    exported.sources.map(({ report }) => report),
    output,
    terminal,
  );
  if (exported.notBlanked > 0) {
    terminal.complain(`${exported.notBlanked} of the bodies are not JSON: nothing in them was blanked.`);
  }
  const failing = exported.sources.find(({ error }) => error !== null)?.error;
  if (failing && output === 'json') complainOf(failing, terminal, global);
  if (exported.missing !== null) {
    return complainOf(exported.missing, terminal, global).exit;
  }
  return failing ? EXIT.couldNot : EXIT.done;
}
