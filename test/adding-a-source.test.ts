import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const EXAMPLE = join(ROOT, 'test/support/example-source');

const lines = (text: string) => text.split('\n').map((line) => line.trim());

test('the guide to adding a source shows what the example does', () => {
  const guide = readFileSync(join(ROOT, 'docs/adding-a-source.md'), 'utf8');
  const sources = readdirSync(EXAMPLE).map((file) => lines(readFileSync(join(EXAMPLE, file), 'utf8')).join('\n'));
  const blocks = [...guide.matchAll(/```ts\n([\s\S]*?)\n *```/g)].map(([, block]) => lines(block ?? '').join('\n'));
  expect(blocks).toHaveLength(4);
  for (const block of blocks)
    expect(
      sources.some((source) => source.includes(block)),
      block,
    ).toBe(true);
});
