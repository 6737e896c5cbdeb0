import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The statements of docs/team.md, for a schema and roles of a test's own, so that what is written there is what was tried. */
export function teamRoles(schema: string) {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/team.md'), 'utf8');
  const [create = '', grant = ''] = [...text.matchAll(/```sql\n([^`]*)```/g)].map(([, sql = '']) => sql);
  const [owner, operator] = [`${schema}_owner`, `${schema}_operator`];
  const named = (sql: string): string =>
    sql
      .replaceAll('babelq_owner', owner)
      .replaceAll('babelq_operator', operator)
      .replace(/ON DATABASE \w+/g, 'ON DATABASE postgres')
      .replace(/(SCHEMA|IN SCHEMA) babelq\b/g, `$1 ${schema}`)
      .replaceAll('babelq.', `${schema}.`);
  return {
    schema,
    owner,
    operator,
    password: 'change-me',
    /** As a superuser, before the journal is made. */
    create: `${named(create)} ALTER ROLE ${operator} SET synchronous_commit = off;`,
    /** As the owner, when it is there. */
    grant: named(grant),
    drop: `REVOKE ALL ON DATABASE postgres FROM ${owner}; DROP ROLE ${owner}; DROP ROLE ${operator};`,
  };
}
