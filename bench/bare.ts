/**
 * What babelq is measured against: the least that the SDK must do, with nothing checked, journaled or remembered. Each
 * lane ends at its first empty long poll, as anything must that doesn't know how much is there.
 *   bare.ts redrive <queue> <in flight>
 *   bare.ts list <queue> <in flight>
 *   bare.ts list-and-release <queue> <in flight>
 */
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

const [what = '', queue = '', inFlight = ''] = process.argv.slice(2);
const endpoint = process.env.AWS_ENDPOINT_URL;
const client = new SQSClient({ useQueueUrlAsEndpoint: false, ...(endpoint !== undefined && { endpoint }) });

async function urlOf(name: string): Promise<string> {
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
  if (QueueUrl === undefined) throw new Error(`no queue ${name}`);
  return QueueUrl;
}

const source = await urlOf(`${queue}-dlq`);
const target = await urlOf(queue);

async function receive(): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: source,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 120,
      WaitTimeSeconds: 1,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages;
}

const handles = (received: Message[]) =>
  received.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle: ReceiptHandle ?? '' }));

async function redrive(): Promise<void> {
  for (let received = await receive(); received.length > 0; received = await receive()) {
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl: target,
        Entries: received.map(({ Body, MessageAttributes }, index) => ({
          Id: String(index),
          MessageBody: Body ?? '',
          MessageAttributes,
        })),
      }),
    );
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: source, Entries: handles(received) }));
  }
}

const held: Message[] = [];

async function list(): Promise<void> {
  for (let received = await receive(); received.length > 0; received = await receive()) held.push(...received);
}

async function release(): Promise<void> {
  for (let batch = held.splice(0, 10); batch.length > 0; batch = held.splice(0, 10)) {
    await client.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: source,
        Entries: handles(batch).map((entry) => ({ ...entry, VisibilityTimeout: 0 })),
      }),
    );
  }
}

const lanes = (work: () => Promise<void>) => Promise.all(Array.from({ length: Number(inFlight) }, work));
if (what === 'redrive') await lanes(redrive);
else await lanes(list);
if (what === 'list-and-release') await lanes(release);
