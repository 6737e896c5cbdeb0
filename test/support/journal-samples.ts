import type { Intent, RunStart } from '../../src/model/ports.ts';
import type { RememberedFacts, SqsMessage } from '../../src/model/sqs-message.ts';

export const PLACE = 'arn:aws:sqs:eu-central-1:123456789012:orders-dlq';
export const FACTS: RememberedFacts = {
  archivedUntil: null,
  sourceArn: 'arn:aws:sqs:eu-central-1:123456789012:orders',
  sentAt: '2026-11-30T14:02:11.034Z',
  failedAt: null,
  retryTo: 'orders',
};

export function aMessage(messageId: string, changes: Partial<SqsMessage> = {}): SqsMessage {
  return {
    messageId,
    body: `{"message":"${messageId}"}`,
    attributes: { trace: { type: 'Binary.custom', value: 'AAH/' } },
    systemAttributes: { SentTimestamp: '1733000000000' },
    ...changes,
  };
}

export function anIntent(nativeId: string, changes: Partial<Intent> = {}): Intent {
  return {
    source: 'orders',
    place: PLACE,
    nativeId,
    identity: `identity of ${nativeId}`,
    reason: 'failed',
    queue: 'orders',
    subject: 'urn:babel:orders:created',
    to: 'orders',
    deduplicationId: null,
    possibleDouble: false,
    message: aMessage(nativeId),
    remembered: FACTS,
    ...changes,
  };
}

export function aStart(action: RunStart['action'], changes: Partial<RunStart> = {}): RunStart {
  return { action, by: 'ada@desk', note: null, asked: '--all', ...changes };
}
