import type { RedriveAllow } from '../../model/doctor/diagnosis.ts';

/** A queue's attributes as far as babelq needs them; null for what the server doesn't say (emulators leave some out). */
export interface QueueAttributes {
  readonly arn: string | null;
  readonly fifo: boolean;
  readonly visible: number | null;
  readonly inFlight: number | null;
  readonly delayed: number | null;
  readonly retentionSeconds: number | null;
  /** Bytes of a body with its attributes. */
  readonly maximumMessageSize: number | null;
  readonly visibilityTimeoutSeconds: number | null;
  /** Set where SQS moves messages on from this very queue after so many receives. */
  readonly redrivePolicy: { deadLetterTargetArn: string; maxReceiveCount: number } | null;
  /** Which queues may use this one as their dead-letter queue; null where every one may. */
  readonly redriveAllow: RedriveAllow | null;
  /** The KMS key's id, ARN or alias; null where SQS encrypts by a key of its own, or not at all. */
  readonly kmsKey: string | null;
}

/** Reads what GetQueueAttributes gave. */
export function readAttributes(attributes: Readonly<Record<string, string>>, name: string): QueueAttributes {
  const number = (key: string): number | null => {
    const text = attributes[key];
    return text !== undefined && /^[0-9]+$/.test(text) ? Number(text) : null;
  };
  return {
    arn: attributes.QueueArn || null,
    fifo: attributes.FifoQueue === 'true' || name.endsWith('.fifo'),
    visible: number('ApproximateNumberOfMessages'),
    inFlight: number('ApproximateNumberOfMessagesNotVisible'),
    delayed: number('ApproximateNumberOfMessagesDelayed'),
    retentionSeconds: number('MessageRetentionPeriod'),
    maximumMessageSize: number('MaximumMessageSize'),
    visibilityTimeoutSeconds: number('VisibilityTimeout'),
    redrivePolicy: readPolicy(attributes.RedrivePolicy),
    redriveAllow: readAllow(attributes.RedriveAllowPolicy),
    kmsKey: attributes.KmsMasterKeyId || null,
  };
}

/** Null for one that can't be read, too: nothing is to be made of it. */
function readAllow(text: string | undefined): RedriveAllow | null {
  let policy: unknown;
  try {
    policy = JSON.parse(text ?? '');
  } catch {
    return null;
  }
  const { redrivePermission, sourceQueueArns } = (policy ?? {}) as Record<string, unknown>;
  const permission = (['allowAll', 'denyAll', 'byQueue'] as const).find((one) => one === redrivePermission);
  if (permission === undefined) return null;
  return { permission, sourceArns: Array.isArray(sourceQueueArns) ? sourceQueueArns.map(String) : [] };
}

/** `maxReceiveCount` is a number on some servers and a text on others. A policy that can't be read is still one. */
function readPolicy(text: string | undefined): QueueAttributes['redrivePolicy'] {
  if (text === undefined || text.trim() === '') return null;
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch {
    policy = null;
  }
  const { deadLetterTargetArn = '?', maxReceiveCount = Number.NaN } = (policy ?? {}) as Record<string, unknown>;
  return { deadLetterTargetArn: String(deadLetterTargetArn), maxReceiveCount: Number(maxReceiveCount) };
}
