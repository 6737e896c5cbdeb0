import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { escapeText } from '../../../src/model/display/escape.ts';
import { type Column, layOut } from '../../../src/model/display/table.ts';

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'QUEUE', least: 8, drop: 1 },
  { title: 'SUBJECT', least: 14, cut: 'start' },
  { title: 'REASON', least: 8 },
  { title: 'TRIES', align: 'right', drop: 3 },
  { title: 'ERROR', least: 12, drop: 2 },
];

const word = fc
  .array(fc.constantFrom('a', 'é', '漢', '👩‍👩‍👧', 'urn:babel:', '\u001b[31m', 'ｆ', '\u0301', ' '), { maxLength: 40 })
  .map((parts) => escapeText(parts.join('')));
const row = fc.tuple(
  fc.stringMatching(/^[0-9a-f]{8}$/),
  word,
  word,
  word,
  fc.integer({ min: 0, max: 9999 }).map(String),
  word,
);
const cells = (rows: readonly (readonly string[])[]) => rows.map((texts) => texts.map((text) => ({ text })));

test('no line is wider than the terminal, and every id is whole, whatever the texts', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), fc.integer({ min: 40, max: 200 }), (rows, width) => {
      const [, ...lines] = layOut(COLUMNS, cells(rows), width);
      expect(lines).toHaveLength(rows.length);
      lines.forEach((line, at) => {
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
        expect(line.startsWith(rows[at]?.[0] ?? '')).toBe(true);
      });
    }),
  );
});

test('into a pipe nothing is cut and no column is missing', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
      const [title = '', ...lines] = layOut(COLUMNS, cells(rows), null);
      expect(title.split(/ +/)).toEqual(['ID', 'QUEUE', 'SUBJECT', 'REASON', 'TRIES', 'ERROR']);
      lines.forEach((line, at) => {
        for (const text of rows[at] ?? []) expect(line).toContain(text.trimEnd());
      });
    }),
  );
});

test('columns stand under each other, wide characters counted', () => {
  const rows = cells([
    ['1', '注文', 'x', 'r', '3', 'e'],
    ['2', 'orders', 'x', 'r', '12', 'e'],
  ]);
  expect(layOut(COLUMNS, rows, 80)).toEqual([
    'ID  QUEUE   SUBJECT  REASON  TRIES  ERROR',
    '1   注文    x        r           3  e',
    '2   orders  x        r          12  e',
  ]);
});

test('where it is narrow, empty columns go first, then the least needed, and the start of a URN before its end', () => {
  const rows = cells([['4f2a91c3', '–', 'urn:babel:orders:created', 'failed', '3', 'Payment gateway timeout']]);
  expect(layOut(COLUMNS, rows, 60)).toEqual([
    'ID        SUBJECT            REASON  TRIES  ERROR',
    expect.stringMatching(/^4f2a91c3 {2}….*orders:created {2}failed {6}3 {2}Payment.*…$/),
  ]);
  expect(layOut(COLUMNS, rows, 40)[1]).toMatch(/^4f2a91c3 {2}….*:created {2}failed$/);
});
