import { expect, test } from 'vitest';
import { unusableProxy } from '../../../src/adapters/sqs/network.ts';

test.each([
  ['22.13.0', 'HTTPS_PROXY'],
  ['24.4.1', 'HTTPS_PROXY'],
  ['22.21.0', null],
  ['24.5.0', null],
  ['26.0.0', null],
])('on Node %s a proxy that is set but not used is known: %s', (version, name) => {
  expect(unusableProxy({ HTTPS_PROXY: 'http://proxy:3128' }, version)).toBe(name);
  expect(unusableProxy({}, version)).toBe(null);
});
