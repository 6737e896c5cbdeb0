import type { Attributes } from './failure.ts';
import { valueAt } from './json/path.ts';
import { decodeString } from './json/scan.ts';

/** What EventBridge (its rules and its Scheduler) and Lambda write beside what they couldn't deliver. */
const EVENTBRIDGE = ['RULE_ARN', 'SCHEDULE_ARN', 'ERROR_CODE', 'EXHAUSTED_RETRY_CONDITION'];
const LAMBDA_OR_SNS = ['ErrorCode', 'RequestID'];

/**
 * The AWS service that set a message aside by itself, told by the attributes it leaves; null where none did. Such a
 * message was never in the queue that the dead-letter queue is named for.
 */
export function filledBy(attributes: Attributes, body: string): string | null {
  const has = (name: string): boolean => Object.hasOwn(attributes, name);
  if (EVENTBRIDGE.some(has)) return 'EventBridge';
  if (!LAMBDA_OR_SNS.some(has)) return null;
  return isNotification(body) ? 'SNS' : 'Lambda';
}

/** Whether a body is what SNS sends: an object whose `Type` is `Notification`, with a `TopicArn`. */
export function isNotification(body: string): boolean {
  const type = valueAt(body, ['Type']);
  return (
    type?.kind === 'string' && decodeString(body, type) === 'Notification' && valueAt(body, ['TopicArn']) !== undefined
  );
}
