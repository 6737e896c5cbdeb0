import { ok, unknown, type Verdict, wrong } from './check.ts';
import type { QueueState, Sample, SqsDiagnosis } from './diagnosis.ts';
import { pointsHere } from './queue-rules.ts';

/** Whether a retry will know where to go, and whether it may go there. */
export function targetVerdicts(diagnosis: SqsDiagnosis, queue: QueueState, sample: Sample | null): Verdict[] {
  return [where(diagnosis, queue, sample), fifo(diagnosis, queue)];
}

function where(
  { redriveTo, redriveSources, named, server }: SqsDiagnosis,
  queue: QueueState,
  sample: Sample | null,
): Verdict {
  if (redriveTo !== null) return configured(redriveTo, queue);
  const byName = named?.exists === true ? named : null;
  const policies = redriveSources ?? (byName !== null && pointsHere(byName, queue) ? [byName] : null);
  const say = 'Add redrive_to: QUEUE to this source in babelq.yaml, or give --to with each retry.';
  if (policies === null || policies.length === 0) {
    if (byName !== null)
      return ok('target', `BabelQueue's messages go to ${byName.name}, by its name or by what they say`);
    if (policies === null && named === null) {
      return unknown('target', 'which queues dead-letter here could not be asked; what the messages say may be enough');
    }
    return wrong(
      'target',
      'warning',
      `Nothing around ${queue.name} says where its messages failed: no queue dead-letters here${named === null ? '' : `, and there is no ${named.name}`}. Only a message that says so itself can be retried.`,
      say,
    );
  }
  const names = policies.map(({ name }) => name);
  if (byName !== null && !names.includes(byName.name)) {
    return wrong(
      'target',
      'warning',
      `Where retries go is ambiguous: by its name ${queue.name} belongs to ${byName.name}, but only ${names.join(', ')} ${names.length === 1 ? 'dead-letters' : 'dead-letter'} here. A message that names ${byName.name} is skipped.`,
      say,
    );
  }
  // Which of several a message failed in AWS itself says of each (DeadLetterQueueSourceArn); other servers need not.
  const seemsTold = server === null || (sample !== null && sample.seen > 0 && sample.untargeted === null);
  if (names.length > 1 && !seemsTold) {
    return wrong(
      'target',
      'warning',
      `Where retries go may be ambiguous: ${names.join(', ')} all dead-letter here, and ${server} need not say of a message which of them it failed in (DeadLetterQueueSourceArn), as AWS does. One that doesn't say it itself is skipped.`,
      `${say} Or see what it says: babelq doctor --sample 20.`,
    );
  }
  return ok(
    'target',
    names.length === 1 ? `retries go to ${names[0]}` : `each retry goes to its own of ${names.join(', ')}`,
  );
}

function configured(target: QueueState, queue: QueueState): Verdict {
  if (!target.exists) {
    return wrong(
      'target',
      'error',
      `redrive_to names ${target.name}, which does not exist: every retry is refused.`,
      'Mend the name in babelq.yaml (a queue of another account or region is named by its URL or ARN), or make the queue.',
    );
  }
  if (target.arn !== null && target.arn === queue.arn) {
    return wrong(
      'target',
      'error',
      `redrive_to names ${target.name}, the dead-letter queue itself.`,
      'Name the queue that the messages failed in, or leave redrive_to out.',
    );
  }
  return ok('target', `retries go to ${target.name}, as redrive_to says`);
}

/** A FIFO queue's dead-letter queue must be FIFO, and what is on a FIFO one can only go to another. */
function fifo({ redriveTo, redriveSources, named }: SqsDiagnosis, queue: QueueState): Verdict {
  const targets = redriveTo !== null ? [redriveTo] : [...(redriveSources ?? []), ...(named === null ? [] : [named])];
  const other = targets.find((one) => one.exists && one.fifo !== queue.fifo);
  if (other === undefined) return ok('fifo', queue.fifo ? 'it is FIFO, as where its messages go' : 'it is not FIFO');
  if (queue.fifo) {
    return wrong(
      'fifo',
      'error',
      `${queue.name} is FIFO and ${other.name} is not: SQS can't dead-letter between them, and no message can be retried there.`,
      `Retry to a FIFO queue (redrive_to: ${other.name}.fifo), or let ${other.name} dead-letter to a standard queue.`,
    );
  }
  return wrong(
    'fifo',
    'warning',
    `${other.name} is FIFO and ${queue.name} is not: SQS can't dead-letter from it, and what its app puts here has lost its order and its groups.`,
    `Dead-letter ${other.name} to a FIFO queue (${other.name.replace(/\.fifo$/, '')}-dlq.fifo).`,
  );
}
