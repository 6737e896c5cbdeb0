import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { KeyTrouble, Probe, Reach, SqsDiagnosis } from './diagnosis.ts';
import { aws, grant } from './mend.ts';
import { permissionNamed } from './permissions.ts';

/** One verdict a permission and queue: allowed, missing, or not to be told without doing harm. */
export function permissionVerdicts({ reach, name, probes, keys }: SqsDiagnosis): Verdict[] {
  return [...probes.map((probe) => verdictOf(probe, reach, name)), ...keys.map((key) => keyVerdict(key, reach))];
}

function verdictOf(probe: Probe, reach: Reach, deadLetterQueue: string): Verdict {
  const { permission, queue, answer, detail } = probe;
  if (answer === 'ok') return ok(permission, detail ?? 'allowed', queue);
  if (answer === 'unknown') return unknown(permission, detail ?? 'no harmless call tells', queue);
  const { without, severity, use, on } = permissionNamed(permission);
  // The dead-letter queue is sent to by restore and import alone, and a target's attributes only say what fits.
  const lesser =
    (permission === 'sqs:SendMessage' && queue === deadLetterQueue) ||
    ((permission === 'sqs:GetQueueAttributes' || permission === 'sqs:GetQueueUrl') && queue !== deadLetterQueue);
  const resource = probe.resource ?? queue;
  const who = probe.principal === null ? 'who runs babelq' : probe.principal;
  return wrong(
    permission,
    lesser ? 'warning' : severity,
    `${permission} on ${queue} is missing: ${lesser ? LESSER[permission] : without}.`,
    `Allow ${permission} on ${resource} to ${who}${use === 'native' ? ', if you want retry --native' : ''}.${on.includes('account') ? '' : " Where the queue is another account's, its own policy must allow it too."}`,
    { ...grant(reach, permission, resource, probe.principal), about: queue },
  );
}

const LESSER: Partial<Readonly<Record<string, string>>> = {
  'sqs:SendMessage': 'nothing can be restored or imported there',
  'sqs:GetQueueUrl': 'its address is only supposed',
  'sqs:GetQueueAttributes': 'whether a message fits there is only known once it was sent',
};

function keyVerdict({ queue, key, code }: KeyTrouble, reach: Reach): Verdict {
  const named = key ?? 'the key';
  const disabled = /Disabled/i.test(code);
  return wrong(
    'kms_key',
    'error',
    `The KMS key of ${queue} (${named}) can't be used: ${code}. Nothing can be received from it or sent to it.`,
    disabled
      ? 'Enable the key again.'
      : 'See in which state the key is; a queue whose key is gone needs another, and what was encrypted with the old one is lost with it.',
    {
      command: aws({ ...reach, endpoint: null }, [
        'kms',
        disabled ? 'enable-key' : 'describe-key',
        '--key-id',
        key ?? 'KEY',
      ]),
    },
  );
}
