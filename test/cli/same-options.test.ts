import { expect, test } from 'vitest';
import { type Parsed, parseCommandLine } from '../../src/cli/program.ts';
import { sameJournal, sameSources } from '../../src/cli/same-options.ts';

function globalOf(words: readonly string[]) {
  const parsed: Parsed = parseCommandLine(['deliveries', ...words], '0.0.0', {
    stdout: { columns: 80 } as NodeJS.WriteStream,
  });
  if (parsed.kind !== 'command') throw new Error('No command.');
  return parsed.global;
}

test('a command line that is shown to be typed next reaches the same sources and journal', () => {
  const words = [
    '--config',
    'team.yaml',
    '--source',
    'orders',
    '--sqs',
    'a-dlq',
    '--sqs',
    'b-dlq',
    '--journal',
    'a b.db',
  ];
  const global = globalOf([...words, '--allow-receive', '--json', '--quiet']);
  expect(sameSources(global)).toBe(
    " --config team.yaml --source orders --sqs a-dlq --sqs b-dlq --journal 'a b.db' --allow-receive",
  );
  expect(sameJournal(global)).toBe(" --config team.yaml --journal 'a b.db'");
  expect(sameSources(globalOf([]))).toBe('');
});

test('it repeats no password, and nothing that a shell or a terminal would act on', () => {
  const shown = sameSources(globalOf(['--jadpo', 'postgres://ana:hunter2@db/shop', '--sqs', 'a;\u001b[2J$(b)']));
  expect(shown).not.toContain('hunter2');
  expect(shown).toBe(" --sqs 'a;\\x1b[2J$(b)' --jadpo 'postgres://ana:***@db/shop'");
});
