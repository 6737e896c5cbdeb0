/** The documents that have a schema, in the order in which they are listed. */
export const SCHEMA_NAMES = [
  'deliveries',
  'inspect',
  'action',
  'groups',
  'sources',
  'discover',
  'log',
  'check',
  'doctor',
  'reasons',
  'export',
  'config',
  'journal_info',
  'journal_prune',
  'journal_backup',
  'error',
] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];
