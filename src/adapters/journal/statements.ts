import type { Database, Statement } from 'better-sqlite3';

/** The prepared statements of one connection, each prepared when it is first used. */
export class Statements {
  readonly database: Database;
  readonly #prepared = new Map<string, Statement<unknown[], unknown>>();

  constructor(database: Database) {
    this.database = database;
  }

  /** @param sql constant text: values are bound, never written into it */
  of<Row = unknown>(sql: string): Statement<unknown[], Row> {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.database.prepare<unknown[], unknown>(sql);
      this.#prepared.set(sql, statement);
    }
    return statement as Statement<unknown[], Row>;
  }
}
