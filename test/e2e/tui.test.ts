import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createJadpoFile, parkedRow } from '../support/jadpo-table.ts';
import { BIN, Sandbox } from '../support/run-babelq.ts';
import { type SqsServer, startLocalAwsSqs } from '../support/servers.ts';
import { deadLettered } from '../support/shapes.ts';
import { HAS_TMUX, TmuxTerminal } from '../support/tmux.ts';

/** Renames the window, writes the clipboard, clears the screen and turns the reading order around. */
const HOSTILE = '\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u202eowned';

const now = Date.now();
let server: SqsServer;
let sandbox: Sandbox;
const terminals: TmuxTerminal[] = [];
let queues = 0;

beforeAll(async () => {
  server = await startLocalAwsSqs();
  sandbox = new Sandbox(server.environment);
});
afterAll(async () => {
  for (const terminal of terminals) terminal.close();
  await server.close();
  sandbox.remove();
});

/** A queue and a journal of its own for each test, with these messages on its dead-letter queue. */
async function seed(
  messages: readonly { urn: string; error: string }[],
): Promise<{ queue: string; dlq: string; config: string }> {
  queues += 1;
  const number = queues;
  const queue = `orders${number}`;
  const dlq = `${queue}-dlq`;
  await server.createQueue(dlq);
  await server.createQueue(queue, {}, { queue: dlq, maxReceiveCount: 3 });
  messages.forEach(({ urn, error }, at) => {
    const deadLetter = { reason: 'failed', error, exception: null, failedAt: now - at * 60_000 };
    const message = deadLettered({ urn, queue, id: `00000000-0000-4000-8000-00000000000${at}`, deadLetter });
    server.put(dlq, { body: message.body, attributes: message.attributes, sentAt: now - at * 60_000 });
  });
  const database = `warehouse${number}.sqlite`;
  createJadpoFile(sandbox.path(database), [parkedRow({ id: 'p1' }), parkedRow({ id: 'p2', event: 'OrderLost' })]);
  const config = sandbox.path(`babelq${number}.yaml`);
  writeFileSync(
    config,
    `sources:\n  - { name: orders, sqs: ${dlq} }\n  - { name: warehouse, jadpo: ./${database} }\n  - { name: gone, sqs: no-such-dlq }\njournal: ./journal${number}.db\n`,
  );
  return { queue, dlq, config };
}

const MESSAGES = [
  { urn: 'urn:babel:orders:created', error: 'Payment gateway timeout' },
  { urn: 'urn:babel:orders:voided', error: 'No such order' },
  { urn: 'urn:babel:orders:paid', error: HOSTILE },
];

/** A shell in a terminal, and babelq in it. CI=true, as in the machines that run this: a terminal is one there too. */
function open(
  config: string,
  size: { columns: number; rows: number } = { columns: 100, rows: 30 },
  env = '',
): TmuxTerminal {
  const terminal = new TmuxTerminal({ ...size, cwd: sandbox.home, env: { ...sandbox.env, CI: 'true' } });
  terminals.push(terminal);
  terminal.type(`echo the shell; ${env} '${process.execPath}' '${BIN}' --config '${config}'; echo "code=$?"`);
  terminal.press('Enter');
  return terminal;
}

const lying = (queue: string) => server.lying(queue).map(({ body }) => body);

/** The server makes a message visible a moment after it has said so; left to itself it would take a minute. */
const nothingHidden = (queue: string) =>
  vi.waitFor(() => expect(server.lying(queue).filter(({ hidden }) => hidden)).toEqual([]), 3000);

// Side by side: what takes long is waiting, for the long polls of a listing.
describe.skipIf(!HAS_TMUX).concurrent('the screens, in a terminal', { timeout: 90_000 }, () => {
  test('open on all failures; a source in trouble is told in place; looking holds nothing', async () => {
    const { dlq, config } = await seed(MESSAGES);
    const screen = open(config, { columns: 140, rows: 30 });
    await screen.waitFor('5 failures');
    const shown = await screen.waitFor('nothing is held');
    expect(shown).toContain('gone: ');
    expect(shown).toContain('no-such-dlq');
    for (const text of ['Payment gateway timeout', 'OrderLost', 'q quit']) expect(shown).toContain(text);
    await nothingHidden(dlq);
    expect(server.lying(dlq).every(({ receiveCount }) => receiveCount <= 2)).toBe(true);
  });

  test('narrow down by typing, look at one, and come back', async () => {
    const { config } = await seed(MESSAGES);
    const screen = open(config);
    await screen.waitFor('nothing is held');
    screen.type('/voided');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'Enter');
    const page = await screen.waitFor('Fix first');
    expect(page).toContain('No such order');
    screen.press('G');
    await screen.waitFor('"order_id": 1042');
    screen.press('q', 'Escape');
    await screen.waitFor(/babelq\s+5 failures/);
  });

  test('a hostile message is text: no title, no clipboard, nothing cleared', async () => {
    const { config } = await seed(MESSAGES);
    const screen = open(config);
    await screen.waitFor('nothing is held');
    const before = screen.title();
    screen.type('/paid');
    await screen.waitFor('1 of 5 failures');
    expect(screen.screen()).toContain('\\x1b]0;owned');
    screen.press('Enter', 'Enter');
    await screen.waitFor('Fix first');
    screen.press('G');
    await screen.waitFor('\\u001b]0;owned');
    expect(screen.title()).toBe(before);
  });

  test('retry two of them through one confirmation: they are reset on their queue, the rest stays', async () => {
    const { queue, dlq, config } = await seed(MESSAGES);
    const screen = open(config);
    await screen.waitFor('nothing is held');
    screen.type('/orders:');
    await screen.waitFor('3 of 5 failures');
    screen.press('Enter', 'Space', 'Space', 'r');
    const asked = await screen.waitFor('Retry 2 messages? [y/n]');
    expect(asked).toMatch(new RegExp(`2 +${queue} +failed +→ ${queue}`));
    expect(lying(queue)).toEqual([]);
    screen.press('y');
    await screen.waitFor('Retried 2 messages.');
    expect(lying(queue)).toHaveLength(2);
    for (const body of lying(queue)) {
      expect(body).not.toContain('dead_letter');
      expect(body).toContain('"attempts":0');
    }
    expect(lying(dlq)).toHaveLength(1);
    screen.press('q');
    await screen.waitFor('1 of 3 failures');
  });

  test('dismiss one from SQS and one of jadpo, undo it, and each is what it was', async () => {
    const { dlq, config } = await seed(MESSAGES);
    const before = lying(dlq).toSorted();
    const screen = open(config);
    await screen.waitFor('nothing is held');
    screen.type('/voided');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'Space', 'Escape');
    screen.type('/OrderLost');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'Space', 'd');
    const asked = await screen.waitFor('Dismiss 2 messages? [y/n]');
    expect(asked).toContain('→ archive');
    screen.press('y');
    await screen.waitFor('Dismissed 2 messages.');
    expect(lying(dlq)).toHaveLength(2);
    screen.press('q', 'Escape', 'v');
    await screen.waitFor('2 dismissed');
    screen.press('v');
    await screen.waitFor('3 failures');
    screen.press('u');
    await screen.waitFor('Restore 2 messages? [y/n]');
    screen.press('y');
    await screen.waitFor('Restored 2 messages.');
    screen.press('q');
    await screen.waitFor('5 failures');
    expect(lying(dlq).toSorted()).toEqual(before);
  });

  test('no answer but y changes anything, and a paste is no answer', async () => {
    const { dlq, config } = await seed(MESSAGES);
    const screen = open(config);
    await screen.waitFor('nothing is held');
    screen.press('a', 'd');
    await screen.waitFor('Dismiss 5 messages? [y/n]');
    screen.paste('y\n');
    await screen.waitFor('[y/n]');
    screen.press('Enter', 'Space', 'n');
    await screen.waitFor('Nothing was changed.');
    expect(lying(dlq)).toHaveLength(3);
  });

  test('follow a resize, with the cursor in view, down to what is too small and back', async () => {
    const { config } = await seed(Array.from({ length: 9 }, (_, at) => ({ urn: `urn:babel:n${at}`, error: `e${at}` })));
    const screen = open(config, { columns: 120, rows: 40 });
    await screen.waitFor('nothing is held');
    screen.press('G');
    const last = /> {2}p2 /;
    await screen.waitFor(last);
    screen.resize(60, 15);
    await screen.waitFor(last);
    screen.resize(50, 10);
    await screen.waitFor(/babelq needs 60×15/);
    screen.resize(80, 24);
    await screen.waitFor(last);
    screen.press('q');
    await screen.waitFor('code=0');
  });

  test.each([
    ['q', 0],
    ['C-c', 130],
  ])('%s gives the terminal back and exits %i', async (key, code) => {
    const { config } = await seed(MESSAGES);
    const screen = open(config);
    await screen.waitFor('nothing is held');
    expect(screen.givenBack()).toBe(false);
    screen.press(key);
    const shown = await screen.waitFor(`code=${code}`);
    expect(shown).toContain('the shell');
    expect(screen.givenBack()).toBe(true);
    screen.type('echo still echoed');
    await screen.waitFor(/[#$] echo still echoed/);
  });

  test.each([
    ['TERM', 143],
    ['HUP', 129],
    ['INT', 130],
  ])('SIG%s gives the terminal back, lets go, and exits %i', async (signal, code) => {
    const { dlq, config } = await seed(MESSAGES);
    const screen = open(config, undefined, `sh -c 'echo $$ > ${config}.pid; exec "$@"' sh`);
    await screen.waitFor('nothing is held');
    screen.press('R');
    const pid = readFileSync(`${config}.pid`, 'utf8').trim();
    process.kill(Number(pid), `SIG${signal}` as NodeJS.Signals);
    const shown = await screen.waitFor(`code=${code}`);
    expect(shown).toContain('the shell');
    expect(screen.givenBack()).toBe(true);
    await nothingHidden(dlq);
  });

  test('a terminal that moves no cursor gets a sentence and exit 2', async () => {
    const { config } = await seed([]);
    const screen = open(config, undefined, 'TERM=dumb');
    expect(await screen.waitFor('code=2')).toContain('TERM is dumb');
  });
});

test('without a terminal, babelq tui says so and exits 2; babelq alone prints help', async () => {
  const { stderr, stdout, code } = await sandbox.run(['tui', '--sqs', 'orders-dlq']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('need a terminal');
  expect((await sandbox.run([])).stdout).toContain('Usage:');
});
