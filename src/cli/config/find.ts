import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { BabelqError } from '../../model/errors.ts';

export interface FoundConfig {
  path: string;
  text: string;
}

/**
 * The configuration file: `--config`, else `$BABELQ_CONFIG`, else `./babelq.yaml`, else
 * `$XDG_CONFIG_HOME/babelq/config.yaml`. Null where there is none; one that was named must be there.
 * @throws BabelqError `config`
 */
export async function findConfig(
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<FoundConfig | null> {
  if (named !== undefined) return readNamed(resolve(cwd, named), '--config');
  if (env.BABELQ_CONFIG) return readNamed(resolve(cwd, expandHome(env.BABELQ_CONFIG, env)), '$BABELQ_CONFIG');
  const base = env.XDG_CONFIG_HOME || join(homeOf(env), '.config');
  for (const path of [join(cwd, 'babelq.yaml'), join(base, 'babelq', 'config.yaml')]) {
    if (existsSync(path)) return { path, text: await readText(path) };
  }
  return null;
}

/** `~` and `~/x` as the home folder. */
export function expandHome(path: string, env: Readonly<Record<string, string | undefined>>): string {
  return path === '~' || path.startsWith('~/') ? join(homeOf(env), path.slice(1)) : path;
}

function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return env.HOME || homedir();
}

/** A file that another includes. @throws BabelqError `config` with the place that names it */
export async function readIncluded(path: string, place: string): Promise<FoundConfig> {
  if (existsSync(path)) return { path, text: await readText(path) };
  throw new BabelqError('config', `${place}: the file ${path} does not exist.`, {
    hint: 'It is looked for from where the including file lies.',
  });
}

async function readNamed(path: string, by: string): Promise<FoundConfig> {
  if (!existsSync(path)) {
    throw new BabelqError('config', `The configuration file ${path} does not exist.`, {
      hint: `${by} names it: mend the name, or leave it out to use ./babelq.yaml.`,
    });
  }
  return { path, text: await readText(path) };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    const why = code === 'EISDIR' ? 'it is a folder' : code === 'EACCES' ? 'permission denied' : code;
    throw new BabelqError('config', `The configuration file ${path} can't be read: ${why}.`, {
      hint: 'It must be a readable YAML file.',
      cause,
    });
  }
}
