import type { Config, SourceConfig } from './config.ts';
import { maskSecrets } from './mask.ts';

/** A setting as it counts, and what says so. */
export interface ResolvedSetting {
  /** `sources[0].sqs`, or a variable that is heeded by itself: `$AWS_REGION`. */
  setting: string;
  /** Without secrets. */
  value: string | boolean;
  from: 'flag' | 'environment' | 'file' | 'default';
  /** `/etc/babelq.yaml:3`, `--sqs`, `$BABELQ_JOURNAL`; null for a default. */
  place: string | null;
  /** The variables of the environment that were put in. */
  variables: string[];
  /** Whether a part of it isn't shown. */
  masked: boolean;
}

/** Where a value that isn't in a file comes from. */
type Origin = Pick<ResolvedSetting, 'from' | 'place'>;

export interface Resolution {
  config: Config;
  /** What `--sqs` and `--jadpo` name; these count instead of the configuration's. */
  typed: readonly SourceConfig[];
  journal: { location: string } & Origin;
  operator: { name: string } & Origin;
  env: Readonly<Record<string, string | undefined>>;
}

/** What babelq, the AWS SDK, PostgreSQL's clients and Node heed of the environment. Proxies' in small letters too, which outweigh. */
const HEEDED = [
  ...[
    'AWS_PROFILE',
    'AWS_REGION',
    'AWS_DEFAULT_REGION',
    'AWS_ENDPOINT_URL_SQS',
    'AWS_ENDPOINT_URL',
    'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  ],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
  ...['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
  ...['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE', 'AWS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'],
  ...['PGHOST', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'PGSSLMODE', 'PGSSLROOTCERT', 'PGPASSFILE'],
  ...['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'],
];

/** Every setting that counts, with what says so and without secrets. */
export function resolveSettings({ config, typed, journal, operator, env }: Resolution): ResolvedSetting[] {
  const inFiles = config.settings
    .filter(({ path }) => path !== 'journal' && !(typed.length > 0 && path.startsWith('sources[')))
    .map(({ path, value, file, line, variables }) =>
      shown(path, value, { from: 'file', place: `${file}:${line}` }, variables),
    );
  const byFlag = typed.map((source, n) =>
    source.kind === 'sqs'
      ? shown(`sources[${n}].sqs`, source.queue, { from: 'flag', place: '--sqs' })
      : shown(`sources[${n}].jadpo`, source.database, { from: 'flag', place: '--jadpo' }),
  );
  const variables = config.settings.find(({ path }) => path === 'journal')?.variables;
  return [
    ...byFlag,
    ...inFiles,
    ...(config.settings.some(({ path }) => path === 'require_note')
      ? []
      : [shown('require_note', false, { from: 'default', place: null })]),
    shown('journal', journal.location, journal, journal.from === 'file' ? variables : []),
    shown('operator', operator.name, operator),
    ...HEEDED.filter((name) => env[name]).map((name) =>
      shown(`$${name}`, env[name] ?? '', { from: 'environment', place: `$${name}` }, [name]),
    ),
  ];
}

function shown(
  setting: string,
  value: string | boolean,
  { from, place }: Origin,
  variables: readonly string[] = [],
): ResolvedSetting {
  const rest = { from, place, variables: from === 'environment' ? [] : [...variables] };
  if (typeof value === 'boolean') return { setting, value, ...rest, masked: false };
  // These name where a secret lies, and are none themselves.
  const isPlace = from === 'environment' && /(?:FILE|_URI|_BUNDLE|_CERTS)$/.test(setting);
  return { setting, ...maskSecrets(value, isPlace ? [] : variables), ...rest };
}
