import { expect, test } from 'vitest';
import { readConfig } from '../../../src/cli/config/read.ts';
import { BabelqError } from '../../../src/model/errors.ts';

const read = (text: string, env: Record<string, string> = {}) =>
  readConfig({ path: '/etc/babelq.yaml', text }, { HOME: '/home/ana', ...env });

/** What a person is told. */
function complaint(text: string, env?: Record<string, string>): string {
  try {
    read(text, env);
  } catch (error) {
    if (error instanceof BabelqError && error.code === 'config' && error.exit === 2) {
      return [error.message, error.hint].filter((part) => part !== null).join(' ');
    }
    throw error;
  }
  throw new Error('was accepted');
}

test('a whole configuration is read, with variables put in and paths made absolute', () => {
  const config = read(
    `sources:
  - name: orders
    sqs: orders-dlq
    redrive_to: orders
    region: eu-central-1
    profile: ops
    endpoint: http://localhost:4566
  - sqs: \${QUEUE}
  - name: warehouse
    jadpo: ./build/local.sqlite
    columns: { status: state }
    statuses: { failed: parked }
    table: parked
  - name: shop
    jadpo: \${DATABASE_URL}
redact: [data.email, 'data.card.*']
journal: ~/journal.db
require_note: true
`,
    { QUEUE: 'billing-dlq', DATABASE_URL: 'postgres://ana:secret@db/shop' },
  );
  expect(config).toMatchObject({
    file: '/etc/babelq.yaml',
    sources: [
      {
        kind: 'sqs',
        name: 'orders',
        queue: 'orders-dlq',
        redriveTo: 'orders',
        region: 'eu-central-1',
        profile: 'ops',
        endpoint: 'http://localhost:4566',
        place: '/etc/babelq.yaml:2: sources[0]',
      },
      { kind: 'sqs', queue: 'billing-dlq', place: '/etc/babelq.yaml:8: sources[1]' },
      {
        kind: 'jadpo',
        name: 'warehouse',
        database: '/etc/build/local.sqlite',
        columns: { status: 'state' },
        table: 'parked',
        statuses: { failed: 'parked' },
        place: '/etc/babelq.yaml:9: sources[2]',
      },
      {
        kind: 'jadpo',
        name: 'shop',
        database: 'postgres://ana:secret@db/shop',
        place: '/etc/babelq.yaml:14: sources[3]',
      },
    ],
    redact: ['data.email', 'data.card.*'],
  });
  const { settings } = config;
  expect(settings.find(({ path }) => path === 'sources[1].sqs')).toEqual({
    path: 'sources[1].sqs',
    value: 'billing-dlq',
    file: '/etc/babelq.yaml',
    line: 8,
    variables: ['QUEUE'],
  });
  expect(settings.map(({ path }) => path).slice(-4)).toEqual(['redact[0]', 'redact[1]', 'journal', 'require_note']);
});

test('an empty file is an empty configuration', () => {
  for (const text of ['', '# nothing yet\n', '---\n']) {
    expect(read(text)).toMatchObject({ sources: [], redact: [], settings: [] });
  }
});

test.each([
  [
    'an unknown setting',
    'sources: []\nredcat: [a]\n',
    '/etc/babelq.yaml:2: redcat: there is no such setting at the top of the file. Did you mean redact?',
  ],
  [
    'an unknown setting of a source',
    'sources:\n  - sqs: a\n    redriveto: b\n',
    '/etc/babelq.yaml:3: sources[0].redriveto: there is no such setting under sources[0]. Did you mean redrive_to?',
  ],
  [
    'a setting that is like none',
    'sources: []\nnope: 1\n',
    '/etc/babelq.yaml:2: nope: there is no such setting at the top of the file. It is one of sources, include, redact, journal, require_note.',
  ],
  [
    'a wrong type',
    'sources:\n  - sqs: a\n  - sqs: [b]\n',
    '/etc/babelq.yaml:3: sources[1].sqs: must be text, not a list.',
  ],
  [
    'a number for a name',
    'sources:\n  - sqs: a\n    region: 7\n',
    '/etc/babelq.yaml:3: sources[0].region: must be text, not a number.',
  ],
  [
    'nothing where something must be',
    'sources:\n  - name:\n    sqs: a\n',
    '/etc/babelq.yaml:2: sources[0].name: must be text, not nothing.',
  ],
  ['one source instead of a list', 'sources:\n  sqs: a\n', '/etc/babelq.yaml:2: sources: must be a list, not a map.'],
  ['a list at the top', '- a\n', '/etc/babelq.yaml:1: must be a map of settings, not a list.'],
  [
    'a missing variable',
    `journal: x\nsources:\n  - jadpo: \${NOT_SET}\n`,
    `/etc/babelq.yaml:3: sources[0].jadpo: the variable \${NOT_SET} is not set, or empty. Set NOT_SET in the environment, or write the value into the file.`,
  ],
  [
    'a variable that is never closed',
    `journal: "\${HOME"\n`,
    `/etc/babelq.yaml:1: journal: a \${ in it names no variable. Write \${NAME} for a variable`,
  ],
  [
    'a variable with no name',
    `journal: x\nredact: ["\${a b}"]\n`,
    `/etc/babelq.yaml:2: redact[0]: a \${ in it names no variable.`,
  ],
  ['neither kind', 'sources:\n  - name: a\n', '/etc/babelq.yaml:2: sources[0]: it names neither sqs nor jadpo.'],
  [
    'both kinds',
    'sources:\n  - sqs: a\n    jadpo: b\n',
    '/etc/babelq.yaml:2: sources[0]: it names both sqs and jadpo.',
  ],
  [
    'a setting of the other kind',
    'sources:\n  - jadpo: a\n    region: b\n',
    '/etc/babelq.yaml:3: sources[0].region: this belongs to an sqs source.',
  ],
  [
    'a name that no shell would like',
    'sources:\n  - { name: "a b/c", sqs: a }\n',
    '/etc/babelq.yaml:2: sources[0].name: a name is letters',
  ],
  [
    'an endpoint that is no URL',
    'sources:\n  - { sqs: a, endpoint: localhost }\n',
    '/etc/babelq.yaml:2: sources[0].endpoint: must be an http or https URL.',
  ],
  [
    'a path that is none',
    'redact:\n  - data.a\n  - data..b\n',
    "/etc/babelq.yaml:3: redact[1]: can't be read as a path into the body.",
  ],
  ['a flag that is none', 'require_note: yes\n', '/etc/babelq.yaml:1: require_note: must be true or false, not text.'],
  ['a key twice', 'journal: a\njournal: b\n', '/etc/babelq.yaml:2: map keys must be unique'],
  ['text that is no YAML', 'sources:\n  - sqs: "a\n', '/etc/babelq.yaml:'],
])('%s is told with file, line and path', (_, text, said) => {
  expect(complaint(text)).toContain(said);
});

test('$${ stands for a plain ${, also where a variable stands beside it', () => {
  const config = read(`sources:\n  - { jadpo: "/x/$\${A}/\${A}/$$\${A}" }\n`, { A: 'a' });
  expect(config.sources[0]).toMatchObject({ database: `/x/\${A}/a/$\${A}` });
});

test('a value is never shown: it may be a password', () => {
  expect(complaint('sources:\n  - { jadpo: "postgres://u:hunter2@h/d", name: "x y" }\n')).not.toContain('hunter2');
});
