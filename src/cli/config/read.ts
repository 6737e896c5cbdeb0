import { dirname, resolve } from 'node:path';
import { isUrl, type JadpoConfig, type Setting, type SourceConfig, type SqsConfig } from './config.ts';
import { expandHome, type FoundConfig } from './find.ts';
import { readMembers } from './kinds.ts';
import { JADPO_SETTINGS, SQS_SETTINGS, TOP_SETTINGS } from './settings.ts';
import { type Value, YamlReader } from './yaml.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What one file says by itself. What it doesn't say is absent. */
export interface FileConfig {
  file: string;
  /** Files to read before it, absolute, each with where it is named. */
  include: { path: string; place: string }[];
  sources: SourceConfig[];
  redact: string[];
  /** Every value of it but `include`, as it stands there. */
  settings: Setting[];
}

/** Reads one configuration file. @throws BabelqError `config` with the file, the line and the path */
export function readConfig({ path: file, text }: FoundConfig, env: Env): FileConfig {
  const yaml = new YamlReader(file, text, env);
  const config: FileConfig = { file, include: [], sources: [], redact: [], settings: [] };
  if (yaml.empty) return config;
  const members = yaml.map(yaml.root, ['sources', ...Object.keys(TOP_SETTINGS)]);
  const base = dirname(file);
  const sources = members.get('sources');
  if (sources) config.sources = yaml.list(sources).map((value) => readSource(yaml, value, base, env));
  const { include = [], redact = [] } = readMembers(yaml, members, TOP_SETTINGS);
  const listed = members.get('include');
  const places = listed === undefined ? [] : yaml.list(listed).map((value) => yaml.place(value));
  config.include = include.map((path, n) => ({ path: resolve(base, expandHome(path, env)), place: places[n] ?? file }));
  config.redact = redact;
  config.settings = yaml.settings.filter(({ path }) => !path.startsWith('include'));
  return config;
}

function readSource(yaml: YamlReader, value: Value, base: string, env: Env): SourceConfig {
  const all = yaml.map(value, [...new Set([...Object.keys(SQS_SETTINGS), ...Object.keys(JADPO_SETTINGS)])]);
  const kind = all.has('jadpo') ? 'jadpo' : 'sqs';
  if (all.has('jadpo') === all.has('sqs')) {
    throw yaml.problem(
      value,
      all.has('sqs') ? 'it names both sqs and jadpo' : 'it names neither sqs nor jadpo',
      'A source is one dead-letter queue (sqs: orders-dlq) or one database (jadpo: ./build/local.sqlite).',
    );
  }
  const known = kind === 'sqs' ? SQS_SETTINGS : JADPO_SETTINGS;
  for (const [key, member] of all) {
    if (!(key in known)) {
      throw yaml.problem(member, `this belongs to ${kind === 'sqs' ? 'a jadpo' : 'an sqs'} source`);
    }
  }
  const source = kind === 'sqs' ? readSqs(yaml, all) : readJadpo(yaml, all, base, env);
  return { ...source, place: yaml.place(value) };
}

function readSqs(yaml: YamlReader, all: Map<string, Value>): SqsConfig {
  const { sqs = '', redrive_to, ...others } = readMembers(yaml, all, SQS_SETTINGS);
  return { kind: 'sqs', queue: sqs, ...others, ...(redrive_to !== undefined && { redriveTo: redrive_to }) };
}

function readJadpo(yaml: YamlReader, all: Map<string, Value>, base: string, env: Env): JadpoConfig {
  const { jadpo = '', ...others } = readMembers(yaml, all, JADPO_SETTINGS);
  return { kind: 'jadpo', database: isUrl(jadpo) ? jadpo : resolve(base, expandHome(jadpo, env)), ...others };
}
