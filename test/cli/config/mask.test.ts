import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskedAddress } from '../../../src/adapters/postgres/address.ts';
import { maskSecrets } from '../../../src/cli/config/mask.ts';

test.each([
  ['postgres://ana:hunter2@db:5432/shop', [], 'postgres://ana:***@db:5432/shop'],
  ['postgres://ana:hu/nt@er2@db/shop', [], 'postgres://ana:***@db/shop'],
  ['postgres://:hunter2@db/shop', [], 'postgres://:***@db/shop'],
  ['POSTGRESQL://ana:hunter2@db/shop', [], 'POSTGRESQL://ana:***@db/shop'],
  [
    'postgres://db/shop?user=ana&password=hunter2&sslmode=require',
    [],
    'postgres://db/shop?user=ana&password=***&sslmode=require',
  ],
  ['http://proxy:hunter2@10.0.0.1:3128', [], 'http://proxy:***@10.0.0.1:3128'],
  ['host=db password=hunter2 user=ana', [], 'host=db password=*** user=ana'],
  // A user's name as Azure's PostgreSQL has them.
  ['postgres://ana@shop:hunter2@db/shop', [], 'postgres://ana@shop:***@db/shop'],
  ['postgres://ana:hunter2', [], 'postgres://ana:***'],
  ['postgres://db/shop?%70assword=hun&ter2&user=ana', [], 'postgres://db/shop?%70assword=***&user=ana'],
  ['postgres://db:5432/shop?password=hun@ter2', [], 'postgres://db:5432/shop?password=***'],
  ['http://[::1]:4566', [], 'http://[::1]:4566'],
  ['http://localhost:4566/000000000000/orders-dlq', [], 'http://localhost:4566/000000000000/orders-dlq'],
  ['hunter2', ['DB_PASSWORD'], '***'],
  ['postgres://ana:hunter2@db/shop', ['DATABASE_URL'], 'postgres://ana:***@db/shop'],
  ['orders-dlq', ['QUEUE'], 'orders-dlq'],
  ['postgres://ana@db:5432/shop', [], 'postgres://ana@db:5432/shop'],
  ['/var/lib/babelq/journal.db', ['STATE'], '/var/lib/babelq/journal.db'],
])('%j with %j is shown as %j', (value, variables, shown) => {
  expect(maskSecrets(value, variables)).toEqual({ value: shown, masked: shown !== value });
});

test('no password of a URL is ever shown, whatever it is made of, and by one rule', () => {
  const password = fc.string({ minLength: 1 }).map((text) => `<${text}>`);
  fc.assert(
    fc.property(password, fc.webAuthority(), (secret, host) => {
      const { value } = maskSecrets(`postgres://ana:${secret}@${host.replace(/^.*@/, '')}/shop`, []);
      expect(value).not.toContain(secret);
      const encoded = `postgres://ana:${encodeURIComponent(secret)}@db/shop`;
      expect(maskedAddress(encoded)).toBe(maskSecrets(encoded, []).value);
    }),
  );
});
