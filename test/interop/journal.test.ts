import { afterAll, describe, expect, test } from 'vitest';
import { postgresCare } from '../../src/adapters/journal/postgres/care.ts';
import { openPostgresJournal } from '../../src/adapters/journal/postgres/journal.ts';
import { MIGRATIONS } from '../../src/adapters/journal/postgres/schema.ts';
import { parseAddress } from '../../src/adapters/postgres/address.ts';
import { Postgres } from '../../src/adapters/postgres/postgres.ts';
import type { Journal } from '../../src/model/ports.ts';
import { journalCareContract } from '../support/journal-care-contract.ts';
import { journalContract } from '../support/journal-contract.ts';
import { anIntent, aStart, PLACE } from '../support/journal-samples.ts';
import { inSchema, postgresHome } from '../support/postgres-journal.ts';
import { realPostgres } from '../support/postgres-server.ts';
import { teamRoles } from '../support/team-roles.ts';
import { wallClock } from '../support/wall-clock.ts';

const server = await realPostgres();

describe.skipIf('missing' in server)('on a real PostgreSQL', () => {
  if ('missing' in server) return;
  const opened: { close(): Promise<void> }[] = [];
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
    await server.stop();
  });
  const open = (url: string): Journal => {
    const journal = openPostgresJournal({ url, clock: wallClock, env: {} });
    opened.push(journal);
    return journal;
  };

  journalContract('the journal', () => postgresHome(server));
  journalCareContract('the journal', 'postgres', () => postgresHome(server));

  test('many that make one journal and write to it at once: one makes it, each message is one’s only', async () => {
    const url = inSchema(server.url, `many_${process.pid}`);
    const journals = Array.from({ length: 8 }, () => open(url));
    const runs = await Promise.all(journals.map((journal) => journal.begin(aStart('dismiss'))));
    const ids = Array.from({ length: 50 }, (_, n) => `m${n}`);
    // Each goes through them from another place on, so that they meet in every order.
    const claims = await Promise.all(
      journals.flatMap((journal, at) =>
        ids.map(async (_, n) => {
          const some = [0, 1, 2].map((step) => ids[(n + at * 7 + step) % ids.length] ?? '');
          const run = runs[at] ?? expect.fail();
          return (
            await journal.intend(
              run,
              some.map((id) => anIntent(id, { last: null })),
            )
          ).filter((entry) => entry !== null);
        }),
      ),
    );
    expect(claims.flat()).toHaveLength(ids.length);
    const { messages } = await open(url).archived(PLACE, { limit: 1000 });
    expect(messages.map(({ nativeId }) => nativeId).toSorted()).toEqual(ids.toSorted());
    await server.exec(`DROP SCHEMA many_${process.pid} CASCADE`);
  }, 60_000);

  test('an operator needs no more than the lines of docs/team.md give, and commits wait for the disk all the same', async () => {
    const roles = teamRoles(`team_${process.pid}`);
    await server.exec(roles.create);
    const as = (role: string) => {
      const url = new URL(server.url);
      url.username = role;
      url.password = roles.password;
      return url.href;
    };
    const url = inSchema(as(roles.operator), roles.schema);
    await expect(open(url).begin(aStart('retry'))).rejects.toMatchObject({
      code: 'journal',
      hint: expect.stringContaining('docs/team.md'),
    });
    const owner = postgresCare({ url: inSchema(as(roles.owner), roles.schema), clock: wallClock, env: {} });
    opened.push(owner);
    expect(await owner.create()).toMatchObject({ exists: true, schema_version: MIGRATIONS.length });
    await server.exec(
      `GRANT USAGE ON SCHEMA ${roles.schema} TO ${roles.operator}; GRANT SELECT ON ALL TABLES IN SCHEMA ${roles.schema} TO ${roles.operator}`,
    );
    expect((await open(url).diagnose?.())?.trouble).toMatchObject({ message: expect.stringContaining('not write') });
    await server.exec(roles.grant);
    expect(await open(url).diagnose?.()).toMatchObject({ exists: true, trouble: null });
    const journal = open(url);
    const run = await journal.begin(aStart('dismiss'));
    const [entry = 0] = (await journal.intend(run, [anIntent('a'), anIntent('b')])).map((one) => one ?? 0);
    await journal.settle([{ entry, state: 'done' }]);
    const restoring = await journal.begin(aStart('restore'));
    const [back] = await journal.intend(restoring, [anIntent('a', { restores: entry })]);
    await journal.settle([{ entry: back ?? 0, state: 'sent', newId: 'a2' }]);
    await journal.beat(run);
    await journal.end(run, 'finished');
    expect(await journal.countArchived(PLACE)).toBe(1);
    expect(await journal.log({})).toHaveLength(3);

    // Behind the journal's back: whoever may not write can't.
    const operator = new Postgres(parseAddress(as(roles.operator), {}), wallClock);
    opened.push(operator);
    for (const sql of ['DROP TABLE S.runs', 'UPDATE S.journal SET version = 9', 'CREATE TABLE S.mine ()']) {
      const attempt = operator.transaction((statements) => statements.run(sql.replace('S.', `${roles.schema}.`)));
      await expect(attempt, sql).rejects.toMatchObject({ code: 'forbidden' });
    }
    await server.exec(`DROP SCHEMA ${roles.schema} CASCADE; ${roles.drop}`);
  }, 60_000);
});
