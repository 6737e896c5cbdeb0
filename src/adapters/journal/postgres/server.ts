import { BabelqError } from '../../../model/errors.ts';
import type { Clock } from '../../../model/ports.ts';
import { parseAddress } from '../../postgres/address.ts';
import { Postgres } from '../../postgres/postgres.ts';
import { quoted } from '../../postgres/quoted.ts';
import { MIGRATIONS, migrate, versionOf } from './schema.ts';
import { DEFAULT_SCHEMA } from './sql.ts';

/** The database that holds a journal: one connection to read, one to write, so that no look waits for a commit. */
export class Server {
  readonly reading: Postgres;
  readonly writing: Postgres;
  readonly schema: string;
  /** Its address without user, password and parameters, for messages. */
  readonly location: string;
  /** Set once it is known to be there in this version, which it then stays. */
  #ready: Promise<void> | null = null;
  #isThere = false;

  /** @throws BabelqError `config` */
  constructor(url: string, clock: Clock, env: Readonly<Record<string, string | undefined>>) {
    const address = parseAddress(url, env);
    this.schema = address.schema ?? DEFAULT_SCHEMA;
    const suffix = this.schema === DEFAULT_SCHEMA ? '' : `?schema=${encodeURIComponent(this.schema)}`;
    this.location = `postgres://${address.shown}${suffix}`;
    this.reading = new Postgres(address, clock);
    this.writing = new Postgres(address, clock);
  }

  /** Makes the journal, or brings it up to date, where that has to be done. */
  async prepare(): Promise<void> {
    this.#ready ??= this.#prepare().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    await this.#ready;
  }

  async #prepare(): Promise<void> {
    if (await this.isThere()) return;
    await migrate(this.writing, this.schema, this.location);
    this.#isThere = true;
  }

  /** Whether there is one in this version; one of an older version is brought up to date. */
  async isThere(): Promise<boolean> {
    if (this.#isThere) return true;
    const version = await versionOf(this.reading, this.schema, this.location);
    if (version === 0) return false;
    if (version < MIGRATIONS.length) await migrate(this.writing, this.schema, this.location);
    this.#isThere = true;
    return true;
  }

  /** @throws BabelqError `journal` where the role may not write what an action records */
  async refuseUnlessWritable(): Promise<void> {
    const S = quoted(this.schema);
    const { rows } = await this.reading.read(
      `SELECT has_table_privilege($1, 'INSERT') AND has_table_privilege($2, 'INSERT') AND has_table_privilege($2, 'UPDATE')
         AND has_table_privilege($3, 'DELETE') AND has_sequence_privilege($4, 'USAGE'), current_user`,
      [`${S}.runs`, `${S}.entries`, `${S}.messages`, `${S}.entry_numbers`],
    );
    const [may, role] = rows[0] ?? [];
    if (may === 't') return;
    throw new BabelqError('journal', `The role ${role} may read the journal ${this.location}, and not write to it.`, {
      hint: "Have the journal's owner grant it; docs/team.md has the lines.",
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.reading.close(), this.writing.close()]);
  }
}
