import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/cli/config/load.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'babelq-config-'));
  mkdirSync(join(folder, 'team'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [[name, text] = ['', '']] = Object.entries(files);
  return loadConfig({ path: join(folder, name), text }, { HOME: '/home/ana' });
}

const TEAM = `sources:
  - { name: orders, sqs: orders-dlq }
  - { name: warehouse, jadpo: ./build/local.sqlite }
redact: [data.email]
journal: ./journal.db
require_note: true
`;

test("a private file adds to a team's: lists add up, paths go by each file's own folder, its own words outweigh", async () => {
  const config = await load({
    'mine.yaml':
      'include: [team/babelq.yaml]\nsources:\n  - { sqs: mine-dlq }\nredact: [data.card.*, data.email]\njournal: mine.db\n',
    'team/babelq.yaml': TEAM,
  });
  expect(config).toMatchObject({
    files: [join(folder, 'team/babelq.yaml'), join(folder, 'mine.yaml')],
    redact: ['data.email', 'data.card.*'],
    journal: join(folder, 'mine.db'),
    requireNote: true,
  });
  expect(config.sources).toMatchObject([
    { queue: 'orders-dlq' },
    { database: join(folder, 'team/build/local.sqlite') },
    { queue: 'mine-dlq', place: `${join(folder, 'mine.yaml')}:3: sources[0]` },
  ]);
  const where = Object.fromEntries(config.settings.map(({ path, file, line }) => [path, `${file}:${line}`]));
  expect(where).toMatchObject({
    'sources[2].sqs': `${join(folder, 'mine.yaml')}:3`,
    'sources[1].name': `${join(folder, 'team/babelq.yaml')}:3`,
    journal: `${join(folder, 'mine.yaml')}:5`,
    require_note: `${join(folder, 'team/babelq.yaml')}:6`,
  });
});

test("a journal that only the team's file names lies where that file says", async () => {
  const config = await load({ 'mine.yaml': 'include: [team/babelq.yaml]\n', 'team/babelq.yaml': TEAM });
  expect(config.journal).toBe(join(folder, 'team/journal.db'));
});

test.each([
  [
    'a name that both files give',
    { 'a.yaml': 'include: [b.yaml]\nsources:\n  - { name: orders, sqs: x }\n', 'b.yaml': TEAM },
    /a\.yaml:3: sources\[0\]: the name orders is given to .*b\.yaml:2: sources\[0\] already\.$/,
  ],
  [
    'a file that is not there',
    { 'a.yaml': 'redact: []\ninclude:\n  - gone.yaml\n' },
    /a\.yaml:3: include\[0\]: the file .*gone\.yaml does not exist\.$/,
  ],
  [
    'a circle',
    { 'a.yaml': 'include: [b.yaml]\n', 'b.yaml': 'include: [a.yaml]\n' },
    /b\.yaml:1: include\[0\]: .*a\.yaml is read already, it includes this one\.$/,
  ],
  [
    'a file twice, by two names',
    { 'a.yaml': 'include: [b.yaml, team/../b.yaml]\n', 'b.yaml': 'redact: []\n' },
    /a\.yaml:1: include\[1\]: .*b\.yaml is read already, it is included at .*a\.yaml:1: include\[0\]\.$/,
  ],
  [
    'two included files that disagree',
    { 'a.yaml': 'include: [b.yaml, c.yaml]\n', 'b.yaml': 'require_note: true\n', 'c.yaml': '\nrequire_note: false\n' },
    /c\.yaml:2: require_note: is another than at .*b\.yaml:1\.$/,
  ],
  [
    'a mistake in an included file',
    { 'a.yaml': 'include: [b.yaml]\n', 'b.yaml': '\nredcat: []\n' },
    /b\.yaml:2: redcat: there is no such setting/,
  ],
])('%s is refused, with its place', async (_, files, said) => {
  await expect(load(files)).rejects.toMatchObject({ code: 'config', exit: 2, message: expect.stringMatching(said) });
});
