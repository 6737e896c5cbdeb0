import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

interface Import {
  file: string;
  target: string;
}

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|js)$/.test(file))
    .map((file) => join(SRC, file));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:^import\s+|\bfrom\s+|\bimport\s*\(\s*)'([^']+)'/gm)].map((match) => ({
    file,
    target: match[1] ?? '',
  }));
}

/** `src/model`, `src/adapters/sqs`, `src/cli`…: the part of the tree that a file belongs to. */
function partOf(path: string): string {
  const [first = '', second = ''] = relative(SRC, path).split('/');
  return first === 'adapters' ? `adapters/${second}` : first;
}

const INTERNAL = sourceFiles()
  .flatMap(importsOf)
  .filter(({ target }) => target.startsWith('.'))
  .map(({ file, target }) => ({ file, from: partOf(file), to: partOf(resolve(dirname(file), target)) }));

const name = (file: string): string => relative(SRC, file);

test('the tree was read', () => {
  expect(INTERNAL.length).toBeGreaterThan(20);
});

test('the model imports nothing of the outside', () => {
  expect(INTERNAL.filter(({ from, to }) => from === 'model' && to !== 'model')).toEqual([]);
});

test('the model imports only pure packages', () => {
  const pure = new Set([
    'node:buffer',
    'node:crypto',
    'string-width',
    '@noble/hashes/sha2.js',
    '@noble/hashes/utils.js',
  ]);
  const foreign = sourceFiles()
    .filter((file) => partOf(file) === 'model')
    .flatMap(importsOf)
    .filter(({ target }) => !target.startsWith('.') && !pure.has(target))
    .map(({ file, target }) => `${name(file)}: ${target}`);
  expect(foreign).toEqual([]);
});

test('an adapter imports the model, itself and the way to PostgreSQL, never another adapter or a face', () => {
  const wrong = INTERNAL.filter(
    ({ from, to }) => from.startsWith('adapters/') && to !== from && to !== 'model' && to !== 'adapters/postgres',
  );
  expect(wrong).toEqual([]);
});

test('only the composition root knows the adapters', () => {
  const knowing = INTERNAL.filter(({ from, to }) => !from.startsWith('adapters/') && to.startsWith('adapters/'));
  expect(new Set(knowing.map(({ file }) => name(file)))).toEqual(new Set(['cli/open.ts']));
});

test('the screens know nothing of the command line', () => {
  expect(INTERNAL.filter(({ from, to }) => from === 'tui' && to === 'cli')).toEqual([]);
});
