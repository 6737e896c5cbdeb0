import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blank } from '../../../src/model/fingerprint/blank.ts';
import { fingerprint } from '../../../src/model/fingerprint.ts';
import { CORPUS } from './corpus.ts';

const cause = { origin: 'sqs_app', reason: 'failed', subject: 'urn:babel:orders:created', exception: null } as const;

describe('the corpus of real-looking errors', () => {
  it('is large enough to mean something', () => {
    expect(Object.keys(CORPUS).length).toBeGreaterThanOrEqual(20);
    expect(Object.values(CORPUS).flat().length).toBeGreaterThanOrEqual(60);
  });

  it.each(Object.entries(CORPUS))('groups one cause together: %s', (_name, errors) => {
    expect([...new Set(errors.map(blank))]).toHaveLength(1);
  });

  it('keeps different causes apart', () => {
    const seen = new Map<string, string>();
    for (const [name, [error = '']] of Object.entries(CORPUS)) {
      const print = fingerprint({ ...cause, error });
      expect(seen.get(print), `${name} came out as another cause: ${blank(error)}`).toBeUndefined();
      seen.set(print, name);
    }
  });
});

describe('blank', () => {
  it.each([
    ["can't write 'x' to disk", "can't write * to disk"],
    ['redis://:secret@[fe80::1%eth0]:6379/0 is gone', 'redis://*/* is gone'],
    ['see (https://status.example.com/incidents/9f8e7d?x=y).', 'see (https://status.example.com/incidents/*).'],
    ['HTTP/1.1 503 Service Unavailable', 'HTTP/* 503 Service Unavailable'],
    ['\u8ba2\u53551042\u4e0d\u5b58\u5728', '\u8ba2\u5355*\u4e0d\u5b58\u5728'],
    ['{"code": "declined", "at": 17}', '{"code": *, "at": *}'],
    ['reservation deadbeefcafe of Nov 30, 2026 2:02 PM', 'reservation * of *'],
    ['a quote " that is never closed', 'a quote " that is never closed'],
    ['', ''],
  ])('%s', (error, blanked) => {
    expect(blank(error)).toBe(blanked);
  });

  it('comes out the same whatever the ids, numbers, times and addresses in a sentence', () => {
    const varying = fc.oneof(
      fc.uuid(),
      fc.integer().map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.ipV4().map((ip) => `${ip}:6379`),
      fc.emailAddress().filter((mail) => /^[\w.+-]+@[\w.-]+$/.test(mail)),
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', 'z', '7', ':') }).map((text) => `"${text}"`),
    );
    fc.assert(fc.property(varying, (value) => blank(`order ${value} is late`) === 'order * is late'));
  });

  it('reads a hostile megabyte in no time', () => {
    const parts = [
      "'a",
      "('x",
      '"',
      '1.',
      'a@',
      'http://',
      '[http://[',
      '\\',
      ' ',
      ':',
      '/',
      'jan ',
      'a1',
      '{"a":',
      '-',
      '*,',
    ];
    for (const part of parts) {
      const error = part.repeat(Math.ceil(1_048_576 / part.length));
      const start = performance.now();
      blank(error);
      expect(performance.now() - start, part).toBeLessThan(10_000);
    }
  });

  it('says the same of a long error whatever the length of the values before the cut', () => {
    const long = (id: string) => `order ${id} failed\n${`    at handle (/app/${id}.js:1:2)\n`.repeat(2000)}`;
    expect(blank(long('7'))).toBe(blank(long('1000000000042')));
  });
});

describe('fingerprint', () => {
  it('is twelve hex digits', () => {
    expect(fingerprint({ ...cause, error: null })).toMatch(/^[0-9a-f]{12}$/);
  });

  it('tells apart by origin, reason, subject, exception, error and problems', () => {
    const error = 'Payment gateway timeout';
    const prints = [
      { ...cause, error },
      { ...cause, error: null },
      { ...cause, error: '' },
      { ...cause, error, exception: 'GatewayTimeout' },
      { ...cause, error, subject: null },
      { ...cause, error, reason: 'expired' },
      { ...cause, error, origin: 'jadpo' as const },
      { ...cause, error, problems: [{ field: 'total', rule: 'required' }] },
      { ...cause, error, problems: [{ field: 'total', rule: 'decimal' }] },
    ].map(fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('takes problems in any order and at any index as the same', () => {
    const of = (...fields: string[]) =>
      fingerprint({ ...cause, error: null, problems: fields.map((field) => ({ field, rule: 'required' })) });
    expect(of('items.0.sku', 'total')).toBe(of('total', 'items.12.sku', 'items.3.sku'));
  });
});
