import type { BehaviourServer } from '../behaviours.ts';
import { VirtualTime } from './clock.ts';
import { Faults, NO_FAULTS } from './faults.ts';
import { SimulatedProcess } from './process.ts';
import { Random } from './random.ts';
import type { QueueWish } from './sqs.ts';
import { SimulatedSqs } from './sqs.ts';

/** The simulator as a server to check behaviours on: nothing goes wrong on the way, and it does nothing rare. */
export function simulatedServer(): BehaviourServer & { run<T>(work: Promise<T>): Promise<T> } {
  const time = new VirtualTime();
  const random = new Random(1);
  const sqs = new SimulatedSqs(time, random);
  const client = new SimulatedProcess('client', time).client(sqs, new Faults(NO_FAULTS, null, time, random));
  return {
    client,
    async create(name, attributes = {}, deadLetter) {
      const number = (key: string) => (attributes[key] === undefined ? undefined : Number(attributes[key]));
      const wish: Partial<Record<keyof QueueWish, unknown>> = {
        visibilitySeconds: number('VisibilityTimeout'),
        retentionSeconds: number('MessageRetentionPeriod'),
        delaySeconds: number('DelaySeconds'),
        maximumMessageSize: number('MaximumMessageSize'),
        inFlightLimit: number('InFlightLimit'),
        redrive: deadLetter && {
          target: sqs.queues.get(deadLetter.queue),
          maxReceiveCount: deadLetter.maxReceiveCount,
        },
      };
      const given = Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined));
      const { url, arn } = sqs.create(name, given as QueueWish);
      return { url, arn };
    },
    wait: (ms) => time.sleep(ms),
    run: (work) => time.run(work),
  };
}
