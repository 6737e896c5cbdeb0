import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectSqs } from '../src/adapters/sqs/aws-client.ts';
import { BEHAVIOURS, type BehaviourServer } from './support/behaviours.ts';
import { DIFFERENT_BEHAVIOURS } from './support/emulator-faults.ts';
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
    if (name in DIFFERENT_BEHAVIOURS[emulator]) await expect(checking).rejects.toThrow();
    else await checking;
  });
});
