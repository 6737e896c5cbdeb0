import { escapeText } from '../../model/display/escape.ts';
import { sayDuration } from '../../model/duration.ts';
import { BabelqError, EXIT } from '../../model/errors.ts';
import { type DoctorReport, doctor, doctorReportOf } from '../../model/operations/doctor.ts';
import { wholeNumber } from '../../model/options/numbers.ts';
import type { Source } from '../../model/ports.ts';
import type { Context } from '../context.ts';
import { doctorOutput } from '../outputs/doctor.ts';
import { print } from '../outputs/report.ts';
import { ProgressLine } from '../progress.ts';
import { readProgress, SAMPLING } from '../reading.ts';

const REDRAW_MS = 500;

interface Options {
  sample?: string;
}

export async function run(_args: string[], options: Options, context: Context): Promise<number> {
  const { global, terminal } = context;
  const sample = options.sample === undefined ? 0 : wholeNumber(options.sample, '--sample');
  const report = await examined(context, sample);
  print(doctorOutput(report), global.output, terminal);
  return report.findings.length > 0 ? EXIT.couldNot : EXIT.done;
}

async function examined(context: Context, sample: number): Promise<DoctorReport> {
  const { global, terminal, signal } = context;
  const nodeVersion = process.versions.node;
  let opened: Awaited<ReturnType<Context['open']>>;
  try {
    opened = await context.open();
  } catch (error) {
    if (error instanceof BabelqError && error.code === 'config') return doctorReportOf('config', error, nodeVersion);
    throw error;
  }
  const { sources, journal, clock } = opened;
  // The JSON document says it itself.
  if (sample > 0 && global.output !== 'json' && sources.some(({ kind }) => kind === 'sqs')) {
    terminal.say(SAMPLING);
  }
  const progress = sample > 0 ? readProgress(context) : waiting(context, sources);
  const request = { sources, journal, clock, nodeVersion, sample, allowReceive: global.allowReceive, signal };
  return doctor({ ...request, onProgress: progress.onProgress }).finally(() => progress.end());
}

/** A server that doesn't answer is waited for: a person sees that something goes on. */
function waiting({ terminal }: Context, sources: readonly Source[]): ReturnType<typeof readProgress> {
  const line = new ProgressLine(terminal);
  const names = sources.map(({ name }) => escapeText(name)).join(', ');
  const began = Date.now();
  const timer = setInterval(() => line.show(() => `Asking ${names}: ${sayDuration(Date.now() - began)}`), REDRAW_MS);
  return {
    onProgress: () => {},
    end: () => {
      clearInterval(timer);
      line.clear();
    },
  };
}
