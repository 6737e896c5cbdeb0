import { expect, test } from 'vitest';
import { versionGate } from '../../src/model/version-gate.ts';

const gate = (value: string, type = 'Number') => versionGate({ 'bq-schema-version': { type, value } });

test.each(['1', '', ' ', '\t', '\n', '\v', '\f', '\r', ' \t\n\v\f\r '])('%j passes', (value) => {
  expect(gate(value)).toEqual({ passed: true, refused: null });
});

test.each([
  ...['2', '01', 'x', ' 1', '1 ', '\t1\n', '1.0', '+1', '１'],
  ...['\u00a0', '\u0085', '\u3000', '\ufeff', '\u00a01', '1\u0085', '\u30001', '1\ufeff', '\u2028', '\u0000'],
])('%j is refused', (value) => {
  expect(gate(value)).toEqual({ passed: false, refused: value });
});

test('an attribute that is absent or has no text leaves it to the body', () => {
  expect(versionGate({}).passed).toBe(true);
  expect(versionGate({ 'Bq-Schema-Version': { type: 'Number', value: '2' } }).passed).toBe(true);
  expect(gate('Mg==', 'Binary').passed).toBe(true);
  expect(gate('2', 'String.custom').passed).toBe(false);
});

test('a refused version is shown by its first 64 characters', () => {
  expect(gate('v'.repeat(64)).refused).toBe('v'.repeat(64));
  expect(gate('v'.repeat(65)).refused).toBe(`${'v'.repeat(64)}...`);
  expect(gate('😀'.repeat(64)).refused).toBe('😀'.repeat(64));
  expect(gate('😀'.repeat(200_000)).refused).toBe(`${'😀'.repeat(64)}...`);
});
