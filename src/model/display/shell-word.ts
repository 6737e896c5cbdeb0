import { escapeText } from './escape.ts';

/** Whether a POSIX shell takes a word as it is. */
export function isShellWord(word: string): boolean {
  return /^[\w@%+=:,./-]+$/.test(word);
}

/** A word for a command line that is shown to be copied: quoted where a POSIX shell would read more into it. */
export function shellWord(word: string): string {
  if (isShellWord(word)) return word;
  return `'${escapeText(word).replaceAll("'", `'\\''`)}'`;
}
