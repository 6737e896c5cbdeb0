import { queueName } from '../queue-name.ts';
import { withoutDlqSuffix } from '../target.ts';
import type { DiscoveredQueue, Evidence, FoundPlace, FoundQueue } from './found.ts';
import { nameAll } from './names.ts';

/** Which of the queues that were found are dead-letter queues, and what a configuration says of each; by name, place by place. */
export function judgeQueues(places: readonly FoundPlace[]): DiscoveredQueue[] {
  return nameAll(places.flatMap(deadLetterQueues));
}

function deadLetterQueues(place: FoundPlace): Omit<DiscoveredQueue, 'name'>[] {
  const pointing = pointersOf(place.queues);
  const names = new Set(place.queues.map(({ name }) => name));
  return place.queues
    .map((queue) => judge(queue, place, pointing.get(queue.arn ?? '') ?? [], names))
    .filter((found) => found !== null)
    .sort((a, b) => (a.queue.name < b.queue.name ? -1 : 1));
}

/** By the ARN of a RedrivePolicy's target, the queues that name it. */
function pointersOf(queues: readonly FoundQueue[]): Map<string, string[]> {
  const pointing = new Map<string, string[]>();
  for (const { name, redrivePolicy } of queues) {
    if (redrivePolicy === null) continue;
    const arn = redrivePolicy.deadLetterTargetArn;
    pointing.set(arn, [...(pointing.get(arn) ?? []), name]);
  }
  return pointing;
}

function judge(
  queue: FoundQueue,
  place: FoundPlace,
  pointers: readonly string[],
  names: ReadonlySet<string>,
): Omit<DiscoveredQueue, 'name'> | null {
  const evidence: Evidence[] = [];
  if (pointers.length > 0) evidence.push('redrive_policy');
  if ((queue.deadLetterSources ?? []).length > 0) evidence.push('source_queues');
  if (queue.redriveAllow !== null && queue.redriveAllow.permission !== 'denyAll') evidence.push('redrive_allow_policy');
  const named = withoutDlqSuffix(queue.name);
  if (named !== null) evidence.push('name');
  if (evidence.length === 0) return null;
  const sources = [...new Set([...pointers, ...(queue.deadLetterSources ?? [])])].sort();
  const byName = named !== null && names.has(named) ? named : null;
  const found = { queue, place, evidence, sources };
  const onTo = queue.redrivePolicy === null ? null : queueName(queue.redrivePolicy.deadLetterTargetArn);
  const chained =
    onTo === null ? null : `has a RedrivePolicy of its own, to ${onTo}: it is not read without --allow-receive`;
  if (sources.length > 0 || byName !== null) return { ...found, redriveTo: null, note: chained };
  // Nothing points here (yet): who may is the next best, where that is one queue alone.
  const allowed = queue.redriveAllow?.permission === 'byQueue' ? queue.redriveAllow.sourceArns : [];
  const [only] = allowed.length === 1 ? allowed : [];
  if (only !== undefined) return { ...found, redriveTo: nearName(only, queue), note: chained };
  return {
    ...found,
    redriveTo: null,
    note: chained ?? 'nothing says where its messages failed, so retries may need redrive_to: QUEUE',
  };
}

/** By its name where it is in the same account and region, else by its ARN. */
function nearName(arn: string, beside: FoundQueue): string {
  const name = queueName(arn);
  const same =
    beside.arn !== null && arn.slice(0, arn.lastIndexOf(':')) === beside.arn.slice(0, beside.arn.lastIndexOf(':'));
  return same && name !== null ? name : arn;
}
