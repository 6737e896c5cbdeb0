import Sqlite from 'better-sqlite3';
import { openJournal } from '../../src/adapters/journal/journal.ts';
import type { ActionReport } from '../../src/model/action.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { type FaultProxy, type Plan, startFaultProxy } from './fault-proxy.ts';
import { type Running, Sandbox } from './run-babelq.ts';
import type { SqsServer } from './servers.ts';
import { deadLettered } from './shapes.ts';

/** Where copies of one message are, and under which names it was known on the dead-letter queue. */
export interface Whereabouts {
  onDlq: number;
  atTarget: number;
  archived: number;
}

export interface RanAction {
  code: number | null;
  /** Null where it ended before it could print one. */
  report: ActionReport | null;
  stderr: string;
}

const DAY_MS = 86_400_000;
const clock = { now: () => Date.now(), sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) };

/**
 * A dead-letter queue of failed orders, each with an identity of its own, and somebody with babelq before it; between
 * them a proxy that breaks things. Knows from the server's inside, and from the journal, where every message is.
 */
export class Scene {
  readonly server: SqsServer;
  readonly proxy: FaultProxy;
  readonly sandbox: Sandbox;
  readonly dlq: string;
  readonly target: string;
  readonly #journals: string[];
  /** The identities of everything that was ever put there. */
  readonly known = new Set<string>();
  /** The identity behind each MessageId that was ever seen. */
  readonly #identities = new Map<string, string>();
  #put = 0;

  private constructor(server: SqsServer, proxy: FaultProxy, name: string, fifo: boolean) {
    this.server = server;
    this.proxy = proxy;
    const end = fifo ? '.fifo' : '';
    this.dlq = `${name}-dlq${end}`;
    this.target = `${name}${end}`;
    this.sandbox = new Sandbox({ ...proxy.environment });
    this.#journals = [this.sandbox.path('journal.db')];
  }

  static async open(
    server: SqsServer,
    name: string,
    options: { fifo?: boolean; longestPoll?: number; plan?: Plan; seed?: number } = {},
  ): Promise<Scene> {
    const { fifo = false, ...rest } = options;
    const scene = new Scene(server, await startFaultProxy(server, rest), name, fifo);
    await server.createQueue(scene.dlq);
    await server.createQueue(scene.target);
    return scene;
  }

  /** Lays so many failed orders on the dead-letter queue; on FIFO in groups of so many. */
  fill(messages: number, groupSize = 5): void {
    const failedAt = Date.now() - DAY_MS;
    for (let n = 0; n < messages; n += 1) {
      const id = `00000000-0000-4000-8000-${String(this.#put).padStart(12, '0')}`;
      const order = deadLettered({
        id,
        queue: this.target,
        data: `{"order_id":${this.#put}}`,
        deadLetter: { reason: 'failed', error: 'Gateway timeout', exception: 'GatewayTimeout', failedAt },
      });
      const group = this.dlq.endsWith('.fifo') ? { groupId: `g${Math.floor(this.#put / groupSize)}` } : {};
      this.#put += 1;
      this.known.add(id);
      this.#identities.set(this.server.put(this.dlq, { ...order, ...group, sentAt: failedAt }), id);
    }
  }

  /** Starts babelq on the queue, with `--json`. */
  start(args: readonly string[], journal = 0): Running {
    this.#journals[journal] ??= this.sandbox.path(`journal-${journal}.db`);
    const all = [...args, '--sqs', this.dlq, '--json', '--journal', this.#journals[journal]];
    return this.sandbox.start(all);
  }

  async act(args: readonly string[], journal = 0): Promise<RanAction> {
    return this.ended(this.start(args, journal));
  }

  /** Waits for its end, and reads what it printed. */
  async ended(running: Running): Promise<RanAction> {
    const { code, stdout, stderr } = await running.done;
    return { code, stderr, report: code === null || stdout === '' ? null : (JSON.parse(stdout) as ActionReport) };
  }

  /** The identity of the message that an item or a log entry is about. */
  identityOf(id: string): string {
    const identity = this.#identities.get(id.slice(id.indexOf('/') + 1));
    if (identity === undefined) throw new Error(`${id} was never seen.`);
    return identity;
  }

  get hidden(): number {
    return this.server.lying(this.dlq).filter(({ hidden }) => hidden).length;
  }

  /** The longest time (s) for which something is hidden now. */
  get hiddenSeconds(): number {
    const until = this.server.lying(this.dlq).map(({ hiddenUntil }) => hiddenUntil ?? 0);
    return Math.max(0, ...until.map((at) => (at - Date.now()) / 1000));
  }

  async whereabouts(): Promise<Map<string, Whereabouts>> {
    const all = new Map<string, Whereabouts>();
    for (const id of this.known) all.set(id, { onDlq: 0, atTarget: 0, archived: 0 });
    const at = (id: string) => {
      const here = all.get(id);
      if (here === undefined) throw new Error(`${id} came out of nowhere.`);
      return here;
    };
    for (const { messageId, body } of this.server.lying(this.dlq)) {
      const id = idIn(body);
      this.#identities.set(messageId, id);
      at(id).onDlq += 1;
    }
    for (const { body } of this.server.lying(this.target)) at(idIn(body)).atTarget += 1;
    await this.#withJournals(async (journal) => {
      for (let after: number | null = 0; after !== null; ) {
        const page = await journal.archived(this.#place, { limit: 1000, ...(after > 0 && { after }) });
        for (const { message } of page.messages) at(idIn(message.body)).archived += 1;
        after = page.next;
      }
    });
    return all;
  }

  get #place(): string {
    return `arn:aws:sqs:${this.server.region}:${this.server.account}:${this.dlq}@${new URL(this.proxy.endpoint).host}`;
  }

  /** What the journals tell, and nothing else: of which messages it isn't sure, or was not sure once. */
  async doubted(): Promise<Set<string>> {
    const isDoubtful = ({ possible_double, outcome }: LogEntry) =>
      possible_double || outcome === 'uncertain' || outcome === 'under_way';
    const doubted = new Set<string>();
    await this.#withJournals(async (journal) => {
      for (const entry of await journal.log({})) if (isDoubtful(entry)) doubted.add(this.identityOf(entry.id));
    });
    return doubted;
  }

  /** What the journals hold open, an entry a message and run. */
  async unfinished(): Promise<Set<string>> {
    const open = new Set<string>();
    await this.#withJournals(async (journal) => {
      for (const { run, id } of await journal.log({ unfinished: true })) open.add(`${run} ${id}`);
    });
    return open;
  }

  async #withJournals(work: (journal: ReturnType<typeof openJournal>) => Promise<void>): Promise<void> {
    for (const path of this.#journals) {
      const journal = openJournal({ path, clock, create: false, env: process.env });
      await work(journal).finally(() => journal.close());
    }
  }

  /** As if the time had gone by after which a silent run counts as dead and what is hidden becomes visible. */
  async letTimePass(): Promise<void> {
    for (const path of this.#journals) {
      const database = new Sqlite(path);
      const isThere = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'runs'`).get();
      if (isThere !== undefined) database.prepare('UPDATE runs SET beat_at = 0 WHERE ended_at IS NULL').run();
      database.close();
    }
    await this.proxy.idle();
    await this.server.expire(this.dlq);
  }

  async close(): Promise<void> {
    this.sandbox.remove();
    await this.proxy.close();
  }
}

function idIn(body: string): string {
  const { meta } = JSON.parse(body) as { meta: { id: string } };
  return meta.id;
}
