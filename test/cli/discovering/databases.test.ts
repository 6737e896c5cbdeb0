import { expect, test } from 'vitest';
import { databaseSetting } from '../../../src/cli/discovering/databases.ts';

test.each([
  'postgres://ana:hunter2@db/shop',
  'postgres://ana@shop:hunter2@db/shop',
  'postgres://db/shop?password=hunter2',
  'postgres://db/shop?%70assword=hunter2',
])('the password of %s is not written into the configuration', (url) => {
  const { value, note } = databaseSetting(url, '/etc', {});
  expect(value).toBe(`\${DATABASE_URL}`);
  expect(note).toContain('holds a secret');
});

test('an address without a secret is written as it is, one that a variable has as the variable, and a path from where the file lies', () => {
  expect(databaseSetting('postgres://ana@db/shop', '/etc', {})).toEqual({
    value: 'postgres://ana@db/shop',
    note: null,
  });
  const env = { SHOP: 'postgres://ana:hunter2@db/shop' };
  expect(databaseSetting('postgres://ana:hunter2@db/shop', '/etc', env).value).toBe(`\${SHOP}`);
  expect(databaseSetting('/srv/app/local.sqlite', '/srv', {}).value).toBe('./app/local.sqlite');
});
