import { isBodyLost, type Reading } from './envelope.ts';
import type { RetryToBasis } from './failure.ts';
import { filledBy, isNotification } from './filled-by.ts';
import { parseQueue, queueName } from './queue-name.ts';
import { resetAttributes, resetBody } from './reset.ts';
import { isSendable, MOST_BYTES, messageSize } from './size.ts';
import type { KnownQueues, QueueFacts, RememberedFacts, SqsMessage } from './sqs-message.ts';
import { versionGate } from './version-gate.ts';

/** Where a retry goes, and what says so. */
export interface Target {
  readonly queue: string | null;
  readonly basis: RetryToBasis | null;
  /** Why it can't go there, in one sentence. */
  readonly blocked: string | null;
}

/** All that the choice rests on. */
export interface Evidence {
  readonly message: SqsMessage;
  readonly reading: Reading;
  readonly facts: QueueFacts;
  readonly remembered: RememberedFacts | null;
}

const HOW = 'target (--to, or redrive_to in the configuration)';
const SAY = `name a ${HOW}`;
const DLQ_SUFFIX = /-dlq(?=(?:\.fifo)?$)/;

/**
 * Which queues must be looked up before a choice: those named by `--to` and `redrive_to` as they were typed, all others
 * by name alone, to be asked for in the source's own account and region. Names that no queue can have are left out.
 */
export function namesToCheck(evidence: Evidence): string[] {
  const { facts } = evidence;
  if (facts.to !== null) return [facts.to];
  if (facts.redriveTo !== null) return [facts.redriveTo];
  const names = [
    queueName(evidence.remembered?.retryTo),
    queueName(sourceArn(evidence)),
    originalQueue(evidence),
    ...policyQueues(facts),
    withoutDlqSuffix(facts.queue),
    metaQueue(evidence),
  ];
  return [...new Set(names.filter((name) => name !== null))];
}

/**
 * `--to`, else `redrive_to`, else by evidence (see `byEvidence`); then whether the message can go there at all: never to
 * the dead-letter queue itself, from FIFO to FIFO alone, and within the target's size.
 */
export function chooseTarget(evidence: Evidence, known: KnownQueues): Target {
  const { facts, reading } = evidence;
  const asTyped = facts.to ?? facts.redriveTo;
  const choice =
    asTyped === null
      ? byEvidence(evidence, known)
      : {
          queue: queueName(asTyped),
          basis: facts.to === null ? ('config' as const) : ('flag' as const),
          blocked: null,
        };
  if (isBodyLost(reading)) {
    return {
      ...choice,
      blocked: 'The body was lost before it got here: the app that set it aside could not decode it and kept nothing.',
    };
  }
  if (choice.blocked !== null) return choice;
  if (choice.queue === null)
    return { queue: null, basis: null, blocked: `${asTyped} is not a queue's name, URL or ARN.` };
  return { ...choice, blocked: whyNotTo(choice.queue, asTyped ?? choice.queue, evidence, known) };
}

/**
 * Where the message failed: by its source ARN, else what its app recorded, else what evidence says. A recorded name
 * that no queue has (it is often the logical one) counts only where nothing else does.
 */
export function failedIn(evidence: Evidence, known: KnownQueues): string | null {
  const source = queueName(sourceArn(evidence));
  if (source !== null) return source;
  const original = originalQueue(evidence);
  if (original !== null && known(original)?.exists !== false) return original;
  return byEvidence(evidence, known).queue ?? original;
}

/** The DeadLetterQueueSourceArn: SQS's own, or what the journal remembers of it. */
export function sourceArn({ message, remembered }: Evidence): string | null {
  return message.systemAttributes.DeadLetterQueueSourceArn ?? remembered?.sourceArn ?? null;
}

/**
 * The strongest evidence alone: what the journal remembers of a restored message; the source ARN; then `original_queue`
 * and the only queue whose RedrivePolicy points here, which must agree where both name an existing queue. Only where
 * there is none of these, and for an envelope, the dead-letter queue's name without its suffix, then `meta.queue`.
 * What was set aside by EventBridge, Lambda or SNS was in no queue before, so nothing is deduced for it.
 */
function byEvidence(evidence: Evidence, known: KnownQueues): Target {
  const { message, facts, remembered } = evidence;
  const remember = queueName(remembered?.retryTo);
  if (remember !== null) return to(remember, 'journal');
  const arn = sourceArn(evidence);
  if (arn !== null) return bySourceArn(arn, facts, message.systemAttributes.DeadLetterQueueSourceArn === undefined);

  const service = evidence.reading.deadLetter === null ? filledBy(message.attributes, message.body) : null;
  if (service !== null) {
    return none(`${service} could not deliver it and put it here, so it was in no queue before: ${SAY}.`);
  }
  const original = originalQueue(evidence);
  const recorded = original !== null && known(original)?.exists === false ? null : original;
  const policies = policyQueues(facts).filter((name) => known(name)?.exists !== false);
  const policy = policies.length === 1 ? (policies[0] ?? null) : null;
  if (recorded !== null && policy !== null && recorded !== policy) {
    return none(
      `Ambiguous: it says that it failed in ${recorded}, but only the RedrivePolicy of ${policy} points here: ${SAY}.`,
    );
  }
  if (recorded !== null) return to(recorded, 'original_queue');
  if (policy !== null) return to(policy, 'policy');
  return byNames(evidence, known, policies, original);
}

function bySourceArn(arn: string, facts: QueueFacts, fromJournal: boolean): Target {
  const source = parseQueue(arn);
  if (source === undefined) return none(`Its source queue's ARN can't be read: ${SAY}.`);
  if ((source.account ?? facts.account) !== facts.account || (source.region ?? facts.region) !== facts.region) {
    return none(`Its source queue ${source.name} is in another account or region: ${SAY}.`);
  }
  return to(source.name, fromJournal ? 'journal' : 'source_arn');
}

/** The weakest evidence, for envelopes alone: names, and only of queues that are known to exist. */
function byNames(evidence: Evidence, known: KnownQueues, policies: readonly string[], original: string | null): Target {
  const { facts, reading, message } = evidence;
  const exists = (name: string | null): name is string =>
    name !== null && name !== facts.queue && known(name)?.exists === true;
  const byName = withoutDlqSuffix(facts.queue);
  const byMeta = metaQueue(evidence);
  const shared = policies.length > 1;
  if (reading.envelope !== null) {
    if (shared && exists(byName) && exists(byMeta) && byName !== byMeta) {
      return none(`Ambiguous: ${listed(policies)} all dead-letter here, and the message says ${byMeta}: ${SAY}.`);
    }
    if (exists(byName)) return to(byName, 'name');
    if (exists(byMeta)) return to(byMeta, 'meta_queue');
  }
  if (shared)
    return none(`Ambiguous: ${listed(policies)} all dead-letter here, and it doesn't say where it failed: ${SAY}.`);
  if (original !== null) return none(`It failed in ${original}, which does not exist here: ${SAY}.`);
  if (isNotification(message.body)) return none(`It came from SNS, and nothing says which queue it was in: ${SAY}.`);
  return none(`Nothing says which queue it failed in: ${SAY}.`);
}

function whyNotTo(queue: string, asked: string, evidence: Evidence, known: KnownQueues): string | null {
  const { message, reading, facts } = evidence;
  if (isSameQueue(asked, facts))
    return `${queue} is the dead-letter queue itself, so it would only come to lie here again: ${SAY}.`;
  const there = known(asked);
  if (there?.exists === false) return `The queue ${queue} does not exist: name another ${HOW}.`;
  if (facts.fifo && !(there?.fifo ?? queue.endsWith('.fifo'))) {
    return `${facts.queue} is FIFO and ${queue} is not: a FIFO dead-letter queue needs a FIFO target.`;
  }
  if (reading.shape === 'raw_record' && (reading.raw === null || !isSendable(reading.raw))) {
    return 'The body it had before is empty, or holds bytes that SQS does not accept as text.';
  }
  const most = there?.maximumMessageSize ?? MOST_BYTES;
  // A reset never makes a message larger, so most needn't be reset to be measured.
  if (messageSize(message.body, message.attributes) <= most) return null;
  const { body } = resetBody(message.body, reading, !versionGate(message.attributes).passed);
  const size = messageSize(body, resetAttributes(message.attributes, { bypass: false }).attributes);
  return size > most ? `It has ${size} bytes with its attributes, and ${queue} takes ${most} at most.` : null;
}

/** A bare name is in the source's own account and region; a URL or an ARN may say otherwise. */
function isSameQueue(asked: string, facts: QueueFacts): boolean {
  const queue = parseQueue(asked);
  return (
    queue?.name === facts.queue &&
    (queue.account ?? facts.account) === facts.account &&
    (queue.region ?? facts.region) === facts.region
  );
}

function originalQueue({ reading }: Evidence): string | null {
  return queueName(reading.deadLetter?.originalQueue);
}

function metaQueue({ reading }: Evidence): string | null {
  return queueName(reading.envelope?.queue);
}

function policyQueues(facts: QueueFacts): string[] {
  return (facts.redriveSources ?? []).map(queueName).filter((name) => name !== null);
}

/** `orders` for `orders-dlq`, `orders.fifo` for `orders-dlq.fifo`: how the SDKs name a dead-letter queue by default. */
export function withoutDlqSuffix(queue: string): string | null {
  return DLQ_SUFFIX.test(queue) ? queueName(queue.replace(DLQ_SUFFIX, '')) : null;
}

function to(queue: string, basis: RetryToBasis): Target {
  return { queue, basis, blocked: null };
}

function none(blocked: string): Target {
  return { queue: null, basis: null, blocked };
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}
