import { relative } from 'node:path';
import { isUrl } from '../config/config.ts';
import { maskSecrets } from '../config/mask.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * How a database is to stand in the file: a path from where the file lies; a URL as the variable that has it, or as it is only
 * where it has no secret in it.
 * @returns null where that can't be said without writing a secret down
 */
export function databaseSetting(database: string, folder: string, env: Env): { value: string; note: string | null } {
  if (!isUrl(database)) {
    const path = relative(folder, database);
    return { value: path.startsWith('.') || path.startsWith('/') ? path : `./${path}`, note: null };
  }
  const variable = Object.keys(env).find((name) => env[name] === database && /^[A-Z][A-Z0-9_]*$/.test(name));
  if (variable !== undefined) return { value: `\${${variable}}`, note: null };
  if (!maskSecrets(database, []).masked) return { value: database, note: null };
  return {
    value: `\${DATABASE_URL}`,
    note: 'set DATABASE_URL to its address: it holds a secret, which does not belong here',
  };
}
