import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Sandbox } from '../support/run-babelq.ts';
import { HAS_TMUX, TmuxTerminal } from '../support/tmux.ts';

const sandbox = new Sandbox({});
const program = sandbox.path('crashing-screens.mjs');
const terminals: TmuxTerminal[] = [];

beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, '../support/crashing-screens.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    alias: { 'react-devtools-core': join(import.meta.dirname, '../../scripts/no-devtools.mjs') },
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
  });
});
afterAll(() => {
  for (const terminal of terminals) terminal.close();
  sandbox.remove();
});

describe.skipIf(!HAS_TMUX).concurrent('a fault in the screens themselves', { timeout: 60_000 }, () => {
  test.each(['view', 'event', 'nowhere'])(
    'in %s: the terminal is given back, nothing stays held, and it is told',
    async (where) => {
      const screen = new TmuxTerminal({ columns: 80, rows: 24, cwd: sandbox.home, env: sandbox.env });
      terminals.push(screen);
      screen.type(`echo the shell; '${process.execPath}' '${program}' ${where}; echo "code=$?"`);
      screen.press('Enter');
      await screen.waitFor('3 held, hidden from others');
      screen.press('R');
      const shown = await screen.waitFor('code=70');
      expect(shown).toContain('the shell');
      expect(shown).toMatch(/ended by: (Type)?Error, 0 held/);
      expect(screen.givenBack()).toBe(true);
      screen.type('echo still echoed');
      await screen.waitFor(/[#$] echo still echoed/);
    },
  );
});
