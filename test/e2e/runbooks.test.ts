import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startApps } from '../../demo/apps.ts';
import { openWorld, type World } from '../../demo/world.ts';
import { BIN } from '../support/run-babelq.ts';

/**
 * Runs every command of docs/runbooks.md on the demo's servers and compares what is printed. What differs from run to run (ids,
 * times) is compared by its form; an id that a command names is the one that was printed in its place.
 * `UPDATE_RUNBOOKS=1 npx vitest run test/e2e/runbooks.test.ts` writes what was printed into the page.
 */
const PAGE = resolve(import.meta.dirname, '../../docs/runbooks.md');
const UPDATE = process.env.UPDATE_RUNBOOKS === '1';

interface Step {
  command: string;
  /** What the page says that it prints, without the exit code. */
  printed: string[];
  code: number;
}

interface Section {
  title: string;
  steps: Step[];
}

/** Each `## 1. …` with the commands of its console blocks. A last line `(exit 5)` is a command's exit code. */
function sectionsOf(page: string): Section[] {
  return page
    .split(/^(?=## )/m)
    .filter((part) => /^## \d+\. /.test(part))
    .map((part) => {
      const steps: Step[] = [];
      for (const [, block = ''] of part.matchAll(/^```console\n([\s\S]*?)^```/gm)) {
        for (const line of block.trimEnd().split('\n')) {
          const step = steps.at(-1);
          const code = /^\(exit (\d+)\)$/.exec(line)?.[1];
          if (line.startsWith('$ ')) steps.push({ command: line.slice(2), printed: [], code: 0 });
          else if (code !== undefined && step !== undefined) step.code = Number(code);
          else step?.printed.push(line);
        }
      }
      return { title: part.slice(3, part.indexOf('\n')), steps };
    });
}

/** Runs, MessageIds and the beginnings of those. */
const ID =
  /\b\d{8}-\d{6}-[a-z2-9]{4}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{8}\b/g;

/** What differs from run to run, by its form. */
function shapeOf(line: string): string {
  return line
    .replace(ID, '<id>')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?( UTC)?/g, '<time>')
    .replace(/to \d\d:\d\d:\d\d UTC/g, 'to <time>')
    .replace(/\b\d{13}\b/g, '<time>')
    .replace(/\b(after|in|within) (\d+[dhms])+/g, '$1 <duration>')
    .replace(/\b(\d+[dhms])+ ago|just now/g, '<duration> ago')
    .replace(/ {2,}/g, '  ')
    .trimEnd();
}

async function run(world: World, command: string): Promise<{ printed: string[]; code: number | null }> {
  const babelq = join(world.folder, 'babelq');
  writeFileSync(babelq, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(babelq, 0o755);
  const env = { PATH: `${world.folder}:${process.env.PATH}`, HOME: world.folder, TZ: 'UTC', ...world.environment };
  const child = spawn('bash', ['-c', `set -euo pipefail; ${command}`], { cwd: world.folder, env });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end();
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  const text = stdout.trimEnd() === '' ? stderr.trimEnd() : stdout.trimEnd();
  return { printed: text === '' ? [] : text.split('\n'), code };
}

/** The ids of one line as those of the other, in their order. */
function learn(ids: Map<string, string>, said: string, printed: string): void {
  const real = printed.match(ID) ?? [];
  for (const [n, id] of (said.match(ID) ?? []).entries()) ids.set(id, real[n] ?? id);
}

const SECTIONS = sectionsOf(readFileSync(PAGE, 'utf8'));

test('the page has its eight situations', () => {
  expect(SECTIONS).toHaveLength(8);
  for (const { steps } of SECTIONS) expect(steps.length).toBeGreaterThanOrEqual(3);
});

test.concurrent.each(SECTIONS)('$title', { timeout: 90_000 }, async ({ steps }) => {
  const world = await openWorld();
  const stopApps = await startApps(world);
  const ids = new Map<string, string>();
  try {
    for (const step of steps) {
      const command = step.command.replace(ID, (id) => ids.get(id) ?? id);
      const { printed, code } = await run(world, command);
      for (const [n, line] of step.printed.entries()) learn(ids, line, printed[n] ?? '');
      if (UPDATE) Object.assign(step, { command, printed, code });
      const said = { command, code: step.code, printed: step.printed.map(shapeOf) };
      expect({ command, code, printed: printed.map(shapeOf) }).toEqual(said);
    }
  } finally {
    await stopApps();
    await world.close();
  }
});

/** Writes each command with what it printed in place of what the page said. */
afterAll(() => {
  if (!UPDATE) return;
  const steps = SECTIONS.flatMap((section) => section.steps);
  const page = readFileSync(PAGE, 'utf8').replace(/^```console\n([\s\S]*?)^```/gm, (_, block: string) => {
    const lines = block.split('\n').flatMap((line) => {
      if (!line.startsWith('$ ')) return [];
      const { command, printed, code } = steps.shift() as Step;
      return [`$ ${command}`, ...printed.map((one) => one.trimEnd()), ...(code === 0 ? [] : [`(exit ${code})`])];
    });
    return `\`\`\`console\n${lines.join('\n')}\n\`\`\``;
  });
  writeFileSync(PAGE, page);
});
