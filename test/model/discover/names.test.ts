import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DiscoveredQueue } from '../../../src/model/discover/found.ts';
import { nameAll } from '../../../src/model/discover/names.ts';

type Unnamed = Omit<DiscoveredQueue, 'name'>;

function found(name: string, region: string | null = null, profile: string | null = null): Unnamed {
  return { queue: { name }, place: { reach: { region, profile, endpoint: null } } } as unknown as Unnamed;
}
const names = (...all: Unnamed[]) => nameAll(all).map(({ name }) => name);

test('a name is as short as it can be while it is the only one', () => {
  expect(names(found('orders-dlq'), found('payments-dlq.fifo'), found('parking'))).toEqual([
    'orders',
    'payments',
    'parking',
  ]);
  expect(names(found('orders-dlq'), found('orders-dlq.fifo'), found('orders'))).toContain('orders.fifo');
  expect(names(found('orders-dlq', 'eu-west-1'), found('orders-dlq', 'us-east-1'))).toEqual([
    'orders-eu-west-1',
    'orders-us-east-1',
  ]);
  expect(names(found('_-dlq'), found('-dlq'))).toEqual(['queue', 'dlq']);
});

test('whatever is found, every name is unique and one that a configuration takes', () => {
  const queue = fc.stringMatching(/^[A-Za-z0-9_-]{1,75}(\.fifo)?$/);
  const one = fc.tuple(queue, fc.option(fc.constantFrom('eu-west-1', 'us-east-1')), fc.option(fc.string()));
  fc.assert(
    fc.property(fc.array(one, { maxLength: 12 }), (all) => {
      const given = nameAll(all.map(([name, region, profile]) => found(name, region, profile))).map(({ name }) => name);
      expect(new Set(given).size).toBe(all.length);
      for (const name of given) expect(name).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u);
    }),
  );
});
