import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

interface Wanted {
  host: string;
  port: number;
  user: string;
  database: string;
}

/**
 * The password that `$PGPASSFILE` or `~/.pgpass` has, as libpq reads it: `host:port:database:user:password` a line, `*` for
 * any, `\:` and `\\` for themselves; the first that fits. A file that others may read is ignored, as libpq ignores it.
 * @returns an empty text where there is none
 */
export function passwordFromFile(
  wanted: Wanted,
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const path = env.PGPASSFILE || join(env.HOME || homedir(), '.pgpass');
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) return '';
    text = readFileSync(path, 'utf8');
  } catch {
    return '';
  }
  const host = wanted.host.startsWith('/') ? 'localhost' : wanted.host;
  const sought = [host, String(wanted.port), wanted.database, wanted.user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (fields.length !== 5) continue;
    if (sought.every((value, at) => fields[at]?.raw === '*' || fields[at]?.value === value)) {
      return fields[4]?.value ?? '';
    }
  }
  return '';
}

function fieldsOf(line: string): { raw: string; value: string }[] {
  return [...line.matchAll(/(?:^|:)((?:\\.|[^\\:])*)/g)].map(([, raw = '']) => ({
    raw,
    value: raw.replaceAll(/\\(.)/g, '$1'),
  }));
}
