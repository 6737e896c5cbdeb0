import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../src/cli/catalog.ts';
import { readConfig } from '../src/cli/config/read.ts';
import { JADPO_SETTINGS, SQS_SETTINGS, TOP_SETTINGS } from '../src/cli/config/settings.ts';
import { EXIT } from '../src/model/errors.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = ['.', 'docs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).flatMap((file) => (file.endsWith('.md') ? [join(folder, file)] : [])),
);

interface Link {
  page: string;
  to: string;
}

/** A page as prose: without blocks and spans of code, in which brackets mean something else. */
function prose(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```/gm, '').replace(/`[^`\n]*`(?!\])/g, '');
}

/** What a page links to within the repository, pictures too. */
function linksOf(page: string, text: string): Link[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, to = '']) =>
    /^[a-z]+:/i.test(to) ? [] : [{ page, to }],
  );
}

/** The anchors that GitHub gives a page's headings. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of text.replace(/^( *)```[\s\S]*?^\1```/gm, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n++) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Why a link leads nowhere; null where it leads somewhere. */
function broken({ page, to }: Link, read: (file: string) => string | null): string | null {
  const [path = '', anchor] = to.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  const text = read(file);
  if (text === null) return `${page}: ${to}: there is no ${file}`;
  return anchor === undefined || anchorsOf(text).has(anchor) ? null : `${page}: ${to}: ${file} has no such heading`;
}

function onDisk(file: string): string | null {
  const path = join(ROOT, file);
  if (!existsSync(path)) return null;
  return file.endsWith('.md') ? readFileSync(path, 'utf8') : '';
}

const LINKS = PAGES.flatMap((page) => linksOf(page, readFileSync(join(ROOT, page), 'utf8')));

test('a link that leads nowhere is seen', () => {
  const pages: Record<string, string> = {
    'README.md':
      '[a](docs/a.md) [b](docs/a.md#what-its-for) [c](docs/b.md) [d](docs/a.md#code) `[e](f)` [g](#top)\n# Top',
    'docs/a.md': "## What it's for\n```\n# code\n```\n",
  };
  const said = linksOf('README.md', pages['README.md'] ?? '').map((link) =>
    broken(link, (file) => pages[file] ?? null),
  );
  expect(said).toEqual([
    null,
    null,
    'README.md: docs/b.md: there is no docs/b.md',
    'README.md: docs/a.md#code: docs/a.md has no such heading',
    null,
  ]);
});

test('every link in the documentation leads to a file and a heading that exist', () => {
  expect(LINKS.length).toBeGreaterThan(50);
  expect(LINKS.map((link) => broken(link, onDisk)).filter((why) => why !== null)).toEqual([]);
});

test('every page of docs/ is found by following links from the README', () => {
  const found = new Set(['README.md']);
  for (const page of found) {
    for (const { to } of LINKS.filter((link) => link.page === page)) {
      const file = relative(ROOT, resolve(ROOT, dirname(page), to.split('#')[0] ?? ''));
      if (file.endsWith('.md')) found.add(file);
    }
  }
  expect(PAGES.filter((page) => page.startsWith('docs/') && !found.has(page))).toEqual([]);
});

const readPage = (page: string) => readFileSync(join(ROOT, page), 'utf8');

/** A part of a page, from its heading to the next of the same rank. */
function section(page: string, heading: string): string {
  const [, rest = ''] = readPage(page).split(`\n## ${heading}\n`);
  const [text = ''] = rest.split('\n## ');
  expect(text, `${page}, ${heading}`).not.toBe('');
  return text;
}

test('the README has every command and every exit code, and no others', () => {
  const rows = section('README.md', 'The commands').split('\n');
  const named = rows.flatMap((row) => {
    const [, first = ''] = /^\| (.+?) \|/.exec(row) ?? [];
    const [group = ''] = /^`(\w+)/.exec(first)?.slice(1) ?? [];
    // `journal info`, `create`: those after the first are below the same word.
    return [...first.matchAll(/`([a-z]+(?: [a-z]+)?)/g)].map(([, name = '']) =>
      group === 'journal' && !name.startsWith('journal') ? `journal ${name}` : name,
    );
  });
  const known = COMMANDS.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
  expect(named.sort()).toEqual([...known, 'babelq'].sort());
  const codes = rows.flatMap((row) => /^\| (\d[\d, ]*) \|/.exec(row)?.[1]?.split(', ') ?? []);
  expect(codes).toEqual(Object.values(EXIT).map(String));
});

test('the example of babelq.yaml is read as it stands, and the page about it names every setting', () => {
  const page = readPage('docs/configuration.md');
  const [, example = ''] = /```yaml\n(sources:[\s\S]*?)```/.exec(page) ?? [];
  const { sources, settings } = readConfig(
    { path: '/etc/babelq.yaml', text: example },
    { HOME: '/home/ana', DATABASE_URL: 'postgres://db.example.com/app' },
  );
  expect(sources.map(({ name }) => name)).toEqual(['orders', 'warehouse', 'shop']);
  expect(settings.map(({ path }) => path)).toContain('require_note');
  for (const name of Object.keys({ ...TOP_SETTINGS, ...SQS_SETTINGS, ...JADPO_SETTINGS })) {
    expect(page, name).toMatch(new RegExp(`\\b${name}\\b`));
  }
});

test('the README quotes no figure that the page about performance has not', () => {
  const measured = readPage('docs/performance.md').replaceAll('*', '');
  const figures = [...section('README.md', 'How fast').matchAll(/\d[\d.,]*(?: to \d+)?(?=\s|,|\.|$)/g)].map(
    ([figure]) => figure.replace(/[.,]$/, ''),
  );
  expect(figures.length).toBeGreaterThan(6);
  expect(figures.filter((figure) => !measured.includes(figure))).toEqual([]);
});
