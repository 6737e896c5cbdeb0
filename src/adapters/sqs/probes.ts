import { randomUUID } from 'node:crypto';
import type { KeyTrouble, Probe, QueueState } from '../../model/doctor/diagnosis.ts';
import type { PermissionName } from '../../model/doctor/permissions.ts';
import { SqsCallError, type SqsClient } from './client.ts';
import { isDenial } from './errors.ts';

/** What probes came to. */
export interface Probed {
  probes: Probe[];
  keys: KeyTrouble[];
}

/** A queue to ask about, and the client that reaches it. */
export interface Asked {
  client: SqsClient;
  queue: Pick<QueueState, 'name' | 'url' | 'arn' | 'kmsKey'>;
}

const KMS = /^K(?:MS|ms)/;

/**
 * What the permissions of a dead-letter queue are, by calls that can't change anything whoever answers them: batches whose
 * only entry is a made-up receipt handle, and a move task that was never there. In a batch SQS decides about the permission for the
 * call and about the handle for the entry: where the entry alone is refused the call was allowed. `received`: what came of a
 * receive that somebody asked for.
 */
export async function probeDeadLetterQueue(
  { client, queue }: Asked,
  received: 'ok' | SqsCallError | null,
): Promise<Probed> {
  const url = queue.url ?? '';
  const handle = `babelq-made-up-${randomUUID()}`;
  const entry = { id: '0', receiptHandle: handle };
  const found = await Promise.all([
    receiveProbe({ client, queue }, received),
    batch('sqs:ChangeMessageVisibility', queue, () => client.changeVisibilityBatch(url, [{ ...entry, seconds: 0 }])),
    batch('sqs:DeleteMessage', queue, () => client.deleteBatch(url, [entry])),
    sendProbe({ client, queue }),
    ...moveProbes({ client, queue }),
  ]);
  return together(found);
}

/** Whether messages may be sent to a queue. */
export async function probeTarget(asked: Asked): Promise<Probed> {
  return together([await sendProbe(asked)]);
}

/**
 * An empty batch can't send anything, whoever answers. A denial is certain. Anything else tells nothing: SQS doesn't say whether it
 * looks at the entries before it looks at the permission, and a body that it would refuse others accept.
 */
async function sendProbe({ client, queue }: Asked): Promise<Probed> {
  const detail = 'no call tells without sending a message';
  const sent = await tried(
    'sqs:SendMessage',
    queue,
    () => client.sendBatch(queue.url ?? '', []),
    () => detail,
  );
  if (!needsKey(queue.kmsKey)) return sent;
  const denied = sent.probes.some(({ permission }) => permission === 'kms:GenerateDataKey') || sent.keys.length > 0;
  const probes = denied ? [] : [unknownOf('kms:GenerateDataKey', queue, detail, queue.kmsKey)];
  return { probes: [...sent.probes, ...probes], keys: sent.keys };
}

/**
 * Only receiving tells whether receiving is allowed. AWS itself refuses to receive none at all, so it may be asked for that:
 * where the permission is looked at first, its lack shows. Other servers may give something out all the same.
 */
async function receiveProbe({ client, queue }: Asked, received: 'ok' | SqsCallError | null): Promise<Probed> {
  const none = { max: 0, waitSeconds: 0, visibilitySeconds: 0 };
  const byNone = (): Promise<unknown> => client.receive(queue.url ?? '', none);
  const detail = 'only receiving tells: --sample 1 receives one and gives it back';
  const call = received instanceof SqsCallError ? () => Promise.reject(received) : byNone;
  const asks = received === 'ok' || received instanceof SqsCallError || client.endpointHost === null;
  const found =
    received === 'ok'
      ? { probes: [okOf('sqs:ReceiveMessage', queue, 'allowed: it received')], keys: [] }
      : asks
        ? await tried('sqs:ReceiveMessage', queue, call, () => detail)
        : { probes: [unknownOf('sqs:ReceiveMessage', queue, detail)], keys: [] };
  if (!needsKey(queue.kmsKey) || found.keys.length > 0) return found;
  if (received === 'ok') found.probes.push(okOf('kms:Decrypt', queue, 'allowed: it received'));
  else if (!found.probes.some(({ permission }) => permission === 'kms:Decrypt')) {
    found.probes.push(unknownOf('kms:Decrypt', queue, detail, queue.kmsKey));
  }
  return found;
}

function moveProbes({ client, queue }: Asked): Promise<Probed>[] {
  const { arn } = queue;
  if (arn === null) return [];
  // As SQS makes them: the queue that a task moves from stands in its handle, so that the permission there is asked for.
  const handle = Buffer.from(JSON.stringify({ taskId: randomUUID(), sourceArn: arn })).toString('base64');
  const has = (error: SqsCallError) =>
    /Unsupported|UnknownOperation|InvalidAction|HTTP 404|HTTP 501/i.test(error.code)
      ? 'this server has no move tasks'
      : 'no harmless call tells';
  const start = unknownOf('sqs:StartMessageMoveTask', queue, 'no call tells without starting one');
  return [
    Promise.resolve({ probes: [start], keys: [] }),
    tried('sqs:ListMessageMoveTasks', queue, () => client.moveTasks(arn), has, 'allowed'),
    tried('sqs:CancelMessageMoveTask', queue, () => client.cancelMoveTask(handle), has),
  ];
}

async function batch(
  permission: PermissionName,
  queue: Asked['queue'],
  call: () => Promise<{ failed: { code: string; message: string }[] }>,
): Promise<Probed> {
  return tried(
    permission,
    queue,
    async () => {
      const { failed } = await call();
      const denied = failed.find(({ code }) => isDenial(code));
      if (denied) throw new SqsCallError(permission, 'refused', denied.code, denied.message);
    },
    () => 'the made-up receipt handle was refused before the permission was told',
    'allowed: only the made-up receipt handle was refused',
  );
}

/**
 * Makes a call and tells what it says of a permission.
 * @param why what to say of a refusal that isn't a denial
 * @param allowed what to say of an answer; null where an answer tells nothing either
 */
export async function tried(
  permission: PermissionName,
  queue: Asked['queue'],
  call: () => Promise<unknown>,
  why: (error: SqsCallError) => string,
  allowed: string | null = null,
): Promise<Probed> {
  try {
    await call();
    return {
      probes: [allowed === null ? unknownOf(permission, queue, NOTHING) : okOf(permission, queue, allowed)],
      keys: [],
    };
  } catch (error) {
    if (!(error instanceof SqsCallError)) throw error;
    return ofError(error, permission, queue, why);
  }
}

const NOTHING = 'no harmless call tells';

/** What a call that was answered says of the permission that it needs. */
export function allowed(permission: PermissionName, queue: Asked['queue']): Probed {
  return { probes: [okOf(permission, queue, 'allowed')], keys: [] };
}

/** What a call that was denied says of the permission that it needs, and of the key. */
export function deniedBy(error: SqsCallError, permission: PermissionName, queue: Asked['queue']): Probed {
  return ofError(error, permission, queue, () => NOTHING);
}

/** What a call that threw says of the permission that it needs, and of the key that its queue is encrypted with. */
function ofError(
  error: SqsCallError,
  permission: PermissionName,
  queue: Asked['queue'],
  why: (error: SqsCallError) => string,
): Probed {
  const said = /perform:? (kms:(?:Decrypt|GenerateDataKey))/i.exec(error.message)?.[1];
  if (KMS.test(error.code) || said !== undefined) {
    const ofKey = permission === 'sqs:SendMessage' ? 'kms:GenerateDataKey' : 'kms:Decrypt';
    // What the key refuses, SQS had allowed.
    const probes = [okOf(permission, queue, 'allowed, but for the key')];
    if (!/AccessDenied|OptInRequired/i.test(error.code) && said === undefined) {
      return { probes, keys: [{ queue: queue.name, key: queue.kmsKey, code: error.code }] };
    }
    return { probes: [...probes, deniedOf(ofKey, queue, error, queue.kmsKey)], keys: [] };
  }
  if (error.trouble === 'refused' && isDenial(error.code)) {
    return { probes: [deniedOf(permission, queue, error, queue.arn)], keys: [] };
  }
  const detail = error.trouble === 'refused' ? why(error) : `it was not answered (${error.code})`;
  return { probes: [unknownOf(permission, queue, detail)], keys: [] };
}

function okOf(permission: PermissionName, { name, arn }: Asked['queue'], detail: string): Probe {
  return { permission, queue: name, resource: arn, answer: 'ok', detail, principal: null };
}

function unknownOf(
  permission: PermissionName,
  { name, arn }: Asked['queue'],
  detail: string,
  resource: string | null = arn,
): Probe {
  return { permission, queue: name, resource, answer: 'unknown', detail, principal: null };
}

function deniedOf(
  permission: PermissionName,
  { name }: Asked['queue'],
  error: SqsCallError,
  resource: string | null,
): Probe {
  const principal = /\b(arn:[a-z0-9-]+:(?:iam|sts)::\d+:[\w+=,.@/-]+)/.exec(error.message)?.[1] ?? null;
  return { permission, queue: name, resource, answer: 'denied', detail: null, principal };
}

/** The key that AWS keeps for SQS may be used by everyone in the queue's account who may use the queue. */
function needsKey(key: string | null): boolean {
  return key !== null && !/(?:^|:)alias\/aws\/sqs$/.test(key);
}

function together(found: readonly Probed[]): Probed {
  return { probes: found.flatMap(({ probes }) => probes), keys: found.flatMap(({ keys }) => keys) };
}
