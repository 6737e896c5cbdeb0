import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PERMISSIONS, type Permission } from '../src/model/doctor/permissions.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/permissions.md'), 'utf8');
const TABLE: readonly Permission[] = PERMISSIONS;

/** The actions that the policy below a heading allows. */
function allowed(heading: string): string[] {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
  const policy = JSON.parse(/^```json\n([\s\S]*?)^```/m.exec(section)?.[1] ?? '{}') as {
    Statement: { Effect: string; Action: string[] }[];
  };
  expect(policy.Statement.every(({ Effect }) => Effect === 'Allow')).toBe(true);
  return [...new Set(policy.Statement.flatMap(({ Action }) => Action))].sort();
}

const named = (uses: readonly Permission['use'][]) =>
  TABLE.filter(({ use }) => uses.includes(use))
    .map(({ name }) => name)
    .sort();

test('the policy for looking allows what looking needs, and nothing that deletes or sends', () => {
  expect(allowed('Only looking')).toEqual(named(['look']));
});

test('the policy for acting adds what acting needs', () => {
  expect([...new Set([...allowed('Only looking'), ...allowed('Acting too')])].sort()).toEqual(
    named(['look', 'act', 'native']),
  );
  // To send to an encrypted queue, SQS also decrypts the data key.
  expect(allowed('Acting too').filter((action) => action !== 'kms:Decrypt')).toEqual(named(['act', 'native']));
});

test('the page says of each permission what is lost without it', () => {
  for (const { name, on } of TABLE) expect(PAGE).toContain(`| \`${name}\` | ${on.join(', ')} |`);
});
