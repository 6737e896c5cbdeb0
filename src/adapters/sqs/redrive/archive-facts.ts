import type { RememberedFacts } from '../../../model/sqs-message.ts';
import type { Describer } from '../describe.ts';
import type { Met } from './task.ts';

/**
 * What a message loses by being dismissed and restored, for the journal to keep: a restored message is a new one to SQS,
 * without its source ARN and its times. What was remembered of it already goes on being remembered.
 */
export async function archiveFacts(describer: Describer, met: Met): Promise<RememberedFacts> {
  const { message, failure, reading, recollection } = met;
  const remembered = recollection.remembered;
  return {
    archivedUntil: null,
    sourceArn: message.systemAttributes.DeadLetterQueueSourceArn ?? remembered?.sourceArn ?? null,
    sentAt: failure.sent_at,
    failedAt: failure.failed_at,
    retryTo: await describer.evidentTarget(message, remembered, reading),
  };
}
