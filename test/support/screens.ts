import { readFileSync, writeFileSync } from 'node:fs';
import { expect, vi } from 'vitest';
import { createJadpoFile, parkedRow } from './jadpo-table.ts';
import { BIN, Sandbox } from './run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from './servers.ts';
import { deadLettered } from './shapes.ts';
import { TmuxTerminal } from './tmux.ts';

/** Renames the window, writes the clipboard, clears the screen and turns the reading order around. */
const HOSTILE = '\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u202eowned';

export const MESSAGES = [
  { urn: 'urn:babel:orders:created', error: 'Payment gateway timeout' },
  { urn: 'urn:babel:orders:voided', error: 'No such order' },
  { urn: 'urn:babel:orders:paid', error: HOSTILE },
];

interface Scene {
  queue: string;
  dlq: string;
  config: string;
}

/** A session in a terminal types ahead of what a stalled machine shows: it is made once more before it counts as failed. */
export const SESSION = { timeout: 90_000, retry: 1 };

/** A server, and the screens in terminals over it. */
export class ScreensStage {
  readonly server: SqsServer;
  readonly sandbox: Sandbox;
  readonly #terminals: TmuxTerminal[] = [];
  readonly #now = Date.now();
  #queues = 0;

  private constructor(server: SqsServer) {
    this.server = server;
    this.sandbox = new Sandbox(server.environment);
  }

  static async open(): Promise<ScreensStage> {
    return new ScreensStage(await startLocalAwsSqs());
  }

  async close(): Promise<void> {
    for (const terminal of this.#terminals) terminal.close();
    await this.server.close();
    this.sandbox.remove();
  }

  /**
   * A queue and a journal of its own, with these messages on its dead-letter queue; two parked messages; and a source that
   * isn't there.
   * @param settings more lines of the configuration
   */
  async seed(messages: readonly { urn: string; error: string }[], settings = ''): Promise<Scene> {
    this.#queues += 1;
    const number = this.#queues;
    const queue = `orders${number}`;
    const dlq = `${queue}-dlq`;
    await this.server.createQueue(dlq);
    await this.server.createQueue(queue, {}, { queue: dlq, maxReceiveCount: 3 });
    messages.forEach(({ urn, error }, at) => {
      const deadLetter = { reason: 'failed', error, exception: null, failedAt: this.#now - at * 60_000 };
      const message = deadLettered({ urn, queue, id: `00000000-0000-4000-8000-00000000000${at}`, deadLetter });
      this.server.put(dlq, { body: message.body, attributes: message.attributes, sentAt: this.#now - at * 60_000 });
    });
    const database = `warehouse${number}.sqlite`;
    createJadpoFile(this.sandbox.path(database), [
      parkedRow({ id: 'p1' }),
      parkedRow({ id: 'p2', event: 'OrderLost' }),
    ]);
    const config = this.sandbox.path(`babelq${number}.yaml`);
    writeFileSync(
      config,
      `sources:\n  - { name: orders, sqs: ${dlq} }\n  - { name: warehouse, jadpo: ./${database} }\n  - { name: gone, sqs: no-such-dlq }\njournal: ./journal${number}.db\n${settings}`,
    );
    return { queue, dlq, config };
  }

  /**
   * A shell in a terminal, and babelq in it. CI=true, as in the machines that run this: a terminal is one there too.
   * @param before what stands before babelq on the shell's line
   */
  screens(
    config: string,
    size: { columns: number; rows: number } = { columns: 100, rows: 30 },
    before = '',
    args = '',
  ): TmuxTerminal {
    const { home: cwd, env } = this.sandbox;
    const terminal = new TmuxTerminal({ ...size, cwd, env: { ...env, CI: 'true' } });
    this.#terminals.push(terminal);
    // Its own process id, where a test is to send it a signal.
    const run = `sh -c 'echo $$ > ${config}.pid; exec "$@"' sh '${process.execPath}' '${BIN}' --config '${config}' ${args}`;
    terminal.type(`echo the shell; ${before} ${run}; echo "code=$?"`);
    terminal.press('Enter');
    return terminal;
  }

  kill(config: string, signal: NodeJS.Signals): void {
    process.kill(Number(readFileSync(`${config}.pid`, 'utf8').trim()), signal);
  }

  bodies(queue: string): string[] {
    return this.server.lying(queue).map(({ body }) => body);
  }

  /** The server makes a message visible a moment after it has said so; left to itself it would take a minute. */
  nothingHidden(queue: string): Promise<void> {
    return vi.waitFor(() => expect(this.server.lying(queue).filter(({ hidden }) => hidden)).toEqual([]), 20_000);
  }
}
