import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS, type CommandSpec, GLOBAL_OPTIONS, type OptionSpec } from '../../src/cli/catalog.ts';
import { type Parsed, parseCommandLine } from '../../src/cli/program.ts';
import { FILTER_PARTS } from '../../src/model/filter.ts';
import { sourceTexts } from '../support/texts.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** What a shell makes of a line, as far as examples go: the words of each `babelq …` in it. */
function commandsIn(line: string): string[][] {
  const commands: string[][] = [];
  let words: string[] | null = null;
  const token = /\s+|#.*$|'([^']*)'|"([^"]*)"|<\(|[|;<>()&]+|[^\s'"|;<>()&]+/g;
  let joined = false;
  for (const [whole, single, double] of line.matchAll(token)) {
    const isBlank = /^\s/.test(whole);
    if (isBlank || (whole.startsWith('#') && !joined) || /^[|;<>()&]/.test(whole)) {
      joined = false;
      if (isBlank) continue;
      words = null;
      if (whole.startsWith('#')) break;
      continue;
    }
    const text = single ?? double ?? whole;
    if (words === null) {
      if (text === 'babelq') {
        words = [];
        commands.push(words);
      }
    } else if (joined) words.push(`${words.pop() ?? ''}${text}`);
    else words.push(text);
    joined = words !== null;
  }
  return commands;
}

function parsed(words: readonly string[]): Parsed {
  return parseCommandLine(words, '0.0.0', { stdout: { columns: 80 } as NodeJS.WriteStream });
}

test('a line is read as a shell reads it', () => {
  expect(commandsIn("babelq check --reason '*' > a.prom; mv a b")).toEqual([['check', '--reason', '*']]);
  expect(commandsIn('babelq list --json # a comment')).toEqual([['list', '--json']]);
  expect(commandsIn('source <(babelq completion bash)')).toEqual([['completion', 'bash']]);
  expect(commandsIn('babelq log --output ids | babelq restore --stdin')).toEqual([
    ['log', '--output', 'ids'],
    ['restore', '--stdin'],
  ]);
});

test.each(COMMANDS.map((spec) => [spec.name, spec] as const))(
  'every example in the help of %s is a command line that babelq takes',
  (name, { examples }) => {
    const all = examples.filter((line) => !line.startsWith('#')).flatMap(commandsIn);
    expect(all.length).toBeGreaterThan(0);
    const read = all.map(parsed);
    expect(read.map(({ kind }) => kind)).not.toContain('text');
    if (name !== 'tui') expect(read.some((one) => one.kind === 'command' && one.spec.name === name)).toBe(true);
  },
);

test('every command line in the documentation is one that babelq takes', () => {
  const pages = [
    'README.md',
    ...readdirSync(join(ROOT, 'docs')).flatMap((file) => (file.endsWith('.md') ? [`docs/${file}`] : [])),
  ];
  const lines = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(?:console|sh|bash)?\n([\s\S]*?)^```/gm)].flatMap(
      ([, block = '']) =>
        block
          .split('\n')
          .flatMap((line) => (/^(?:\$ )?(?:babelq|source <\(babelq)\b/.test(line) ? [line.replace(/^\$ /, '')] : [])),
    ),
  );
  expect(lines.length).toBeGreaterThan(40);
  for (const line of lines) for (const words of commandsIn(line)) expect(() => parsed(words), line).not.toThrow();
});

const nameOf = ({ flags }: OptionSpec): string => /--[a-z-]+/.exec(flags)?.[0] ?? '';
test('every part of a filter is an option of each command that filters, and the only ones', () => {
  const parts = FILTER_PARTS.filter((part) => part !== 'text').map((part) => `--${part.replace('_', '-')}`);
  for (const name of ['deliveries', 'retry', 'dismiss', 'restore', 'export', 'groups', 'check']) {
    const options = COMMANDS.find((spec) => spec.name === name)?.options.map(nameOf) ?? [];
    expect(options.slice(0, parts.length)).toEqual(parts);
  }
});

const BUILT_IN = ['--help', '--version'];
const GLOBAL = new Set([...GLOBAL_OPTIONS.map(nameOf), ...BUILT_IN, '--color']);
const ANY = new Set([...GLOBAL, ...COMMANDS.flatMap(({ options }) => options.map(nameOf))]);

/** The command that words begin with, of two words or one. */
function commandOf(words: string): CommandSpec | undefined {
  return (
    COMMANDS.find(({ name }) => name.includes(' ') && new RegExp(`^${name}\\b`).test(words)) ??
    COMMANDS.find(({ name, alias }) => [name, alias].includes(/^[a-z]+/.exec(words)?.[0]))
  );
}

/** Option names in a sentence, without those of other programs' lines. */
function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
}

/** What is wrong with the command lines that a text quotes. */
function wrongIn(text: string): string[] {
  const wrong: string[] = [];
  for (const [, words = ''] of text.matchAll(/\bbabelq ([^.;:`"\n]*)/g)) {
    const [line = ''] = words.split(/\bbabelq\b|, |(?<=\S) {2,}/);
    const spec = commandOf(line);
    const flags = flagsIn(line);
    // Prose says that babelq does something; a command line has options or a name in capitals.
    // Of one whose name is put in nobody can say here which options it has.
    if (line.startsWith('…')) continue;
    if (spec === undefined) wrong.push(...flags.filter((flag) => !GLOBAL.has(flag)));
    else {
      const own = new Set(spec.options.map(nameOf));
      wrong.push(...flags.filter((flag) => !own.has(flag) && !GLOBAL.has(flag)));
    }
  }
  return [...wrong, ...flagsIn(text).filter((flag) => !ANY.has(flag))];
}

test('what is wrong with a quoted command line is seen', () => {
  expect(wrongIn('See babelq log --unfinished.')).toEqual([]);
  expect(wrongIn('See babelq log --reason x.')).toEqual(['--reason']);
  expect(wrongIn('babelq lgo --run … lists them')).toEqual(['--run']);
  expect(wrongIn('Give --tu QUEUE.')).toEqual(['--tu']);
});

/** Other programs' lines: AWS's in the doctor's mends, npm's, PostgreSQL's. */
const OF_OTHERS = /\b(?:aws|npx|pg_dump) [a-z-]/;

test('every command line and option that a message, a hint or the screens name exists', () => {
  const texts = sourceTexts().filter(
    ({ file, text }) => /\s/.test(text) && !OF_OTHERS.test(text) && !file.endsWith('completion/scripts.ts'),
  );
  expect(texts.filter(({ text }) => text.includes('babelq ')).length).toBeGreaterThan(60);
  const wrong = texts.flatMap(({ file, text }) =>
    wrongIn(text).map((flag) => `${file}: ${flag} in ${text.slice(0, 200)}`),
  );
  expect(wrong).toEqual([]);
});
