/**
 * Every permission that babelq can need, and for what. docs/permissions.md is held to this table by a test.
 * From the actions that Amazon SQS and AWS KMS define: a batch call needs its single call's permission.
 */
export interface Permission {
  readonly name: string;
  /** The queue that it is needed on: the dead-letter queue, the one that a retry goes to, or the account as a whole. */
  readonly on: readonly ('dead-letter queue' | 'target' | 'account')[];
  /** `look`: for listing and inspecting. `act`: for retrying, dismissing and restoring. `native`: for --native alone. */
  readonly use: 'look' | 'act' | 'native';
  /** Without it: `error` where the main work stops, `warning` where less is known or one option is lost. */
  readonly severity: 'error' | 'warning';
  /** What can't be done without it, as the end of a sentence. */
  readonly without: string;
}

export const PERMISSIONS = [
  {
    name: 'sqs:GetQueueUrl',
    on: ['dead-letter queue', 'target'],
    use: 'look',
    severity: 'error',
    without: 'a queue that is named by its name can not be found',
  },
  {
    name: 'sqs:GetQueueAttributes',
    on: ['dead-letter queue', 'target'],
    use: 'look',
    severity: 'error',
    without: 'nobody knows whether looking at it does harm, so it is not read',
  },
  {
    name: 'sqs:ListDeadLetterSourceQueues',
    on: ['dead-letter queue'],
    use: 'look',
    severity: 'warning',
    without: 'it is not known which queues dead-letter here, so that a retry may have to be told where to go',
  },
  {
    name: 'sqs:ListQueues',
    on: ['account'],
    use: 'look',
    severity: 'warning',
    without: 'babelq sources discover finds nothing',
  },
  {
    name: 'sqs:ReceiveMessage',
    on: ['dead-letter queue'],
    use: 'look',
    severity: 'error',
    without: 'nothing can be listed',
  },
  {
    name: 'sqs:ChangeMessageVisibility',
    on: ['dead-letter queue'],
    use: 'look',
    severity: 'error',
    without: 'what a listing received stays hidden until its visibility timeout ends',
  },
  {
    name: 'kms:Decrypt',
    on: ['dead-letter queue', 'target'],
    use: 'look',
    severity: 'error',
    without: 'an encrypted queue can not be received from',
  },
  {
    name: 'sqs:DeleteMessage',
    on: ['dead-letter queue'],
    use: 'act',
    severity: 'error',
    without: 'what was retried would lie there still, so that every retry ends as uncertain',
  },
  {
    name: 'sqs:SendMessage',
    on: ['target', 'dead-letter queue'],
    use: 'act',
    severity: 'error',
    without: 'nothing can be retried to a target, or restored to a dead-letter queue',
  },
  {
    name: 'kms:GenerateDataKey',
    on: ['target', 'dead-letter queue'],
    use: 'act',
    severity: 'error',
    without: 'nothing can be sent to an encrypted queue',
  },
  {
    name: 'sqs:StartMessageMoveTask',
    on: ['dead-letter queue'],
    use: 'native',
    severity: 'warning',
    without: 'retry --native can not start',
  },
  {
    name: 'sqs:ListMessageMoveTasks',
    on: ['dead-letter queue'],
    use: 'native',
    severity: 'warning',
    without: 'retry --native can not follow what it started',
  },
  {
    name: 'sqs:CancelMessageMoveTask',
    on: ['dead-letter queue'],
    use: 'native',
    severity: 'warning',
    without: 'retry --native can not be stopped',
  },
] as const satisfies readonly Permission[];

export type PermissionName = (typeof PERMISSIONS)[number]['name'];

/** @throws Error for a name that isn't in the table: a fault of babelq's own */
export function permissionNamed(name: PermissionName): Permission {
  const found: Permission | undefined = PERMISSIONS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not in the table of permissions`);
  return found;
}
