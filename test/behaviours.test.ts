import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectSqs } from '../src/adapters/sqs/aws-client.ts';
import { BEHAVIOURS, type BehaviourServer } from './support/behaviours.ts';
import { type SqsServer, startFauxqs, startLocalAwsSqs } from './support/servers.ts';
import { simulatedServer } from './support/simulator/behaviour-server.ts';

let made = 0;
const naming = () => {
  made += 1;
  const stem = `behaviour-${made}`;
  return (suffix = '') => `${stem}${suffix}`;
};

describe('the simulator behaves as SQS does', () => {
  it.each(BEHAVIOURS)('$name', async ({ check }) => {
    const server = simulatedServer();
    await server.run(check(server, naming()));
  });
});

/** Where an emulator is known to behave otherwise, by the behaviour's name (emulator-faults.ts says more). */
const DIFFERENT: Record<SqsServer['name'], readonly string[]> = {
  'local-aws-sqs': [
    'a message given back is visible at once, and its receive count rises by one a look',
    'a message stays hidden for twelve hours at most, counted from its receive',
    'standard: a delete by an old handle succeeds and deletes nothing',
    'FIFO: none of a group is given out while one of it is in flight, other groups are',
    'FIFO: a deduplication id is remembered when its message is gone',
    'a batch may hold an entry that fails beside others that are sent',
    'standard: SQS keeps the SentTimestamp when it moves a message',
    'counts tell what is visible, in flight and delayed',
  ],
  fauxqs: [
    'a message stays hidden for twelve hours at most, counted from its receive',
    'FIFO: a delete by an expired handle is refused and deletes nothing',
    'a handle that never was one is a failed entry, not a success',
    'FIFO: a receive may hold several of a group, in their order',
    'eleven attributes are one too many',
    'the trace header comes back as it was sent',
    'a standard queue keeps a group id, and blocks nothing by it',
    'SQS moves a message after maxReceiveCount receives: the same id and bytes, with the source ARN',
    'the queues whose RedrivePolicy points at a queue can be listed',
    'a move task moves a dead-letter queue whole and as it is, one at a time, and tells how far it is',
    'a move task that is cancelled leaves what it has not moved',
    'a move task starts from no queue that is not a dead-letter queue of another',
  ],
};

describe.each([
  { emulator: 'local-aws-sqs' as const, start: startLocalAwsSqs },
  { emulator: 'fauxqs' as const, start: startFauxqs },
])('$emulator behaves as SQS does, but where it is known not to', ({ emulator, start }) => {
  let server: SqsServer;
  let checked: BehaviourServer;

  beforeAll(async () => {
    server = await start();
    Object.assign(process.env, server.environment);
    checked = {
      client: await connectSqs({ endpoint: server.endpoint, region: server.region }),
      create: (name, attributes, deadLetter) => server.createQueue(name, attributes, deadLetter),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    };
  });

  afterAll(async () => {
    checked.client.close();
    await server.close();
  });

  it.concurrent.each(BEHAVIOURS.filter(({ long }) => !long))('$name', async ({ name, check }) => {
    const checking = check(checked, naming());
    // One that was mended is to be taken off the list.
    if (DIFFERENT[emulator].includes(name)) await expect(checking).rejects.toThrow();
    else await checking;
  });
});
