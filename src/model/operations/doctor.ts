import type { Check, Finding, Verdict } from '../doctor/check.ts';
import { unknown, wrong } from '../doctor/check.ts';
import type { JournalDiagnosis, Sample, SourceDiagnosis } from '../doctor/diagnosis.ts';
import { isMissingQueue, type SqsElsewhere } from '../doctor/elsewhere.ts';
import { jadpoVerdicts } from '../doctor/jadpo-verdicts.ts';
import { journalVerdicts, leftovers } from '../doctor/journal-verdicts.ts';
import { nodeVerdict } from '../doctor/node-version.ts';
import { sampleVerdicts } from '../doctor/sample-rules.ts';
import { sqsVerdicts } from '../doctor/sqs-verdicts.ts';
import { ofTrouble } from '../doctor/trouble.ts';
import { asBabelqError, type BabelqError, Interrupted } from '../errors.ts';
import type { Clock, Journal, ReadProgress, Source } from '../ports.ts';
import { sampleOf } from './sample.ts';

export interface DoctorRequest {
  sources: readonly Source[];
  journal: Journal;
  clock: Clock;
  /** `process.versions.node` */
  nodeVersion: string;
  /** How many messages of each SQS source are received and given back; 0 for none. */
  sample: number;
  /** Samples a dead-letter queue that has a RedrivePolicy of its own, too. */
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

export interface DoctorReport {
  /** What is wrong, the sources as configured. */
  findings: Finding[];
  /** Everything that was looked at, with what came of it. */
  checks: Check[];
}

/** How many entries without an end are looked at. */
const MOST_UNFINISHED = 1000;

/**
 * Asks every source and the journal about themselves, and judges. Changes nothing, and receives nothing unless `sample`
 * says so. What can't be known without that is `unknown`, never well.
 * @throws Interrupted
 */
export async function doctor(request: DoctorRequest): Promise<DoctorReport> {
  const { sources, signal, clock, nodeVersion } = request;
  const looked = await Promise.all(sources.map((source) => lookInto(source, request)));
  if (signal.aborted) throw new Interrupted();
  const report: DoctorReport = { findings: [], checks: [] };
  for (const [at, source] of sources.entries()) {
    const one = looked[at];
    if (one == null) add(report, source.name, [unknown('settings', 'nothing can be asked about it')]);
    else
      add(
        report,
        source.name,
        one instanceof Error ? [ofTrouble(one)] : await verdictsOf(source, one, sources, clock.now()),
      );
  }
  addTwins(report, looked, sources);
  add(report, 'journal', await journalOf(request.journal, signal));
  add(report, 'babelq', [nodeVerdict(nodeVersion)]);
  return report;
}

/** What stopped it from even beginning: a configuration that can't be read. */
export function doctorReportOf(source: string, trouble: BabelqError, nodeVersion: string): DoctorReport {
  const report: DoctorReport = { findings: [], checks: [] };
  add(report, source, [ofTrouble(trouble)]);
  add(report, 'babelq', [nodeVerdict(nodeVersion)]);
  return report;
}

interface Looked {
  diagnosis: SourceDiagnosis;
  sample: Sample | null;
}

async function lookInto(source: Source, request: DoctorRequest): Promise<Looked | BabelqError | null> {
  try {
    if (source.diagnose === undefined) return null;
    const sample = request.sample > 0 && source.kind === 'sqs' ? await sampleOf(source, request) : null;
    const diagnosis = await source.diagnose({
      signal: request.signal,
      received: sample?.trouble ?? (sample === null ? null : 'ok'),
    });
    return { diagnosis, sample };
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    return asBabelqError(error, source.name);
  }
}

async function verdictsOf(
  source: Source,
  { diagnosis, sample }: Looked,
  sources: readonly Source[],
  now: number,
): Promise<Verdict[]> {
  if (diagnosis.kind === 'jadpo') return jadpoVerdicts(diagnosis, now);
  const elsewhere = isMissingQueue(diagnosis.trouble) ? await lookElsewhere(source, diagnosis.name, sources) : [];
  return [
    ...sqsVerdicts(diagnosis, elsewhere, sample),
    ...(sample === null ? [] : sampleVerdicts(sample, source.name, now)),
  ];
}

/** Whether another configured source's region, profile or endpoint has a queue of that name. */
async function lookElsewhere(source: Source, queue: string, sources: readonly Source[]): Promise<SqsElsewhere[]> {
  const found = await Promise.all(
    sources
      .filter((other) => other !== source)
      .map(async (other): Promise<SqsElsewhere[]> => {
        const there = await other.whereIs?.(queue).catch(() => null);
        return there ? [{ source: other.name, ...there }] : [];
      }),
  );
  return found.flat();
}

/** One queue under two names is counted, listed and alarmed about twice. */
function addTwins(
  report: DoctorReport,
  looked: readonly (Looked | BabelqError | null)[],
  sources: readonly Source[],
): void {
  const first = new Map<string, string>();
  for (const [at, one] of looked.entries()) {
    const name = sources[at]?.name ?? '';
    const place = one === null || one instanceof Error || one.diagnosis.kind !== 'sqs' ? null : one.diagnosis.place;
    if (place === null) continue;
    const earlier = first.get(place);
    if (earlier === undefined) first.set(place, name);
    else {
      add(report, name, [
        wrong(
          'twin',
          'warning',
          `${name} and ${earlier} are the same queue, so its messages are listed and counted twice.`,
          `Take one of the two out of babelq.yaml.`,
        ),
      ]);
    }
  }
}

async function journalOf(journal: Journal, signal: AbortSignal): Promise<Verdict[]> {
  const diagnosis: JournalDiagnosis | undefined = await journal.diagnose?.();
  if (signal.aborted) throw new Interrupted();
  if (diagnosis !== undefined && diagnosis.trouble !== null) return journalVerdicts(diagnosis, null);
  try {
    const entries = diagnosis?.exists === false ? [] : await journal.log({ unfinished: true, limit: MOST_UNFINISHED });
    if (diagnosis !== undefined) return journalVerdicts(diagnosis, entries);
    return [
      unknown('journal', `whether ${journal.location} can be written is not known without writing`),
      leftovers(entries),
    ];
  } catch (error) {
    const trouble = asBabelqError(error);
    return diagnosis === undefined ? [ofTrouble(trouble)] : journalVerdicts({ ...diagnosis, trouble }, null);
  }
}

function add(report: DoctorReport, source: string, verdicts: readonly Verdict[]): void {
  for (const verdict of verdicts) {
    const { check, about, state, message } = verdict;
    report.checks.push({ source, check, about, state, message });
    if (verdict.state === 'finding') {
      const { severity, mend, command, terraform } = verdict;
      report.findings.push({ source, check, severity, message, mend, command, terraform });
    }
  }
}
