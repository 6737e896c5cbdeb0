import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BabelqError } from '../../model/errors.ts';
import { type Config, journalLocation, type Setting } from './config.ts';
import { expandHome, type FoundConfig, readIncluded } from './find.ts';
import { type FileConfig, readConfig } from './read.ts';
import { refuseSameNames } from './unique-names.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The configuration: a file, and those that it includes. Lists (`sources`, `redact`) add up, included
 * files first. Of the settings that stand for themselves the including file's outweighs; two included files that say
 * different things are refused.
 * @throws BabelqError `config`
 */
export async function loadConfig(found: FoundConfig, env: Env): Promise<Config> {
  const config = await loadFile(found, env, new Map([[await realpath(found.path), 'it includes this one']]));
  refuseSameNames(config.sources.flatMap(({ name, place }) => (name === undefined ? [] : { name, place })));
  return config;
}

/** @param places by real path, why each file is read already */
async function loadFile(found: FoundConfig, env: Env, places: Map<string, string>): Promise<Config> {
  const own = readConfig(found, env);
  const included: Config[] = [];
  for (const { path, place } of own.include) {
    const file = await readIncluded(path, place);
    const real = await realpath(path);
    const earlier = places.get(real);
    if (earlier !== undefined) {
      throw new BabelqError('config', `${place}: ${path} is read already, ${earlier}.`, {
        hint: 'Include each file once, and none that includes the one it is in.',
      });
    }
    places.set(real, `it is included at ${place}`);
    included.push(await loadFile(file, env, places));
  }
  return merge(included, own, env);
}

/** The settings of which there is one. */
const SINGLE: ReadonlySet<string> = new Set(['journal', 'require_note']);

function merge(included: readonly Config[], own: FileConfig, env: Env): Config {
  const ownSingles = new Set(own.settings.filter(({ path }) => SINGLE.has(path)).map(({ path }) => path));
  const outweighed = ({ path }: Setting) => ownSingles.has(path);
  refuseDisagreement(
    included.flatMap(({ settings }) => settings).filter((setting) => !outweighed(setting)),
    own.file,
  );
  const settings = countedThrough([
    ...included.map((config) => config.settings.filter((setting) => !outweighed(setting))),
    own.settings,
  ]);
  const single = (path: string) => settings.find((setting) => setting.path === path);
  const journal = single('journal');
  return {
    file: own.file,
    files: [...included.flatMap(({ files }) => files), own.file],
    sources: [...included.flatMap(({ sources }) => sources), ...own.sources],
    redact: [...new Set([...included.flatMap(({ redact }) => redact), ...own.redact])],
    journal:
      journal === undefined ? null : journalLocation(expandHome(String(journal.value), env), dirname(journal.file)),
    requireNote: single('require_note')?.value === true,
    settings,
  };
}

function refuseDisagreement(settings: readonly Setting[], file: string): void {
  const seen = new Map<string, Setting>();
  for (const setting of settings) {
    const earlier = SINGLE.has(setting.path) ? seen.get(setting.path) : undefined;
    if (earlier !== undefined && earlier.value !== setting.value) {
      throw new BabelqError(
        'config',
        `${setting.file}:${setting.line}: ${setting.path}: is another than at ${earlier.file}:${earlier.line}.`,
        { hint: `Both are included: say which it is by ${setting.path} in ${file}.` },
      );
    }
    seen.set(setting.path, setting);
  }
}

/** The files' settings as one list: sources and redact are counted through. */
function countedThrough(files: readonly (readonly Setting[])[]): Setting[] {
  const before = { sources: 0, redact: 0 };
  return files.flatMap((settings) => {
    const highest = { sources: -1, redact: -1 };
    const counted = settings.map((setting) => {
      const [whole, list, index = '', rest = ''] = /^(sources|redact)\[(\d+)\](.*)$/s.exec(setting.path) ?? [];
      if (whole === undefined || (list !== 'sources' && list !== 'redact')) return setting;
      highest[list] = Math.max(highest[list], Number(index));
      return { ...setting, path: `${list}[${before[list] + Number(index)}]${rest}` };
    });
    before.sources += highest.sources + 1;
    before.redact += highest.redact + 1;
    return counted;
  });
}
