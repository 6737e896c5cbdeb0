import { BabelqError, EXIT } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { type InspectedFailure, inspect } from '../../model/operations/inspect.ts';
import type { Context } from '../context.ts';
import { FAILURE_CSV } from '../outputs/failures.ts';
import { showFailure } from '../outputs/inspection.ts';
import { print, type Report } from '../outputs/report.ts';
import { sayTrouble } from '../outputs/source-trouble.ts';
import { whileReading } from '../reading.ts';
import { notTogether } from '../together.ts';
import { complainOf } from '../trouble.ts';

interface Options {
  raw?: boolean;
}

export async function run(ids: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal, signal } = context;
  if (options.raw) refuseForRaw(ids, context);
  const { sources, journal, clock, redact } = await context.open();
  const {
    failures,
    missing,
    sources: reports,
  } = await whileReading(context, (onProgress) =>
    inspect({
      sources,
      ids,
      journal,
      redact: options.raw ? [] : redact,
      allowReceive: global.allowReceive,
      signal,
      onProgress,
    }),
  );
  const [first] = failures;
  if (options.raw && first) terminal.write(bytesOf(first));
  else print(reportOf(failures, clock.now()), global.output, terminal);
  sayTrouble(reports, global.output, terminal);
  if (missing === null) return EXIT.done;
  return complainOf(missing, terminal, global).exit;
}

function refuseForRaw(ids: readonly string[], { global }: Context): void {
  if (ids.length !== 1) {
    throw new BabelqError('usage', `--raw prints one body as it is, and ${ids.length} ids were given.`, {
      hint: 'Give one id, or --output ndjson for several.',
    });
  }
  if (global.output !== 'table') {
    const hint = '--raw prints the stored bytes and nothing else; the JSON outputs have them in body.';
    throw notTogether('--raw', [`--output ${global.output}`], hint);
  }
}

/** Exactly what is stored. */
function bytesOf({ body, body_base64 }: WholeFailure): string | Uint8Array {
  return body ?? Buffer.from(body_base64 ?? '', 'base64');
}

function reportOf(failures: readonly InspectedFailure[], now: number): Report<InspectedFailure> {
  return {
    document: { failures },
    rows: failures,
    csv: FAILURE_CSV,
    id: ({ id }) => id,
    show: (terminal) => {
      failures.forEach((failure, at) => {
        if (at > 0) terminal.write(`\n${terminal.paint.dim('─'.repeat(Math.min(terminal.columns ?? 60, 60)))}\n\n`);
        showFailure(failure, now, terminal);
      });
    },
  };
}
