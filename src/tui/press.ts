import type { Key } from 'ink';

/** One key, as the table of keys names it: `j`, `G`, `enter`, `esc`, `space`, `up`, `pgdn`, `ctrl+c`. */
export interface Press {
  readonly key: string;
  /** What it types into a line; empty for keys that type nothing. */
  readonly text: string;
}

const NAMED: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pgup'],
  ['pageDown', 'pgdn'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

const SEGMENTER = new Intl.Segmenter();

/**
 * The keys in one input of Ink's: keys typed fast arrive together (`jjj`, `hello\r`), and Esc with what follows it at once
 * arrives as one key with Alt.
 */
export function pressesOf(input: string, key: Key): Press[] {
  if (key.eventType === 'release') return [];
  const named = NAMED.find(([flag]) => key[flag] === true);
  if (named !== undefined) {
    const shifted = key.shift && (named[1] === 'up' || named[1] === 'down' || named[1] === 'tab');
    return [{ key: shifted ? `shift+${named[1]}` : named[1], text: '' }];
  }
  if (key.ctrl) return input === '' ? [] : [{ key: `ctrl+${input === ' ' ? 'space' : input}`, text: '' }];
  const typed = Array.from(SEGMENTER.segment(input), ({ segment }) => segment).flatMap(pressesIn);
  return key.meta ? [{ key: 'esc', text: '' }, ...typed] : typed;
}

function pressesIn(segment: string): Press[] {
  // CR LF is one grapheme.
  if (segment === '\r\n') return [{ key: 'enter', text: '' }];
  const code = segment.charCodeAt(0);
  if (segment === ' ') return [{ key: 'space', text: ' ' }];
  if (segment === '\r' || segment === '\n') return [{ key: 'enter', text: '' }];
  if (segment === '\t') return [{ key: 'tab', text: '' }];
  if (segment === '\x7f' || segment === '\b') return [{ key: 'backspace', text: '' }];
  if (segment === '\x1b') return [{ key: 'esc', text: '' }];
  if (code < 0x20) return [{ key: `ctrl+${String.fromCharCode(code + 0x60)}`, text: '' }];
  return [{ key: segment, text: segment }];
}
