import { dirname, resolve } from 'node:path';
import { parseMemberPath } from '../../model/member-path.ts';
import { type Config, isUrl, type JadpoConfig, NO_CONFIG, type SourceConfig, type SqsConfig } from './config.ts';
import { expandHome, type FoundConfig } from './find.ts';
import { type Value, YamlReader } from './yaml.ts';

type Env = Readonly<Record<string, string | undefined>>;

const TOP = ['sources', 'redact', 'journal', 'require_note'];
const SQS = ['name', 'sqs', 'redrive_to', 'region', 'profile', 'endpoint'];
const JADPO = ['name', 'jadpo', 'table', 'columns', 'statuses'];

/** Names stand before a slash in ids, and are typed into shells. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,79}$/u;

/** Reads a configuration file. @throws BabelqError `config` with the file, the line and the path */
export function readConfig({ path, text }: FoundConfig, env: Env): Config {
  const yaml = new YamlReader(path, text, env);
  const config: Config = { ...NO_CONFIG, file: path };
  if (yaml.empty) return config;
  const top = yaml.map(yaml.root, TOP);
  const base = dirname(path);
  const sources = top.get('sources');
  if (sources) config.sources = readSources(yaml, sources, base, env);
  const redact = top.get('redact');
  if (redact) config.redact = yaml.list(redact).map((value) => readMemberPath(yaml, value));
  const journal = top.get('journal');
  if (journal) config.journal = resolve(base, expandHome(yaml.text(journal), env));
  const requireNote = top.get('require_note');
  if (requireNote) config.requireNote = yaml.flag(requireNote);
  return config;
}

function readSources(yaml: YamlReader, list: Value, base: string, env: Env): SourceConfig[] {
  const lines = new Map<string, number>();
  return yaml.list(list).map((value) => {
    const source = readSource(yaml, value, base, env);
    if (source.name !== undefined) {
      const earlier = lines.get(source.name);
      if (earlier !== undefined) {
        throw yaml.problem(
          value,
          `the name ${source.name} is given to the source on line ${earlier} already`,
          'Ids start with the name of their source: give each its own.',
        );
      }
      lines.set(source.name, value.line);
    }
    return source;
  });
}

function readSource(yaml: YamlReader, value: Value, base: string, env: Env): SourceConfig {
  const all = yaml.map(value, [...new Set([...SQS, ...JADPO])]);
  const kind = all.has('jadpo') ? 'jadpo' : 'sqs';
  if (all.has('jadpo') === all.has('sqs')) {
    throw yaml.problem(
      value,
      all.has('sqs') ? 'it names both sqs and jadpo' : 'it names neither sqs nor jadpo',
      'A source is one dead-letter queue (sqs: orders-dlq) or one database (jadpo: ./build/local.sqlite).',
    );
  }
  const known = kind === 'sqs' ? SQS : JADPO;
  for (const [key, member] of all) {
    if (!known.includes(key)) {
      throw yaml.problem(member, `this belongs to ${kind === 'sqs' ? 'a jadpo' : 'an sqs'} source`);
    }
  }
  const source = kind === 'sqs' ? readSqs(yaml, all) : readJadpo(yaml, all, base, env);
  return { ...source, place: yaml.place(value) };
}

function readSqs(yaml: YamlReader, all: Map<string, Value>): SqsConfig {
  const endpoint = all.get('endpoint');
  return {
    kind: 'sqs',
    queue: required(yaml, all, 'sqs'),
    ...nameOf(yaml, all),
    ...optional(yaml, all, 'redrive_to', 'redriveTo'),
    ...optional(yaml, all, 'region', 'region'),
    ...optional(yaml, all, 'profile', 'profile'),
    ...(endpoint && { endpoint: readUrl(yaml, endpoint) }),
  };
}

function readJadpo(yaml: YamlReader, all: Map<string, Value>, base: string, env: Env): JadpoConfig {
  const columns = all.get('columns');
  const statuses = all.get('statuses');
  const database = required(yaml, all, 'jadpo');
  return {
    kind: 'jadpo',
    database: isUrl(database) ? database : resolve(base, expandHome(database, env)),
    ...nameOf(yaml, all),
    ...optional(yaml, all, 'table', 'table'),
    ...(columns && { columns: yaml.texts(columns) }),
    ...(statuses && { statuses: yaml.texts(statuses) }),
  };
}

function required(yaml: YamlReader, all: Map<string, Value>, key: string): string {
  const value = all.get(key);
  if (value === undefined) throw new Error(`${key} was checked to be there`);
  return yaml.text(value);
}

function optional<K extends string>(
  yaml: YamlReader,
  all: Map<string, Value>,
  key: string,
  as: K,
): { [P in K]?: string } {
  const value = all.get(key);
  return (value === undefined ? {} : { [as]: yaml.text(value) }) as { [P in K]?: string };
}

function nameOf(yaml: YamlReader, all: Map<string, Value>): { name?: string } {
  const value = all.get('name');
  if (value === undefined) return {};
  const name = yaml.text(value);
  if (!NAME.test(name)) {
    throw yaml.problem(
      value,
      'a name is letters, digits, dots, dashes and underscores, 80 at most',
      'Ids start with it, so it must be easy to type.',
    );
  }
  return { name };
}

function readUrl(yaml: YamlReader, value: Value): string {
  const text = yaml.text(value);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw yaml.problem(value, 'must be an http or https URL', 'For example http://localhost:4566.');
  }
  return text;
}

function readMemberPath(yaml: YamlReader, value: Value): string {
  const text = yaml.text(value);
  try {
    parseMemberPath(text, value.path);
  } catch {
    throw yaml.problem(
      value,
      "can't be read as a path into the body",
      'A path is names with dots, such as data.email.',
    );
  }
  return text;
}
