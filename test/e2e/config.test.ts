import { mkdirSync, writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Sandbox } from '../support/run-babelq.ts';

interface Shown {
  files: string[];
  settings: { setting: string; value: unknown; from: string; place: string | null; variables: string[] }[];
}

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox({ DB_PASSWORD: 'hunter2', QUEUE: 'orders-dlq', AWS_SECRET_ACCESS_KEY: 'hunter3' });
  mkdirSync(sandbox.path('team'));
  writeFileSync(
    sandbox.path('team/babelq.yaml'),
    `sources:
  - { name: orders, sqs: "\${QUEUE}" }
  - { name: shop, jadpo: "postgres://ana:hunter4@db/shop" }
  - { name: store, jadpo: "postgres://ana:\${DB_PASSWORD}@db/store" }
`,
  );
  writeFileSync(
    sandbox.path('babelq.yaml'),
    'include: [team/babelq.yaml]\nsources:\n  - { name: mine, jadpo: ./mine.sqlite }\nredact: [data.email]\n',
  );
});
afterAll(() => sandbox.remove());

const SECRETS = /hunter\d/;

test('config show says of each value where it comes from, and shows no secret', async () => {
  const { files, settings } = await sandbox.json<Shown>(['config', 'show'], {
    env: { HTTPS_PROXY: 'http://me:hunter5@proxy:3128', AWS_WEB_IDENTITY_TOKEN_FILE: '/run/token' },
  });
  expect(files).toEqual([sandbox.path('team/babelq.yaml'), sandbox.path('babelq.yaml')]);
  const by = new Map(settings.map((setting) => [setting.setting, setting]));
  const team = sandbox.path('team/babelq.yaml');
  expect(by.get('sources[0].sqs')).toEqual({
    setting: 'sources[0].sqs',
    value: 'orders-dlq',
    from: 'file',
    place: `${team}:2`,
    variables: ['QUEUE'],
    masked: false,
  });
  expect(by.get('sources[1].jadpo')).toMatchObject({ value: 'postgres://ana:***@db/shop', masked: true });
  expect(by.get('sources[2].jadpo')).toMatchObject({ value: '***', variables: ['DB_PASSWORD'], masked: true });
  expect(by.get('sources[3].jadpo')).toMatchObject({ place: `${sandbox.path('babelq.yaml')}:3` });
  expect(by.get('journal')).toMatchObject({ value: sandbox.path('state/babelq/journal.db'), place: '$XDG_STATE_HOME' });
  expect(by.get('require_note')).toMatchObject({ value: false, from: 'default', place: null });
  expect(by.get('operator')).toMatchObject({ value: 'ana@desk', place: '$BABELQ_OPERATOR' });
  expect(by.get('$HTTPS_PROXY')).toMatchObject({ value: 'http://me:***@proxy:3128' });
  expect(by.get('$AWS_SECRET_ACCESS_KEY')).toMatchObject({ value: '***', masked: true });
  expect(by.get('$AWS_WEB_IDENTITY_TOKEN_FILE')).toMatchObject({ value: '/run/token', masked: false });
  for (const output of ['table', 'ndjson', 'csv']) {
    const { stdout, stderr, code } = await sandbox.run(['config', 'show', '--output', output]);
    expect(code).toBe(0);
    expect(stdout + stderr).not.toMatch(SECRETS);
    expect(stdout).toContain('orders-dlq');
  }
});

test('what is typed outweighs the file, and is shown as what counts', async () => {
  const { settings } = await sandbox.json<Shown>(['config', 'show', '--sqs', 'typed-dlq', '--journal', 'j.db']);
  expect(settings).toContainEqual(expect.objectContaining({ setting: 'sources[0].sqs', place: '--sqs' }));
  expect(settings).toContainEqual(
    expect.objectContaining({ setting: 'journal', value: sandbox.path('j.db'), place: '--journal' }),
  );
  expect(settings.filter(({ setting }) => setting.startsWith('sources['))).toHaveLength(1);
});

test('config schema is one, and the error for a mistake in a file names no secret', async () => {
  const schema = await sandbox.json<Record<string, unknown>>(['config', 'schema']);
  expect(new Ajv2020({ strict: true, allowUnionTypes: true }).compile(schema)({ sources: [{ sqs: 'a' }] })).toBe(true);
  writeFileSync(sandbox.path('bad.yaml'), 'sources:\n  - { name: "x y", jadpo: "postgres://ana:hunter6@db/x" }\n');
  const { stderr, code } = await sandbox.run(['config', 'show', '--config', 'bad.yaml']);
  expect(code).toBe(2);
  expect(stderr).toContain('bad.yaml:2: sources[0].name: a name is letters');
  expect(stderr).not.toMatch(SECRETS);
  expect(await sandbox.run(['config', 'shwo'])).toMatchObject({ code: 2, stderr: expect.stringContaining('show?') });
});

test('a password that should have been percent-encoded is in no output', async () => {
  const commands = [
    ['config', 'show'],
    ['config', 'show', '--json'],
    ['deliveries', '--verbose'],
    ['doctor', '--json'],
    ['log', '--verbose'],
    ['journal', 'info'],
    ['retry', 'p1', '--yes', '--json'],
  ];
  // One that can't be read, and one that can.
  const urls = ['ana:Hush/Hush?Hush#Hush@Hush@', 'ana@shop:Hush#Hush@Hush@'];
  await Promise.all(
    urls.map(async (userInfo, at) => {
      const url = `postgres://${userInfo}127.0.0.1:1/shop`;
      const file = `hush-${at}.yaml`;
      writeFileSync(sandbox.path(file), `sources: [{ name: w, jadpo: "${url}" }]\njournal: "${url}"\n`);
      for (const command of commands) {
        const { stdout, stderr } = await sandbox.run([...command, '--config', file]);
        expect(stdout + stderr, `${command.join(' ')} ${url}`).not.toContain('Hush');
        expect(stdout + stderr).not.toBe('');
      }
    }),
  );
});
