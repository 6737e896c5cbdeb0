import { BabelqError } from '../../model/errors.ts';
import type { TargetFacts } from '../../model/ports.ts';
import { queueName } from '../../model/queue-name.ts';
import { SqsCallError } from './client.ts';
import { DEFAULT_VISIBILITY_SECONDS } from './limits.ts';
import type { DeadLetterQueue } from './queue.ts';
import { readAttributes } from './queue-attributes.ts';

/**
 * What is known of a queue that a retry went to.
 * @param name as items name it
 * @param typed what `--to` and `redrive_to` say: where one of them is a URL or an ARN of that name, it is meant
 */
export async function targetFacts(
  queue: DeadLetterQueue,
  name: string,
  typed: readonly (string | null | undefined)[],
): Promise<TargetFacts | { name: string; error: string }> {
  try {
    const { client, url } = await queue.targets.find(typedFor(name, typed));
    if (url === null) return { name, error: `The queue ${name} is not there any more.` };
    const attributes = readAttributes(await client.queueAttributes(url), name);
    const { visible, inFlight, delayed, visibilityTimeoutSeconds, redrivePolicy } = attributes;
    if (visible === null) return { name, error: `What lies in ${name} is not told by its server.` };
    return {
      name,
      visible,
      in_flight: inFlight ?? 0,
      delayed: delayed ?? 0,
      visibility_seconds: visibilityTimeoutSeconds ?? DEFAULT_VISIBILITY_SECONDS,
      max_receives:
        redrivePolicy === null || Number.isNaN(redrivePolicy.maxReceiveCount) ? null : redrivePolicy.maxReceiveCount,
      dead_letter_queue: redrivePolicy?.deadLetterTargetArn.split(':').at(-1) ?? null,
      leads_here: redrivePolicy?.deadLetterTargetArn === queue.arn,
    };
  } catch (error) {
    const known = error instanceof SqsCallError ? queue.explain(error, name) : error;
    if (!(known instanceof BabelqError)) throw error;
    return { name, error: known.message };
  }
}

/** A name as it is to be looked up: where `--to` or `redrive_to` leads to a queue of that name, as that was typed. */
export function typedFor(name: string, typed: readonly (string | null | undefined)[]): string {
  for (const text of typed) if (text != null && queueName(text) === name) return text;
  return name;
}
