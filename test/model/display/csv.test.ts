import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/model/display/csv.ts';
import { escapeText } from '../../../src/model/display/escape.ts';

/** Reads one line as RFC 4180 has it. */
function readLine(line: string): string[] {
  return [...line.replace(/\r\n$/, ',').matchAll(/(?:"((?:[^"]|"")*)"|([^",]*)),/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

describe('CSV', () => {
  it('reads back as the escaped texts, with an apostrophe where a spreadsheet would calculate', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (cells) => {
        const line = csvLine(cells);
        expect(line.slice(0, -2)).not.toMatch(/[\u0000-\u001f]/);
        expect(readLine(line).map((cell) => cell.replace(/^'(?=\s*[=+\-@＝＋－＠])/, ''))).toEqual(
          cells.map((cell) => escapeText(cell).replace(/^'(?=\s*[=+\-@＝＋－＠])/, '')),
        );
      }),
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '＝1', '=HYPERLINK("http://x";"y")'])('guards %s', (formula) => {
    expect(readLine(csvLine([formula]))).toEqual([`'${formula}`]);
  });

  it('writes numbers, nulls and booleans as they are', () => {
    expect(csvLine([-5, null, true, 'a,b', 'say "x"', ''])).toBe('-5,,true,"a,b","say ""x""",\r\n');
  });
});
