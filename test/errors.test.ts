import { expect, test } from 'vitest';
import { sourceNodes } from './support/texts.ts';

test('every error that a person can meet says what to do about it', () => {
  const errors = [...sourceNodes()].filter(
    ({ node }) => node.type === 'NewExpression' && /^(?:BabelqError|OutcomeUnknown)$/.test(node.callee.name),
  );
  expect(errors.length).toBeGreaterThan(100);
  const without = errors.filter(({ node }) => {
    const [code, , details] = node.arguments;
    // A fault of babelq's own: whoever meets it is told to report it.
    if (code?.value === 'internal') return false;
    if (details?.type !== 'ObjectExpression') return details === undefined;
    return !details.properties.some(
      (one: { type: string; key?: { name: string } }) => one.type !== 'Property' || one.key?.name === 'hint',
    );
  });
  expect(without.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
});
