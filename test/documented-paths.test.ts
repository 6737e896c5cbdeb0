import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true });
const PAGES = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const quotedIn = (text: string, what: RegExp) => [...text.matchAll(what)].map(([, found]) => found ?? '');

test('every path of the repository that a page names is there', () => {
  const named = PAGES.flatMap((page) =>
    quotedIn(read(page), /`((?:src|test|docs|bench|demo|scripts)\/[\w./-]+)`/g).map((path) => ({ page, path })),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the pages on architecture and engine name only files that are there', () => {
  const files = SRC.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const outside = quotedIn(read('docs/engine.md') + read('docs/architecture.md'), /`([\w./-]+\.(?:tsx?|js))`/g)
    .filter((path) => !/^(src|test|scripts)\//.test(path))
    .filter((path) => !files.some((file) => file.endsWith(`/${path.replace(/^\.\.\//, '')}`)));
  expect(outside).toEqual([]);
});

test('the page on architecture names every folder of src', () => {
  const page = read('docs/architecture.md');
  const folders = SRC.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.filter((name) => !page.includes(`${name}/\``) && !page.includes(`/${name}\``))).toEqual([]);
});

test('the page on the engine names every file of it, and every state of an entry', () => {
  const page = read('docs/engine.md');
  const files = readdirSync(join(ROOT, 'src/adapters/sqs/redrive')).map((file) => basename(file));
  expect(files.filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
  const states = /type EntryState = (.*);/.exec(read('src/model/ports/journal.ts'))?.[1]?.match(/\w+/g) ?? [];
  expect(states).toContain('intended');
  expect(states.filter((state) => !page.includes(state))).toEqual([]);
});
