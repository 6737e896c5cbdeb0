/**
 * Where the SQS emulators that the tests run on differ from SQS, one line each. The product knows none of this: a test
 * that meets one runs on the other emulator, or asserts what is true on both.
 */
export type EmulatorName = 'local-aws-sqs' | 'fauxqs' | 'elasticmq' | 'moto' | 'localstack';

export const EMULATOR_FAULTS: Readonly<Record<EmulatorName, readonly string[]>> = {
  'local-aws-sqs': [
    'ignores MessageSystemAttributeNames; answers to AttributeNames only',
    'a receive with VisibilityTimeout 0 may hold one message several times',
    'a visibility change raises the receive count by one, so a message given back counts two',
    'ApproximateNumberOfMessages counts what is in flight as well',
    'a long poll ends only when its batch is full or its time is over',
    'a poll whose client went away goes on and takes messages',
    'FIFO groups do not block: all of a group is given out at once',
    'deduplication lasts only as long as the first message lies there',
    'control characters are accepted in bodies',
    'PurgeQueue does nothing for a minute',
    'SentTimestamp starts anew when a message moves to its dead-letter queue',
    'more than about 20,000 messages on a FIFO queue, or 120,000 on another, count as over the in-flight limit',
    'a request without x-amz-target ends the process (servers.ts answers it 400 instead)',
    'a queue URL names the host it was started with, whatever host it was asked by',
    'a delete by an old handle deletes on a standard queue',
    'a message can be kept hidden for more than twelve hours',
  ],
  fauxqs: [
    'no move tasks, no ListDeadLetterSourceQueues, no DeadLetterQueueSourceArn, no AWSTraceHeader',
    'a message keeps its receive count when it moves to its dead-letter queue',
    'rejects emoji in bodies',
    'accepts eleven attributes and batch entries that SQS refuses',
    'a receive gives out one message of a FIFO group at most',
    'listens on all interfaces, whatever host it is given',
    'ListQueues names the queues of every region, whichever it is asked in',
    'a queue URL names a host under sqs.<region>, which does not resolve',
    'a delete by an expired handle deletes on a FIFO queue, and one by nonsense "succeeds"',
    'a standard queue forgets the MessageGroupId',
    'a message can be kept hidden for more than twelve hours',
  ],
  elasticmq: [],
  moto: [
    'two receives side by side may share a FIFO group, or hold the same message (20 of 439 tries): it looks which groups are taken before it takes',
  ],
  localstack: ['a message whose visibility timeout ran out is visible up to a second later'],
};

/**
 * Where an emulator is known to behave otherwise than SQS: the behaviour's name (behaviours.ts), and what it does instead.
 * A behaviour that an emulator has by now is to be taken off its list.
 */
export const DIFFERENT_BEHAVIOURS: Readonly<Record<EmulatorName, Readonly<Record<string, string>>>> = {
  'local-aws-sqs': {
    'a message given back is visible at once, and its receive count rises by one a look':
      'the count rises by two where the visibility was changed',
    'a message stays hidden for twelve hours at most, counted from its receive': 'it can be hidden for longer',
    'standard: a delete by an old handle succeeds and deletes nothing': 'the message is deleted',
    'FIFO: none of a group is given out while one of it is in flight, other groups are': 'all of a group is given out',
    'FIFO: a deduplication id is remembered when its message is gone': 'it is forgotten with the message',
    'FIFO: a message tells a sequence number, which rises in its group': 'the tenth is below the ninth',
    'a batch may hold an entry that fails beside others that are sent': 'control characters are accepted',
    'standard: SQS keeps the SentTimestamp when it moves a message': 'it starts anew',
    'counts tell what is visible, in flight and delayed': 'what is in flight counts as visible too',
  },
  fauxqs: {
    'a message stays hidden for twelve hours at most, counted from its receive': 'it can be hidden for longer',
    'FIFO: a delete by an expired handle is refused and deletes nothing': 'the message is deleted',
    'a handle that never was one is a failed entry, not a success': 'any handle succeeds',
    'FIFO: a receive may hold several of a group, in their order': 'one of a group at most',
    'eleven attributes are one too many': 'they are accepted',
    'the trace header comes back as it was sent': 'it is lost',
    'a standard queue keeps a group id, and blocks nothing by it': 'it is lost',
    'SQS moves a message after maxReceiveCount receives: the same id and bytes, with the source ARN':
      'moved without the source ARN',
    'the queues whose RedrivePolicy points at a queue can be listed': 'there is no such call',
    'a move task moves a dead-letter queue whole and as it is, one at a time, and tells how far it is':
      'there are no move tasks',
    'a move task that is cancelled leaves what it has not moved': 'there are no move tasks',
    'a move task starts from no queue that is not a dead-letter queue of another': 'there are no move tasks',
  },
  elasticmq: {
    'a message stays hidden for twelve hours at most, counted from its receive': 'it can be hidden for longer',
    'a delete by the newest handle is for good, and can be repeated': 'a repeated delete is refused',
    'standard: a delete by an old handle succeeds and deletes nothing': 'it is refused',
    'FIFO: a delete by an expired handle is refused and deletes nothing': 'the message is deleted',
    'a batch may hold an entry that fails beside others that are sent':
      'control characters are refused with InvalidAttributeValue',
    'a message longer than its queue takes is a failed entry': "the queue's MaximumMessageSize is not kept",
    'a batch longer than 1 MiB is refused whole': 'it is refused with InvalidAttributeValue',
    'a queue tells its ARN, timeout, retention, size limit and policy': 'no retention and no size limit',
    'a move task moves a dead-letter queue whole and as it is, one at a time, and tells how far it is':
      'a second task is refused with UnsupportedOperation',
    'a move task that is cancelled leaves what it has not moved': 'a task that was cancelled is not listed',
    'a move task starts from no queue that is not a dead-letter queue of another': 'it starts from any queue',
  },
  moto: {
    'a message stays hidden for twelve hours at most, counted from its receive':
      'the whole batch is refused, not its entry',
    'standard: a delete by an old handle succeeds and deletes nothing': 'the message is deleted',
    'FIFO: a delete by an expired handle is refused and deletes nothing': 'the message is deleted',
    'FIFO: a repeated deduplication id is accepted, answered with the first MessageId, and dropped':
      'answered with a MessageId that no message has',
    'FIFO: a deduplication id is remembered when its message is gone': 'it is forgotten with the message',
    'FIFO: a message tells a sequence number, which rises in its group': 'the number is made up by chance',
    'a batch may hold an entry that fails beside others that are sent': 'control characters are accepted',
    'eleven attributes are one too many': 'they are accepted',
    'a message longer than its queue takes is a failed entry': "the queue's MaximumMessageSize is not kept",
    'the trace header comes back as it was sent': 'it is lost',
    'SQS moves a message after maxReceiveCount receives: the same id and bytes, with the source ARN':
      'moved without the source ARN',
    'a move task moves a dead-letter queue whole and as it is, one at a time, and tells how far it is':
      'there are no move tasks: an error page with status 500',
    'a move task that is cancelled leaves what it has not moved':
      'there are no move tasks: an error page with status 500',
    'a move task starts from no queue that is not a dead-letter queue of another':
      'there are no move tasks: an error page with status 500',
  },
  localstack: {
    'a message stays hidden for twelve hours at most, counted from its receive': 'it can be hidden for longer',
    'standard: a delete by an old handle succeeds and deletes nothing': 'the message is deleted',
    'a batch may hold an entry that fails beside others that are sent': "a refused entry is called the server's fault",
    'eleven attributes are one too many': 'they are accepted',
    'a move task that is cancelled leaves what it has not moved':
      'the first message is moved at once, whatever the rate',
  },
};
