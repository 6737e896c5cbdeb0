// What a program must do at least with parked rows: one indexed page printed as JSON, or rows made pending by guarded
// UPDATEs, 500 a transaction. Not TypeScript, whose types would have to be stripped first.
//   node bench/rows.mjs page|update ADDRESS COUNT
const [what, address, count] = process.argv.slice(2);
const CHUNK = 500;
const NOW = '2026-11-30T15:00:00.000Z';
const PAGE = "SELECT * FROM jadpo_parked_messages WHERE status = 'failed' AND id > $1 ORDER BY id LIMIT $2";
const IDS = PAGE.replace('*', 'id');
const UPDATE =
  "UPDATE jadpo_parked_messages SET status = 'pending', status_at = $1 WHERE id = $2 AND status = 'failed'";
const MANY = UPDATE.replace('id = $2', 'id = ANY($2::text[])');

const database = address.startsWith('postgres') ? await postgres() : await sqlite();
if (what === 'page') {
  process.stdout.write(JSON.stringify(await database.page('', Number(count))));
} else {
  let last = '';
  for (let done = 0; done < Number(count); done += CHUNK) {
    const ids = await database.ids(last, CHUNK);
    await database.update(ids);
    last = ids.at(-1);
  }
}
await database.close();

async function sqlite() {
  const { default: Database } = await import('better-sqlite3');
  const file = new Database(address);
  const positional = (sql) => sql.replaceAll(/\$\d/g, '?');
  const update = file.prepare(positional(UPDATE));
  const updateAll = file.transaction((ids) => {
    for (const id of ids) update.run(NOW, id);
  });
  return {
    page: (after, limit) => file.prepare(positional(PAGE)).all(after, limit),
    ids: (after, limit) => file.prepare(positional(IDS)).pluck().all(after, limit),
    update: (ids) => updateAll.immediate(ids),
    close: () => file.close(),
  };
}

async function postgres() {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return {
    page: async (after, limit) => (await client.query(PAGE, [after, limit])).rows,
    ids: async (after, limit) => (await client.query(IDS, [after, limit])).rows.map(({ id }) => id),
    update: (ids) => client.query(MANY, [NOW, ids]),
    close: () => client.end(),
  };
}
