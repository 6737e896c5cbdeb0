import { describe, expect, it } from 'vitest';
import type { WholeFailure } from '../../src/model/failure.ts';
import { describeFilter, type FilterWords, matches, parseFilter } from '../../src/model/filter.ts';
import { aFailure } from '../support/failure.ts';

const NOW = Date.parse('2026-11-30T14:00:00Z');

function fits(words: FilterWords, failure: Partial<WholeFailure> = {}): boolean {
  return matches(parseFilter(words, ['failed', 'pending']), aFailure(failure), NOW);
}

describe('a filter', () => {
  it('takes everything in the states of its command where nothing is asked', () => {
    expect(fits({})).toBe(true);
    expect(fits({}, { state: 'pending' })).toBe(true);
    expect(fits({}, { state: 'dismissed' })).toBe(false);
    expect(fits({ state: ['dismissed'] }, { state: 'dismissed' })).toBe(true);
    expect(fits({ state: ['failed,dismissed'] }, { state: 'pending' })).toBe(false);
  });

  it.each<[FilterWords, Partial<WholeFailure>]>([
    [{ queue: ['ord*'] }, {}],
    [{ queue: ['mail', 'orders'] }, {}],
    [{ reason: ['fail?d'] }, {}],
    [{ subject: ['urn:babel:orders:*'] }, {}],
    [{ origin: ['jadpo', 'sqs_app'] }, {}],
    [{ error: ['GATEWAY time'] }, {}],
    [{ error: ['gatewaytimeout'] }, {}],
    [{ trace: ['7B3F9C2A-E41D-4F88-9B2A-1C0D5E6F7A8B'] }, {}],
    [{ message_id: ['f1e2d3c4-b5a6-4789-90ab-cdef01234567'] }, {}],
    [{ fingerprint: ['0123456789ab'] }, {}],
    [{ since: '2h', before: '1h' }, {}],
    [{ since: '2h' }, { failed_at: null, sent_at: '2026-11-30T13:00:00.000Z' }],
    [{ where: ['data.order_id=1042', 'data.total>9'] }, { body: '{"data":{"order_id":1042,"total":10}}' }],
    [{ text: ['4f2a', 'payment'] }, {}],
    [{ text: ['total: required'] }, { problems: [{ field: 'total', rule: 'required' }] }],
  ])('%j takes the failure that it should', (words, failure) => {
    expect(fits(words, failure)).toBe(true);
  });

  it.each<[FilterWords, Partial<WholeFailure>]>([
    [{ queue: ['order'] }, {}],
    [{ queue: ['*'] }, { queue: null }],
    [{ queue: ['orders'], reason: ['poison'] }, {}],
    [{ subject: ['*'] }, { subject: null }],
    [{ origin: ['jadpo'] }, {}],
    [{ error: ['declined'] }, {}],
    [{ error: ['x'] }, { error: null, exception: null }],
    [{ trace: ['7b3f9c2a'] }, {}],
    [{ message_id: ['f1e2d3c4-b5a6-4789-90ab-cdef01234567'] }, { message_id: null }],
    [{ since: '1h' }, {}],
    [{ before: '2h' }, {}],
    [{ since: '1w' }, { failed_at: null, sent_at: null }],
    [{ before: '0s' }, { failed_at: null, sent_at: null }],
    [{ where: ['data.order_id=1042', 'data.total>9'] }, { body: '{"data":{"order_id":1042,"total":9}}' }],
    [{ where: ['a!=1'] }, { body: null, body_base64: '/w==' }],
    [{ text: ['payment', 'nowhere'] }, {}],
  ])('%j leaves out what it should', (words, failure) => {
    expect(fits(words, failure)).toBe(false);
  });

  it('counts the edge of since in and the edge of before out', () => {
    expect(fits({ since: '2026-11-30T12:00:00.000Z' })).toBe(true);
    expect(fits({ before: '2026-11-30T12:00:00.000Z' })).toBe(false);
  });

  it.each<[FilterWords, string]>([
    [{ state: ['lost'] }, 'failed, pending, dismissed'],
    [{ origin: ['sqs'] }, 'sqs_native, sqs_app, jadpo'],
    [{ since: 'yesterday' }, '--since 2h'],
    [{ since: '1h', before: '2h' }, '--since is the earlier end'],
    [{ since: '2026-12-01', before: '2026-11-01' }, '--since is the earlier end'],
    [{ queue: [''] }, '--queue orders*'],
    [{ message_id: [' '] }, '--message-id f1e2d3c4'],
    [{ where: ['order_id'] }, 'data.order_id=1042'],
  ])('%j is refused with a right example', (words, hint) => {
    expect(() => parseFilter(words, ['failed'])).toThrow(
      expect.objectContaining({ code: 'usage', exit: 2, hint: expect.stringContaining(hint) }),
    );
  });

  it('never prints what was typed unescaped', () => {
    const evil = '\u001b]52;c;eA==\u0007';
    expect(() => parseFilter({ state: [evil] }, ['failed'])).toThrow(/^[^\u0000-\u001f]*$/);
    expect(describeFilter(parseFilter({ queue: [evil], where: [`a=${evil}`] }, ['failed']))).not.toMatch(
      /[\u0000-\u001f]/,
    );
  });

  it('is described in words', () => {
    const words = { reason: ['failed'], queue: ['orders*', 'mail'], since: '2h', where: ['a=1'], error: ['time out'] };
    expect(describeFilter(parseFilter(words, ['failed']))).toBe(
      'reason failed, queue orders* or mail, since 2h ago, error with "time out", a=1',
    );
    expect(describeFilter(parseFilter({}, ['failed']))).toBe('');
    expect(describeFilter(parseFilter({ since: '2h' }, ['dismissed']))).toBe('dismissed since 2h ago');
  });
});
