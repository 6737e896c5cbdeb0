import { escapeText } from '../../model/display/escape.ts';

/** A word for a command line that is shown to be copied: quoted where a POSIX shell would read more into it. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return `'${escapeText(word).replaceAll("'", `'\\''`)}'`;
}
