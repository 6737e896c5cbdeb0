import { ago, expiry } from '../display/age.ts';
import { messages, sayCount } from '../display/counts.ts';
import { shellWord } from '../display/shell-word.ts';
import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { Sample } from './diagnosis.ts';

/** What can only be known by receiving: how old messages are, when they expire, whether they can be retried. */
export function sampleVerdicts(sample: Sample, source: string, now: number): Verdict[] {
  const { trouble, seen, about, complete, inFlight, untargeted, oldestSentAt } = sample;
  // A permission that is missing for it has its own verdict.
  if (trouble !== null) return [unknown('sample', trouble.message)];
  if (inFlight !== null) return [unknown('sample', `all ${sayCount(inFlight)} messages are in flight just now`)];
  const of = complete || about === null ? messages(seen) : `${sayCount(seen)} of about ${messages(about)}`;
  const age = seen === 0 ? '' : `, the oldest sent ${ago(oldestSentAt, now)}`;
  return [
    ok('sample', `received ${of} and gave them back${age}`),
    ...expiring(sample, source, now),
    ...untargetedOf(untargeted),
  ];
}

function expiring({ soonestExpiry, seen }: Sample, source: string, now: number): Verdict[] {
  const left = expiry(soonestExpiry, now);
  if (left === null)
    return seen === 0
      ? [ok('expiry', 'nothing is there to expire')]
      : [unknown('expiry', 'when messages expire is not told')];
  if (left.level === 'later') return [ok('expiry', `the first that was seen ${left.words}`)];
  return [
    wrong(
      'expiry',
      left.level === 'soon' ? 'error' : 'warning',
      `Of the messages that were seen the first ${left.words}: SQS deletes it then.`,
      'Retry or dismiss what expires first, or export it so that it can be brought back. A dismissed message is kept for 30 days.',
      { command: `babelq deliveries --source ${shellWord(source)}` },
    ),
  ];
}

function untargetedOf(untargeted: Sample['untargeted']): Verdict[] {
  if (untargeted === null) return [];
  return [
    wrong(
      'target',
      'warning',
      `${messages(untargeted.count)} of those that were seen can't be retried. The first: ${untargeted.why}`,
      'Give --to with the retry, or redrive_to to this source in babelq.yaml.',
      { command: `babelq inspect ${shellWord(untargeted.id)}` },
    ),
  ];
}
