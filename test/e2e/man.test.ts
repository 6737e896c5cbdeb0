import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Sandbox } from '../support/run-babelq.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { man } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as { man: string[] };
const page = resolve(ROOT, man[0] ?? '');
const groff = spawnSync('groff', ['--version']).error === undefined;
let sandbox: Sandbox;
beforeAll(() => {
  sandbox = new Sandbox();
});
afterAll(() => sandbox.remove());

test.skipIf(!groff)(
  'the manual page has every command and option of the help, and no mistake for its formatter',
  async () => {
    const formatted = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-P-cbou', page], { encoding: 'utf8' });
    expect(formatted.stderr).toBe('');
    const text = formatted.stdout.replace(/\s+/g, ' ');
    const help = await sandbox.run(['--help']);
    const commands = [...help.stdout.matchAll(/^ {2}([a-z]+)[| ]/gm)].map((found) => found[1] ?? '');
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands.filter((name) => name !== 'help' && name !== 'babelq')) {
      expect(text).toContain(` babelq ${command} `);
      const { stdout } = await sandbox.run([command, '--help']);
      const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((found) => found[1] ?? '');
      for (const option of options) expect(text, command).toContain(` ${option} `);
    }
    expect(text).toContain("babelq deliveries --reason failed --since 2h --subject 'urn:babel:orders:*'");
  },
);

test.skipIf(!groff)('apropos finds what the page is about', () => {
  const name = execFileSync('groff', ['-man', '-Tascii', '-P-cbou', page], { encoding: 'utf8' });
  expect(name).toMatch(/NAME\n +babelq - list, inspect, retry and dismiss failed messages\n/);
});
