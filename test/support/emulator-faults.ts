/**
 * Where the SQS emulators that the tests run on differ from SQS, one line each. The product knows none of this: a test
 * that meets one runs on the other emulator, or asserts what is true on both.
 */
export const EMULATOR_FAULTS: Readonly<Record<'local-aws-sqs' | 'fauxqs', readonly string[]>> = {
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
    'a queue URL names a host under sqs.<region>, which does not resolve',
    'a delete by an expired handle deletes on a FIFO queue, and one by nonsense "succeeds"',
    'a standard queue forgets the MessageGroupId',
    'a message can be kept hidden for more than twelve hours',
  ],
};
