import fc from 'fast-check';
import type { Key } from 'ink';
import { expect, test } from 'vitest';
import { bindingsFor, type Mode } from '../../src/tui/keys.ts';
import { pressesOf } from '../../src/tui/press.ts';
import { footerLine } from '../../src/tui/text/help.ts';
import { keyName } from '../../src/tui/text/key-name.ts';
import { lineWidth } from '../../src/tui/text/line.ts';

const NO_KEY = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
} satisfies Key;

const keysOf = (input: string, key: Partial<Key> = {}) =>
  pressesOf(input, { ...NO_KEY, ...key }).map((press) => press.key);

test('keys typed fast arrive together and are taken one by one', () => {
  expect(keysOf('jjj')).toEqual(['j', 'j', 'j']);
  expect(keysOf('/ab\r q\n')).toEqual(['/', 'a', 'b', 'enter', 'space', 'q', 'enter']);
  expect(keysOf('a\x7f\x15\x1b')).toEqual(['a', 'backspace', 'ctrl+u', 'esc']);
});

test('Esc with a key right after it is both, not Alt', () => {
  expect(keysOf('q', { meta: true })).toEqual(['esc', 'q']);
});

test('named keys type nothing', () => {
  expect(pressesOf('', { ...NO_KEY, pageDown: true })).toEqual([{ key: 'pgdn', text: '' }]);
  expect(pressesOf('c', { ...NO_KEY, ctrl: true })).toEqual([{ key: 'ctrl+c', text: '' }]);
});

test('typed text comes through whole, however it is cut into inputs', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((one) => !/[\x00-\x1f\x7f]/.test(one));
  fc.assert(
    fc.property(fc.array(text), (inputs) => {
      const typed = inputs.flatMap((input) => pressesOf(input, NO_KEY)).map((press) => press.text);
      expect(typed.join('')).toBe(inputs.join(''));
    }),
  );
});

const MODES: readonly (readonly [Mode, string])[] = [
  ['groups', 'The groups'],
  ['failures', 'The failures'],
  ['filtering', 'While a filter is typed'],
  ['archive_groups', 'The groups of what was dismissed'],
  ['archive', 'What was dismissed'],
  ['failure', 'One failure'],
  ['searching', 'While a text is looked for in a failure'],
  ['archived', 'One that was dismissed'],
  ['planning', 'While the first pass looks'],
  ['confirming', 'A confirmation'],
  ['confirming_retry', 'The confirmation of a retry'],
  ['confirming_edit', 'The confirmation of an edited retry'],
  ['option', 'While an option is typed'],
  ['unsendable', 'An edit that can not be sent'],
  ['impossible', 'A confirmation where nothing can be done'],
  ['impossible_retry', 'The confirmation of a retry where nothing can be done'],
  ['acting', 'While an action runs'],
  ['stopping', 'While it stops'],
  ['result', 'A result'],
  ['dismissal', 'The result of a dismissal'],
  ['log', 'The log'],
  ['run', 'A run of the log'],
  ['entry', 'A message of a run'],
  ['log_filtering', 'While a filter of the log is typed'],
  ['palette', 'The commands by name'],
  ['sources', 'The sources'],
  ['help', 'The help'],
];

test('the footer fits from 60 columns up, and always tells the way out and the help', () => {
  for (const [mode] of MODES) {
    for (const width of [60, 61, 80, 120, 300]) {
      const footer = footerLine(mode, width);
      expect([mode, width, lineWidth(footer) <= width]).toEqual([mode, width, true]);
      const text = footer.map((span) => span.text).join('');
      expect(text).toMatch(/quit|back|no|stop|leave|clear/);
    }
  }
  const narrow = (mode: Mode) =>
    footerLine(mode, 60)
      .map((span) => span.text)
      .join('');
  expect(narrow('groups')).toBe('Enter open  / filter  r retry  d dismiss  ? help  q quit');
  expect(narrow('failures')).toBe('Enter inspect  / filter  r retry  d dismiss  q back  ? help');
});

test('docs/keys.md is the table of keys', async () => {
  const sections = MODES.map(([mode, title]) => {
    const rows = bindingsFor(mode).map(({ keys, says }) => {
      const names = keys.map((key) => `\`${keyName(key).replace('|', '\\|')}\``).join(' ');
      return `| ${names} | ${says} |`;
    });
    return `## ${title}\n\n| key | does |\n| --- | --- |\n${rows.join('\n')}\n`;
  });
  const page = `# Keys of the screens\n\nMade from src/tui/keys.ts; \`?\` shows the same, for where you are.\n\n${sections.join('\n')}`;
  await expect(page).toMatchFileSnapshot('../../docs/keys.md');
});
