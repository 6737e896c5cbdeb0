const SHOWN: ReadonlyMap<string, string> = new Map([
  ['up', '↑'],
  ['down', '↓'],
  ['left', '←'],
  ['right', '→'],
  ['pgup', 'PgUp'],
  ['pgdn', 'PgDn'],
  ['home', 'Home'],
  ['end', 'End'],
  ['enter', 'Enter'],
  ['esc', 'Esc'],
  ['space', 'Space'],
  ['tab', 'Tab'],
  ['shift+tab', 'Shift+Tab'],
  ['shift+up', 'Shift+↑'],
  ['shift+down', 'Shift+↓'],
  ['backspace', 'Backspace'],
  ['delete', 'Del'],
]);

/** A key as it is written for a person: `Esc`, `Ctrl+C`, `R`. */
export function keyName(key: string): string {
  return SHOWN.get(key) ?? (key.startsWith('ctrl+') ? `Ctrl+${key.slice(5).toUpperCase()}` : key);
}
