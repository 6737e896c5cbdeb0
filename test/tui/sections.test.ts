import { expect, test } from 'vitest';
import { itemFor } from '../../src/model/plan.ts';
import { resultLines } from '../../src/tui/state/result.ts';
import { Sections } from '../../src/tui/work/sections.ts';

const REPORT = {
  action: 'retry',
  run: 'run-1',
  dry_run: false,
  matched: 1500,
  done: 1499,
  skipped: 0,
  failed: 1,
  uncertain: 0,
} as const;

test('what came back stands first, though it was done; of very many done not all are listed, and it says where they are', () => {
  const sections = new Sections();
  for (let at = 0; at < 1498; at += 1) sections.add(itemFor(`orders/${at}`, 'failed', 'done', { to: 'orders' }));
  sections.add(itemFor('orders/back', 'failed', 'done', { to: 'orders', returned: true, detail: 'It came back.' }));
  sections.add(itemFor('orders/lost', 'failed', 'failed', { detail: 'Refused.' }));
  expect(sections.all.map(({ kind, count }) => [kind, count])).toEqual([
    ['returned', 1],
    ['failed', 1],
    ['done', 1498],
  ]);
  const lines = resultLines({
    report: REPORT,
    parts: [],
    interrupted: false,
    lines: ['Retried 1,499 of 1,500 messages: 1 failed.'],
    error: null,
    sections: sections.all,
  });
  expect(lines[0]).toMatchObject({ tone: 'bad' });
  const texts = lines.map(({ text }) => text);
  expect(texts.slice(1, 5)).toEqual(['', 'Came back  1', '  It came back.', '    orders/back → orders']);
  expect(texts.at(-1)).toBe('  and 498 messages more: babelq log --run run-1 --limit all');
});
