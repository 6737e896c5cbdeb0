import { expect, test } from 'vitest';
import { sayCode } from '../../../src/adapters/sqs/say-code.ts';

test.each([
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9324', 'connect ECONNREFUSED 127.0.0.1:9324'],
  ['InvalidMessageContents', 'no', 'InvalidMessageContents: no'],
  ['ServiceUnavailable', '', 'ServiceUnavailable'],
])('%s is said once, with its sentence %j', (code, message, said) => {
  expect(sayCode(code, message)).toBe(said);
});
