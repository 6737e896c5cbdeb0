/** What babelq.yaml says, once read: variables put in, paths made absolute, every name and type checked. */
export interface Config {
  /** The file it came from; null where there is none. */
  file: string | null;
  sources: SourceConfig[];
  /** Paths of body members to blank, as written. */
  redact: string[];
  journal: string | null;
  /** Whether every action must say why. */
  requireNote: boolean;
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

export const NO_CONFIG: Config = { file: null, sources: [], redact: [], journal: null, requireNote: false };

/** Whether a database is named by a URL and not by a path. */
export function isUrl(database: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(database);
}
