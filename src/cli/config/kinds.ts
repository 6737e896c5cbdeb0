import { parseMemberPath } from '../../model/member-path.ts';
import type { Schema } from '../schemas/shape.ts';
import { HAS_VARIABLE, WELL_WRITTEN } from './variables.ts';
import type { Value, YamlReader } from './yaml.ts';

/** How a setting is read and how the JSON Schema describes it: one thing, so that editors and babelq agree. */
export interface Kind<T> {
  readonly schema: Schema;
  /** @throws BabelqError `config` with the file, the line and the path */
  read(yaml: YamlReader, value: Value): T;
}

/** The settings of a map, by their keys. */
export type Table = Readonly<Record<string, Kind<unknown>>>;

/** What a map comes to: a member for each key that is there. */
export type Values<T extends Table> = { [K in keyof T]?: T[K] extends Kind<infer V> ? V : never };

interface TextRules {
  /** As JSON Schema has patterns: for the text with its variables put in. */
  pattern?: string;
  /** More than a pattern can say. */
  check?: (text: string, path: string) => boolean;
  /** What it must be, and an example, for who wrote something else. */
  complaint?: { what: string; hint: string };
}

/** Text that isn't blank, with variables. */
export function text(description: string, examples: readonly string[], rules: TextRules = {}): Kind<string> {
  const { pattern, check, complaint } = rules;
  const test = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  return {
    schema: {
      type: 'string',
      description,
      examples,
      // Text that isn't blank, and no ${ that names nothing.
      allOf: [{ pattern: '\\S' }, { pattern: WELL_WRITTEN }],
      ...(pattern !== undefined && { anyOf: [{ pattern }, { pattern: HAS_VARIABLE }] }),
    },
    read(yaml, value) {
      const read = yaml.text(value);
      const fits = (test?.test(read) ?? true) && (check?.(read, value.path) ?? true);
      if (fits) return read;
      throw yaml.problem(value, complaint?.what ?? 'is not what it must be', complaint?.hint);
    },
  };
}

export function flag(description: string): Kind<boolean> {
  return {
    schema: { type: 'boolean', description },
    read: (yaml, value) => yaml.flag(value),
  };
}

/** Names of somebody's own, each with a text. */
export function texts(description: string, example: Readonly<Record<string, string>>): Kind<Record<string, string>> {
  const { schema } = text('', []);
  return {
    schema: {
      type: 'object',
      description,
      examples: [example],
      additionalProperties: { type: 'string', allOf: schema.allOf },
    },
    read: (yaml, value) => yaml.texts(value),
  };
}

export function list<T>(items: Kind<T>, description: string): Kind<T[]> {
  return {
    schema: { type: 'array', description, items: items.schema },
    read: (yaml, value) => yaml.list(value).map((item) => items.read(yaml, item)),
  };
}

/** A path into bodies. */
export function memberPath(description: string, examples: readonly string[]): Kind<string> {
  const check = (path: string, setting: string) => {
    try {
      parseMemberPath(path, setting);
      return true;
    } catch {
      return false;
    }
  };
  const what = "can't be read as a path into the body";
  return text(description, examples, {
    // As much of a path as a pattern can tell: names, in quotes or not, and indexes, with dots between.
    pattern:
      '^(?:"(?:[^"\\\\]|\\\\.)*"|[^.\\["]+|\\[(?:\\*|[0-9]+)\\])(?:\\[(?:\\*|[0-9]+)\\]|\\.(?:"(?:[^"\\\\]|\\\\.)*"|[^.\\["]+|\\[(?:\\*|[0-9]+)\\]))*$',
    check,
    complaint: { what, hint: 'A path is names with dots, such as data.email.' },
  });
}

/** The members of a map that are there, read. */
export function readMembers<T extends Table>(yaml: YamlReader, members: Map<string, Value>, table: T): Values<T> {
  const read: Record<string, unknown> = {};
  for (const [key, value] of members) {
    const kind = table[key];
    if (kind !== undefined) read[key] = kind.read(yaml, value);
  }
  return read as Values<T>;
}

/** The schema of a map with these settings and no others. */
export function mapSchema(description: string, table: Table, required: readonly string[] = []): Schema {
  return {
    type: 'object',
    description,
    properties: Object.fromEntries(Object.entries(table).map(([key, { schema }]) => [key, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
