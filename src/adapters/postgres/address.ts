import { userInfo } from 'node:os';
import { maskUrl } from '../../model/display/secrets.ts';
import { BabelqError } from '../../model/errors.ts';
import { SSL_MODES, type SslMode } from './tls.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a PostgreSQL database is, and how it is spoken to. Holds the password: never print it whole. */
export interface Address {
  host: string;
  port: number;
  user: string;
  /** Null where none was given: `~/.pgpass` may have it. */
  password: string | null;
  database: string;
  /** The schema that was asked for; null for as the server's search path says. */
  schema: string | null;
  ssl: {
    mode: SslMode;
    /** Files; `system` for Node's own roots. */
    rootCert: string | null;
    cert: string | null;
    key: string | null;
  };
  /** Binds the password's proof to the TLS connection, where the server offers that. */
  channelBinding: boolean;
  /** Milliseconds until a connection must stand. */
  connectTimeoutMs: number;
  /** Milliseconds that one statement may take. */
  statementTimeoutMs: number;
  /** `host:port/database`, for messages: nothing secret is in it. */
  shown: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Parameters that other programs put into such addresses, and that mean nothing here. */
const IGNORED = new Set([
  'application_name',
  'fallback_application_name',
  'client_encoding',
  'connection_limit',
  'pgbouncer',
  'pool_timeout',
  'target_session_attrs',
  'keepalives',
  'keepalives_idle',
]);
const KNOWN = [
  'schema',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'channel_binding',
  'host',
  'port',
  'user',
  'password',
  'dbname',
  'connect_timeout',
  'statement_timeout',
];
/** Other programs' words for `schema`. */
const SCHEMA_WORDS = ['schema', 'currentschema', 'search_path'];

/** Whether a text is a PostgreSQL address, well-formed or not. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//i.test(text);
}

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…`. What it leaves out comes from libpq's variables (PGHOST,
 * PGPORT, PGUSER, PGPASSWORD, PGDATABASE, PGSSLMODE, PGSSLROOTCERT), else from libpq's defaults.
 * @throws BabelqError `config`; no part of the address is in it, since any part of a malformed one may be the password
 */
export function parseAddress(text: string, env: Env = process.env): Address {
  const match = /^postgres(?:ql)?:\/\/(?:([^/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(text);
  const [, userInfoPart, hostPart = '', databasePart = '', queryPart = ''] = match ?? [];
  // Behind the host these stand only where an earlier part holds them unencoded.
  if (match === null || /[@/]/.test(databasePart) || queryPart.includes('@')) throw malformed();
  const given = parametersFrom(queryPart);
  const [userPart = '', ...passwordParts] = (userInfoPart ?? '').split(':');
  const { host: typedHost, port: typedPort } = hostAndPort(hostPart);
  const user = given.get('user') ?? (decoded(userPart) || env.PGUSER || ownName());
  const typedPassword = passwordParts.length === 0 ? null : decoded(passwordParts.join(':'));
  const host = given.get('host') || typedHost || env.PGHOST || 'localhost';
  const port = portFrom(given.get('port') || typedPort || env.PGPORT || '5432');
  const database = given.get('dbname') || decoded(databasePart) || env.PGDATABASE || user;
  return {
    host,
    port,
    user,
    password: given.get('password') ?? (typedPassword || env.PGPASSWORD || null),
    database,
    schema: schemaFrom(given),
    ssl: {
      mode: modeFrom(given.get('sslmode') ?? env.PGSSLMODE ?? 'prefer'),
      rootCert: given.get('sslrootcert') ?? (env.PGSSLROOTCERT || null),
      cert: given.get('sslcert') ?? (env.PGSSLCERT || null),
      key: given.get('sslkey') ?? (env.PGSSLKEY || null),
    },
    channelBinding: (given.get('channel_binding') ?? 'disable') !== 'disable',
    connectTimeoutMs: milliseconds(given.get('connect_timeout'), 1000) ?? CONNECT_TIMEOUT_MS,
    statementTimeoutMs: milliseconds(given.get('statement_timeout'), 1) ?? STATEMENT_TIMEOUT_MS,
    shown: `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`,
  };
}

/** An address for showing: its password, wherever it stands, as `***`; nothing of one that can't be read. */
export function maskedAddress(text: string): string {
  try {
    parseAddress(text, {});
  } catch {
    return 'postgres://***';
  }
  return maskUrl(text);
}

function parametersFrom(query: string): Map<string, string> {
  const given = new Map<string, string>();
  for (const pair of query.split('&').filter((one) => one !== '')) {
    const [name = '', ...value] = pair.split('=');
    const key = decoded(name).toLowerCase();
    if (IGNORED.has(key)) continue;
    if (!KNOWN.includes(key) && !SCHEMA_WORDS.includes(key)) {
      throw new BabelqError('config', "The database's address has a parameter that isn't known here.", {
        hint: `It takes ${KNOWN.join(', ')}. A password with & or ? in it must be percent-encoded.`,
      });
    }
    given.set(SCHEMA_WORDS.includes(key) ? 'schema' : key, decoded(value.join('=')));
  }
  return given;
}

function hostAndPort(text: string): { host: string; port: string } {
  const [, bracketed, plain = '', port = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/.exec(text) ?? [];
  if (text !== '' && bracketed === undefined && plain === '' && port === '') throw malformed();
  if (plain.includes(',')) {
    throw new BabelqError('config', "The database's address names several hosts.", {
      hint: 'Name the one that can be written, or a name that leads to it.',
    });
  }
  return { host: bracketed ?? decoded(plain), port };
}

function portFrom(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port === 0 || port > 65_535) throw malformed();
  return port;
}

function schemaFrom(given: ReadonlyMap<string, string>): string | null {
  const schema = given.get('schema');
  if (schema === undefined || schema === '') return null;
  if (schema.includes(',')) {
    throw new BabelqError('config', "The database's address names several schemas.", {
      hint: 'Name the one that holds the table: ?schema=…',
    });
  }
  return schema;
}

function modeFrom(text: string): SslMode {
  // What node programs write where they don't want the certificate checked.
  const mode = text === 'no-verify' ? 'require' : SSL_MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new BabelqError('config', "The database's address has an sslmode that isn't known here.", {
    hint: `It takes ${SSL_MODES.join(', ')}; verify-full is the one that keeps others from reading along.`,
  });
}

/** @param unit milliseconds that the number counts; 0 stands for libpq's "for ever", and is no limit but a long one */
function milliseconds(text: string | undefined, unit: number): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw malformed();
  const ms = Math.min(Number(text) * unit, 2 ** 31 - 1);
  return ms === 0 ? 2 ** 31 - 1 : ms;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

function malformed(): BabelqError {
  return new BabelqError('config', "The database's address can't be read.", {
    hint:
      'It is postgres://user:password@host:port/database?sslmode=…; characters such as @ / ? # % & in a name or a ' +
      'password must be percent-encoded (%40 for @).',
  });
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'postgres';
  }
}
