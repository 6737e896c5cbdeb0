import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { Sample, SqsDiagnosis } from './diagnosis.ts';
import { isMissingQueue, type SqsElsewhere } from './elsewhere.ts';
import { aws } from './mend.ts';
import { permissionVerdicts } from './permission-rules.ts';
import { QUEUE_RULES } from './queue-rules.ts';
import { targetVerdicts } from './target-rules.ts';
import { ofTrouble } from './trouble.ts';

/** A clock that is further off than this makes ages and expiries wrong by more than a listing rounds. */
const SKEW_MS = 60_000;
/** AWS refuses a signature whose time is further off. */
const REFUSED_MS = 5 * 60_000;

/**
 * Everything there is to say of a dead-letter queue, found healthy or not.
 * @param elsewhere where else among the configured sources a queue of that name is
 */
export function sqsVerdicts(
  diagnosis: SqsDiagnosis,
  elsewhere: readonly SqsElsewhere[],
  sample: Sample | null = null,
): Verdict[] {
  const { trouble, queue, where } = diagnosis;
  const verdicts: Verdict[] = trouble === null ? [ok('connection', where)] : [troubled(diagnosis, elsewhere)];
  verdicts.push(...clock(diagnosis), ...permissionVerdicts(diagnosis));
  if (queue === null || !queue.exists) return verdicts;
  if (!queue.told) return [...verdicts, unknown('settings', 'the attributes of the queue could not be asked')];
  verdicts.push(encryption(queue.kmsKey));
  for (const rule of QUEUE_RULES) verdicts.push(...rule(diagnosis, queue));
  return [...verdicts, ...targetVerdicts(diagnosis, queue, sample)];
}

function troubled({ trouble, name, reach, where }: SqsDiagnosis, elsewhere: readonly SqsElsewhere[]): Verdict {
  if (trouble === null) return ok('connection', where);
  if (!isMissingQueue(trouble)) return ofTrouble(trouble);
  const command = aws(reach, ['sqs', 'list-queues', '--queue-name-prefix', name.slice(0, 4)]);
  const [there] = elsewhere;
  if (there === undefined) return ofTrouble(trouble, { command });
  const say = there.settings.map(([key, value]) => `${key}: ${value}`).join(', ');
  return wrong(
    'queue',
    'error',
    `${trouble.message} A queue of that name is in ${there.where}, which the source ${there.source} uses.`,
    `Give this source the settings of ${there.source} in babelq.yaml: ${say === '' ? 'leave region, profile and endpoint out' : say}.`,
    { command },
  );
}

function clock({ clockAheadMs }: SqsDiagnosis): Verdict[] {
  if (clockAheadMs === null) return [];
  const off = Math.abs(clockAheadMs);
  if (off < SKEW_MS) return [ok('clock', "agrees with the server's")];
  const seconds = Math.round(off / 1000);
  return [
    wrong(
      'clock',
      off < REFUSED_MS ? 'warning' : 'error',
      `This machine's clock is ${seconds} seconds ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the server's: ages and expiries are wrong by that${off < REFUSED_MS ? '' : ', and AWS refuses signatures that are so far off'}.`,
      'Set the clock by a time server.',
      { command: 'timedatectl set-ntp true' },
    ),
  ];
}

function encryption(key: string | null): Verdict {
  if (key === null) return ok('encryption', 'needs no KMS permission');
  return /(?:^|:)alias\/aws\/sqs$/.test(key)
    ? ok('encryption', 'by the key that AWS keeps for SQS, which the own account may use')
    : ok('encryption', `by the KMS key ${key}`);
}
