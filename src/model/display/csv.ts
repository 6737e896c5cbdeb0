import { escapeText } from './escape.ts';

/** What spreadsheets take as the beginning of a formula, also after spaces and in full width. */
const FORMULA = /^\s*[=+\-@＝＋－＠]/;

/**
 * A line of CSV as RFC 4180 has it, with its CR LF. Null is an empty cell. Texts are escaped as for a terminal (so no
 * cell holds a line end), and one that a spreadsheet would take for a formula gets an apostrophe before it; numbers and
 * booleans are written as they are.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const escaped = escapeText(value);
  const text = FORMULA.test(escaped) ? `'${escaped}` : escaped;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
