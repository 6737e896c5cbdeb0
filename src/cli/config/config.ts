import { resolve } from 'node:path';
import { BabelqError } from '../../model/errors.ts';

/** What babelq.yaml says, once read: variables put in, paths made absolute, every name and type checked. */
export interface Config {
  /** The file it came from; null where there is none. */
  file: string | null;
  /** Everything that was read for it, included files first, then the file itself. */
  files: string[];
  sources: SourceConfig[];
  /** Paths of body members to blank, as written. */
  redact: string[];
  journal: string | null;
  /** Whether every action must say why. */
  requireNote: boolean;
  /** Every value that counts, with where it stands. */
  settings: Setting[];
}

/** One value of a file. */
export interface Setting {
  /** `sources[0].sqs`. The sources of several files are counted through. */
  path: string;
  /** With variables put in; it may be a secret. */
  value: string | boolean;
  file: string;
  line: number;
  /** The variables that were put in. */
  variables: string[];
}

export type SourceConfig = SqsConfig | JadpoConfig;

interface Placed {
  /** `babelq.yaml:7: sources[1]`; absent where it was typed. */
  place?: string;
}

export interface SqsConfig extends Placed {
  kind: 'sqs';
  name?: string;
  /** A queue's name, URL or ARN. */
  queue: string;
  redriveTo?: string;
  region?: string;
  profile?: string;
  endpoint?: string;
}

export interface JadpoConfig extends Placed {
  kind: 'jadpo';
  name?: string;
  /** A path, or a postgres:// URL (which may hold a password: never print it). */
  database: string;
  /** The table's name, where it isn't jadpo's own. */
  table?: string;
  columns?: Record<string, string>;
  statuses?: Record<string, string>;
}

export const NO_CONFIG: Config = {
  file: null,
  files: [],
  sources: [],
  redact: [],
  journal: null,
  requireNote: false,
  settings: [],
};

/** Whether a database is named by a URL and not by a path. */
export function isUrl(database: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(database);
}

/**
 * Where a journal lies: a PostgreSQL database's URL as it is, a file's name as a path from `base`.
 * @throws BabelqError `config` for another kind of URL, of which nothing is shown
 */
export function journalLocation(text: string, base: string): string {
  if (/^postgres(ql)?:\/\//i.test(text)) return text;
  if (isUrl(text)) {
    throw new BabelqError('config', 'A journal is a file or a PostgreSQL database, and this URL names neither.', {
      hint: 'Name a file, or postgres://user@host/database.',
    });
  }
  return resolve(base, text);
}
