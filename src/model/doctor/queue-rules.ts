import { sayDuration } from '../duration.ts';
import { queueName } from '../queue-name.ts';
import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { QueueState, SqsDiagnosis } from './diagnosis.ts';
import { hcl, queueBlock, setAttributes } from './mend.ts';

const DAY_SECONDS = 24 * 3600;
/** SQS keeps a message for 14 days at most. */
const LONGEST_SECONDS = 14 * DAY_SECONDS;
/** SQS's default. */
const USUAL_SECONDS = 4 * DAY_SECONDS;
/** How often a message is tried before SQS moves it, where nobody has said. */
const RECEIVES = 5;

type Rule = (diagnosis: Known, queue: QueueState) => Verdict[];
type Known = Omit<SqsDiagnosis, 'queue'>;

/** The settings of the dead-letter queue and of the queues around it. Each rule looks at one mistake. */
export const QUEUE_RULES: readonly Rule[] = [retention, ownRedrivePolicy, allowed, noDeadLetterQueue];

/**
 * On a standard queue a message keeps the time at which it was first sent, so the dead-letter queue must keep it longer
 * than the queue it failed in, or it is deleted as soon as it arrives. On FIFO the time starts anew with the move.
 */
function retention({ reach, redriveSources, named }: Known, queue: QueueState): Verdict[] {
  if (queue.fifo) return [ok('retention', 'a FIFO queue counts from the move')];
  if (queue.retentionSeconds === null)
    return [unknown('retention', 'its server does not tell how long it keeps messages')];
  const own = queue.retentionSeconds;
  const sources = feeders(queue, redriveSources, named).filter(({ told }) => told);
  const longer = sources.filter(({ retentionSeconds }) => retentionSeconds !== null && retentionSeconds >= own);
  const longest = Math.max(...longer.map(({ retentionSeconds }) => retentionSeconds ?? 0));
  const [worst] = longer.filter(({ retentionSeconds }) => retentionSeconds === longest);
  if (worst === undefined) {
    if (sources.length > 0) return [ok('retention', `keeps messages for ${days(own)}, longer than where they fail`)];
    return [unknown('retention', 'the queues that messages come from could not be asked')];
  }
  const message =
    `${queue.name} keeps messages for ${days(own)}, no longer than ${worst.name} (${days(longest)}). ` +
    'SQS counts from when a message was first sent, so what spent its time there is deleted soon after it arrives here.';
  if (own < LONGEST_SECONDS) {
    const seconds = String(LONGEST_SECONDS);
    return [
      wrong('retention', 'warning', message, `Keep messages on ${queue.name} for 14 days, the longest that SQS can.`, {
        command: setAttributes(reach, queue, { MessageRetentionPeriod: seconds }),
        terraform: queueBlock(queue, [`message_retention_seconds = ${seconds}`]),
      }),
    ];
  }
  const seconds = String(USUAL_SECONDS);
  return [
    wrong(
      'retention',
      'warning',
      message,
      `14 days are the longest, so let ${worst.name} keep its messages for less: 4 days are the default. What is older there is deleted by that.`,
      {
        command: setAttributes(reach, worst, { MessageRetentionPeriod: seconds }),
        terraform: queueBlock(worst, [`message_retention_seconds = ${seconds}`]),
      },
    ),
  ];
}

/**
 * The command that takes a RedrivePolicy away is for a dead-letter queue only: pasted for a live queue that was named by
 * mistake, it would leave that one without its dead-letter queue.
 */
function ownRedrivePolicy({ reach, redriveSources, named }: Known, queue: QueueState): Verdict[] {
  const policy = queue.redrivePolicy;
  if (policy === null) return [ok('redrive_policy', 'has no RedrivePolicy of its own')];
  const onTo = queueName(policy.deadLetterTargetArn) ?? policy.deadLetterTargetArn;
  const count = Number.isNaN(policy.maxReceiveCount) ? 'some' : String(policy.maxReceiveCount);
  const message = `${queue.name} has a RedrivePolicy of its own: after ${count} receives SQS moves a message on to ${onTo}, and every look counts as one. babelq does not read it without --allow-receive.`;
  if (named === null && !redriveSources?.some((one) => pointsHere(one, queue))) {
    const mend = `Nothing says that ${queue.name} is a dead-letter queue: configure ${onTo} instead, which is its dead-letter queue, and leave the RedrivePolicy as it is.`;
    return [wrong('redrive_policy', 'error', message, mend)];
  }
  return [
    wrong(
      'redrive_policy',
      'error',
      message,
      `If ${queue.name} is where messages are to stay, take its RedrivePolicy away. If ${onTo} is the dead-letter queue, configure that one instead.`,
      {
        command: setAttributes(reach, queue, { RedrivePolicy: '' }),
        terraform: queueBlock(queue, ['# without redrive_policy']),
      },
    ),
  ];
}

/** A RedriveAllowPolicy names the queues that may use this one as their dead-letter queue. */
function allowed({ reach, redriveSources, named }: Known, queue: QueueState): Verdict[] {
  const policy = queue.redriveAllow;
  if (policy === null || policy.permission === 'allowAll')
    return [ok('redrive_allow_policy', 'lets every queue dead-letter here')];
  const sources = feeders(queue, redriveSources, named).filter((one) => pointsHere(one, queue));
  const forbidden = sources.filter(
    ({ arn }) => policy.permission === 'denyAll' || !policy.sourceArns.includes(arn ?? ''),
  );
  if (forbidden.length === 0) return [ok('redrive_allow_policy', 'lets the queues that point here dead-letter here')];
  const names = forbidden.map(({ name }) => name).join(', ');
  const arns = [...new Set([...policy.sourceArns, ...forbidden.flatMap(({ arn }) => arn ?? [])])];
  const value = { redrivePermission: 'byQueue', sourceQueueArns: arns };
  return [
    wrong(
      'redrive_allow_policy',
      'error',
      `The RedriveAllowPolicy of ${queue.name} (${policy.permission}) forbids ${names} to use it as dead-letter queue, though the RedrivePolicy there points here: SQS moves nothing.`,
      `Allow ${names} in the RedriveAllowPolicy of ${queue.name}.`,
      {
        command: setAttributes(reach, queue, { RedriveAllowPolicy: JSON.stringify(value) }),
        terraform: queueBlock(queue, [
          'redrive_allow_policy = jsonencode({',
          '  redrivePermission = "byQueue"',
          `  sourceQueueArns   = [${arns.map(hcl).join(', ')}]`,
          '})',
        ]),
      },
    ),
  ];
}

/** The queue that messages come from has no RedrivePolicy: what its app doesn't dead-letter itself is lost with time. */
function noDeadLetterQueue({ reach, redriveSources, named, redriveTo }: Known, queue: QueueState): Verdict[] {
  const around = distinct([...(redriveSources ?? []), ...[named, redriveTo].filter((one) => one !== null)]).filter(
    ({ name }) => name !== queue.name,
  );
  const without = around.filter(({ told, exists, redrivePolicy }) => told && exists && redrivePolicy === null);
  if (without.length === 0) {
    const told = around.some((one) => one.told);
    return [
      told
        ? ok('dead_letter_queue', 'the queues that messages come from have a dead-letter queue')
        : unknown('dead_letter_queue', 'the queues that messages come from could not be asked'),
    ];
  }
  return without.map((one) => {
    const arn = queue.arn ?? '';
    const fits = one.fifo === queue.fifo;
    const mend = `Give ${one.name} a RedrivePolicy, as the backstop for what no consumer settles.`;
    const message = `${one.name} has no dead-letter queue (no RedrivePolicy): a message that is never handled is delivered again and again until its retention ends, and is then gone.`;
    if (!fits)
      return wrong(
        'dead_letter_queue',
        'warning',
        message,
        `${mend} Its dead-letter queue must be ${one.fifo ? 'FIFO' : 'a standard queue'} too.`,
      );
    const policy = { deadLetterTargetArn: arn, maxReceiveCount: RECEIVES };
    return wrong('dead_letter_queue', 'warning', message, mend, {
      command: setAttributes(reach, one, { RedrivePolicy: JSON.stringify(policy) }),
      terraform: queueBlock(one, [
        'redrive_policy = jsonencode({',
        `  deadLetterTargetArn = ${hcl(arn)}`,
        `  maxReceiveCount     = ${RECEIVES}`,
        '})',
      ]),
    });
  });
}

/** The queues that messages fail in: those that point here, and the one of the same name, whose app may write here itself. */
function feeders(queue: QueueState, redriveSources: QueueState[] | null, named: QueueState | null): QueueState[] {
  return distinct([...(redriveSources ?? []), ...(named === null ? [] : [named])]).filter(
    ({ exists, name }) => exists && name !== queue.name,
  );
}

/** Whether a queue's RedrivePolicy names this one as its dead-letter queue. */
export function pointsHere(one: QueueState, queue: QueueState): boolean {
  return queue.arn !== null && one.redrivePolicy?.deadLetterTargetArn === queue.arn;
}

function distinct(queues: readonly QueueState[]): QueueState[] {
  const seen = new Set<string>();
  return queues.filter(({ arn, name }) => !seen.has(arn ?? name) && seen.add(arn ?? name));
}

/** As the settings of queues are talked of: 14d, not 2w. */
function days(seconds: number): string {
  return seconds % DAY_SECONDS === 0 ? `${seconds / DAY_SECONDS}d` : sayDuration(seconds * 1000);
}
