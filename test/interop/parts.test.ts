import { expect, inject, test } from 'vitest';

const required = inject('required');
const parts = inject('parts');

test.each(required)('%s is there, unless this machine can not have it', (name) => {
  const part = parts.find((one) => one.name === name);
  expect(part, `no part is named ${name}`).toBeDefined();
  expect(part?.state, part?.why ?? '').not.toBe('failed');
});
