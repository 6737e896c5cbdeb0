import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readConfig } from '../../../src/cli/config/read.ts';
import { configSchema } from '../../../src/cli/config/schema.ts';
import { BabelqError } from '../../../src/model/errors.ts';

const schema = configSchema();
const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema);
const ENV = { HOME: '/home/ana', A: 'a', PATH_TO: 'data.email', URL: 'http://localhost:1' };

function isRead(document: unknown): boolean {
  try {
    readConfig({ path: '/etc/babelq.yaml', text: stringify(document) }, ENV);
    return true;
  } catch (error) {
    if (error instanceof BabelqError && error.code === 'config') return false;
    throw error;
  }
}

const PLAIN = [
  'orders',
  'orders-dlq',
  'http://localhost:4566',
  'data.email',
  'data.card.*',
  'data."a.b"[0].c',
  `\${A}`,
];
const ODD = [
  ...['', ' ', '\u00a0', '\u3000', '\ufeff', 'a b', 'a/b', '_a', '-', 'é', '\ud83d\ude00', 'x'.repeat(81)],
  ...[
    'http://',
    'HTTP://x',
    'ftp://x',
    'http:// x',
    'data..b',
    '.a',
    'a.',
    'a[x]',
    'a[1',
    '"a',
    'a"b"',
    'a[0]b',
    '"\\u00"',
  ],
  ...[
    `\${`,
    `\${A`,
    `\${}`,
    `\${1}`,
    `\${a b}`,
    `$\${`,
    `$$\${A}`,
    `$\${A}`,
    `x\${A}y`,
    '$',
    '{A}',
    `\${URL}/x`,
    `\${PATH_TO}.b`,
  ],
];
const text = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PLAIN) }, fc.constantFrom(...ODD), fc.string());
const other = fc.constantFrom<unknown>(null, 7, true, [], {}, ['a'], { a: 'b' }, { a: 1 });
const mostly = <T>(right: fc.Arbitrary<T>) => fc.oneof({ weight: 9, arbitrary: right as fc.Arbitrary<unknown> }, other);
const texts = mostly(fc.dictionary(fc.constantFrom('status', 'failed', 'x'), mostly(text), { maxKeys: 2 }));
const value = mostly(text);

const ofSqs = { name: value, redrive_to: value, region: value, profile: value, endpoint: value };
const ofJadpo = { name: value, table: value, columns: texts, statuses: texts };
const source = fc.oneof(
  { weight: 5, arbitrary: fc.record({ sqs: value, ...ofSqs }, { requiredKeys: ['sqs'] }) },
  { weight: 5, arbitrary: fc.record({ jadpo: value, ...ofJadpo }, { requiredKeys: ['jadpo'] }) },
  fc.record({ sqs: value, jadpo: value, ...ofSqs, ...ofJadpo, extra: value }, { requiredKeys: [] }),
);
const document = mostly(
  fc.record(
    {
      include: mostly(fc.array(value, { maxLength: 2 })),
      sources: mostly(fc.array(mostly(source), { maxLength: 2 })),
      redact: mostly(fc.array(value, { maxLength: 2 })),
      journal: value,
      require_note: mostly(fc.boolean()),
    },
    { requiredKeys: [] },
  ),
);

/** Rules of the reader that a pattern can't say; each is one that the schema's own words name. */
const ONLY_READ = [/^\/etc\/babelq\.yaml:\d+: .*(?:http or https URL|can't be read as a path|a name is letters)/];

test('an editor by the schema and babelq by its reader take the same files', () => {
  let taken = 0;
  fc.assert(
    fc.property(document, (one) => {
      const read = isRead(one);
      if (read) taken += 1;
      const valid = validate(one);
      // Whatever babelq takes, no editor marks as wrong.
      if (read) expect(validate.errors ?? []).toEqual([]);
      // What an editor lets pass, babelq takes, but for what is a matter of more than a pattern.
      if (valid && !read) expect(complaint(one)).toMatch(ONLY_READ[0] ?? /never/);
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(200);
});

function complaint(document: unknown): string {
  try {
    readConfig({ path: '/etc/babelq.yaml', text: stringify(document) }, ENV);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

test('every setting has words and, where it is text, an example that babelq takes', () => {
  const bare = (node: unknown, path: string): string[] => {
    const { properties, items, oneOf, ...own } = node as Record<string, unknown>;
    const inner = [
      ...Object.entries((properties ?? {}) as object).map(([key, child]) => bare(child, `${path}.${key}`)),
      ...((oneOf ?? []) as unknown[]).map((child) => bare(child, path)),
      ...(items === undefined ? [] : [bare(items, `${path}[]`)]),
    ].flat();
    const lacks =
      (own.description === undefined && oneOf === undefined) ||
      (own.type === 'string' && !(own.examples as string[])?.[0]);
    return lacks ? [path, ...inner] : inner;
  };
  expect(bare(schema, '')).toEqual([]);
});
