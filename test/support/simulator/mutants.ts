import type { SendEntry, SqsClient } from '../../../src/adapters/sqs/client.ts';
import { SqsCallError } from '../../../src/adapters/sqs/client.ts';
import { tokenIn } from './messages.ts';

/** A mistake that a redrive could make, put between babelq and the service. */
export interface Mutant {
  name: string;
  /** What the invariants must say of it. */
  caughtAs: RegExp;
  spoil: (client: SqsClient) => SqsClient;
}

/** Each of these loses, doubles or changes messages; the schedules must find every one of them. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'takes a send for confirmed that never happened',
    caughtAs: /was lost/,
    spoil: (client) => ({
      ...client,
      sendBatch: async (_url, entries) => ({
        successful: entries.map(({ id }) => ({ id, messageId: '00000000-0000-4000-a000-000000000000' })),
        failed: [],
      }),
    }),
  },
  {
    name: 'takes an entry that failed for sent',
    caughtAs: /was lost/,
    spoil: (client) => ({
      ...client,
      async sendBatch(url, entries) {
        const { successful, failed } = await client.sendBatch(url, entries);
        const messageId = '00000000-0000-4000-a000-000000000000';
        return { successful: [...successful, ...failed.map(({ id }) => ({ id, messageId }))], failed: [] };
      },
    }),
  },
  {
    name: 'deletes before it sends',
    caughtAs: /was lost/,
    spoil(client) {
      const handles = new Map<number, { url: string; receiptHandle: string }>();
      return {
        ...client,
        async receive(url, request) {
          const messages = await client.receive(url, request);
          for (const { body, receiptHandle } of messages) handles.set(tokenIn(body), { url, receiptHandle });
          return messages;
        },
        async sendBatch(url, entries) {
          for (const { body } of entries) {
            const handle = handles.get(tokenIn(body));
            if (handle) await client.deleteBatch(handle.url, [{ id: '0', receiptHandle: handle.receiptHandle }]);
          }
          return client.sendBatch(url, entries);
        },
      };
    },
  },
  {
    name: 'sends again by itself what had no answer',
    caughtAs: /was doubled|sent .* times, and says/,
    spoil: (client) => ({
      ...client,
      async sendBatch(url, entries) {
        try {
          return await client.sendBatch(url, entries);
        } catch (error) {
          if (error instanceof SqsCallError && error.mayHaveHappened) return client.sendBatch(url, entries);
          throw error;
        }
      },
    }),
  },
  {
    name: 'keeps hidden what it should give back',
    caughtAs: /ended with .* hidden/,
    spoil: (client) => ({
      ...client,
      async changeVisibilityBatch(url, entries) {
        if (entries.every(({ seconds }) => seconds > 0)) return client.changeVisibilityBatch(url, entries);
        return { successful: entries.map(({ id }) => ({ id })), failed: [] };
      },
    }),
  },
  {
    name: 'parses the body and writes it anew',
    caughtAs: /where .* is right/,
    spoil: (client) => changingEntries(client, (entry) => ({ ...entry, body: rewritten(entry.body) })),
  },
  {
    name: 'loses the binary attributes',
    caughtAs: /with the attributes/,
    spoil: (client) =>
      changingEntries(client, (entry) => ({
        ...entry,
        attributes: Object.fromEntries(Object.entries(entry.attributes).filter(([, { type }]) => type !== 'Binary')),
      })),
  },
  {
    name: 'puts everything into one FIFO group',
    caughtAs: /with another group/,
    spoil: (client) =>
      changingEntries(client, (entry) => ({
        ...entry,
        ...(entry.deduplicationId !== undefined && { groupId: 'one' }),
      })),
  },
  {
    name: 'gives every message of a group the same deduplication id',
    caughtAs: /was lost/,
    spoil: (client) =>
      changingEntries(client, (entry) => ({
        ...entry,
        ...(entry.deduplicationId !== undefined && { deduplicationId: `same-${entry.groupId}` }),
      })),
  },
];

function changingEntries(client: SqsClient, change: (entry: SendEntry) => SendEntry): SqsClient {
  return { ...client, sendBatch: (url, entries) => client.sendBatch(url, entries.map(change)) };
}

function rewritten(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
