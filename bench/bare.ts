/**
 * What babelq is measured against: the least that the SDK must do, with nothing checked, journaled or remembered.
 *   bare.ts redrive <queue> <messages> <in flight>
 *   bare.ts list <queue> <messages> <in flight>
 *   bare.ts list-and-release <queue> <messages> <in flight>
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

const [what = '', queue = '', messages = '', inFlight = ''] = process.argv.slice(2);
const endpoint = process.env.AWS_ENDPOINT_URL;
const client = new SQSClient({ useQueueUrlAsEndpoint: false, ...(endpoint !== undefined && { endpoint }) });

async function urlOf(name: string): Promise<string> {
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
  if (QueueUrl === undefined) throw new Error(`no queue ${name}`);
  return QueueUrl;
}

const source = await urlOf(`${queue}-dlq`);
const target = await urlOf(queue);
let left = Number(messages);

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
  left -= Messages.length;
  return Messages;
}

const handles = (received: Message[]) =>
  received.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle: ReceiptHandle ?? '' }));

async function redrive(): Promise<void> {
  while (left > 0) {
    const received = await receive();
    if (received.length === 0) continue;
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
  while (left > 0) held.push(...(await receive()));
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
