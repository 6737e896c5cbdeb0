import { ORIGINS } from '../../model/failure.ts';
import type { Reason } from '../../model/reasons.ts';
import type { ResolvedSetting } from '../config/resolved.ts';
import { ACTION_REPORT, LOG } from './acting.ts';
import { JOURNAL_BACKUP, JOURNAL_INFO, JOURNAL_PRUNE } from './journal.ts';
import type { SchemaName } from './names.ts';
import { CHECK, DELIVERIES, EXPORT, GROUPS, INSPECT, SOURCES } from './reading.ts';
import { DISCOVER, DOCTOR } from './setup.ts';
import { flag, list, object, oneOf, orNull, ref, type Schema, text } from './shape.ts';

const BASIS = oneOf(['recorded', 'inferred'], 'Whether it is read or deduced there');

const REASON = object('A reason code', {
  code: text('The code'),
  origins: list(oneOf(ORIGINS, 'An origin'), 'Where it occurs'),
  basis: {
    type: 'object',
    description: 'By origin',
    properties: Object.fromEntries(ORIGINS.map((origin) => [origin, BASIS])),
    additionalProperties: false,
  },
  meaning: text('What happened'),
  before_retry: text('What to fix before a retry'),
} satisfies Record<keyof Reason, Schema>);

const REASONS: Schema = {
  ...object('What babelq reasons prints', { reasons: list(ref('reason'), 'The codes that babelq knows') }),
  $defs: { reason: REASON },
};

const ERROR = object('What stands on stderr with --json where something went wrong', {
  error: object('The error', {
    code: text('What kind of error it is'),
    message: text('What happened, to what'),
    hint: orNull(text('What to do')),
    source: orNull(text('The source it is about')),
  }),
});

const RESOLVED = object('A setting, and what says so', {
  setting: text('sources[0].sqs, or a variable that is heeded by itself: $AWS_REGION'),
  value: {
    description: 'Without secrets',
    anyOf: [{ type: 'string' }, { type: 'boolean' }],
  },
  from: oneOf(['flag', 'environment', 'file', 'default'], 'What says so'),
  place: orNull(text('The file and line, the flag, or the variable')),
  variables: list(text('A name'), 'The variables of the environment that were put in'),
  masked: flag("Whether a part of it isn't shown"),
} satisfies Record<keyof ResolvedSetting, Schema>);

const CONFIG: Schema = {
  ...object('What babelq config show prints', {
    files: list(text('A path'), 'What was read, included files first'),
    settings: list(ref('setting'), 'Every setting that counts'),
  }),
  $defs: { setting: RESOLVED },
};

const BODIES: Readonly<Record<SchemaName, Schema>> = {
  deliveries: DELIVERIES,
  inspect: INSPECT,
  action: ACTION_REPORT,
  groups: GROUPS,
  sources: SOURCES,
  discover: DISCOVER,
  log: LOG,
  check: CHECK,
  doctor: DOCTOR,
  reasons: REASONS,
  export: EXPORT,
  config: CONFIG,
  journal_info: JOURNAL_INFO,
  journal_prune: JOURNAL_PRUNE,
  journal_backup: JOURNAL_BACKUP,
  error: ERROR,
};

/** The JSON Schema (draft 2020-12) of a document. */
export function schemaOf(name: SchemaName): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:babelq:schema:${name}`,
    title: `babelq ${name}`,
    ...BODIES[name],
  };
}
