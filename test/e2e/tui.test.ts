import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES, ScreensStage, SESSION } from '../support/screens.ts';
import { HAS_TMUX } from '../support/tmux.ts';

let stage: ScreensStage;
beforeAll(async () => {
  stage = await ScreensStage.open();
});
afterAll(() => stage.close());

// Side by side: what takes long is waiting, for the long polls of a listing.
describe.skipIf(!HAS_TMUX).concurrent('the screens, in a terminal', SESSION, () => {
  test('open on the groups of all failures; a source in trouble is told in place; looking holds nothing', async () => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config, { columns: 140, rows: 30 });
    await screen.waitFor('5 failures');
    const shown = await screen.waitFor('nothing is held');
    screen.press('Tab');
    expect(shown).toContain('gone: ');
    expect(shown).toContain('no-such-dlq');
    for (const text of ['Payment gateway timeout', 'OrderLost', 'q quit']) expect(shown).toContain(text);
    await stage.nothingHidden(dlq);
    expect(stage.server.lying(dlq).every(({ receiveCount }) => receiveCount <= 2)).toBe(true);
  });

  test('narrow down by typing, look at one, and come back', async () => {
    const { config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config);
    await screen.waitFor('nothing is held');
    screen.press('Tab');
    screen.type('/voided');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'Enter');
    const page = await screen.waitFor('Fix first');
    expect(page).toContain('No such order');
    screen.press('BTab');
    await screen.waitFor('"order_id": 1042');
    screen.press('q', 'Escape');
    await screen.waitFor(/babelq\s+5 failures/);
  });

  test('a hostile message is text: no title, no clipboard, nothing cleared', async () => {
    const { config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config);
    await screen.waitFor('nothing is held');
    screen.press('Tab');
    const before = screen.title();
    screen.type('/paid');
    await screen.waitFor('1 of 5 failures');
    expect(screen.screen()).toContain('\\x1b]0;owned');
    screen.press('Enter', 'Enter');
    await screen.waitFor('Fix first');
    screen.press('BTab');
    await screen.waitFor('\\u001b]0;owned');
    expect(screen.title()).toBe(before);
  });

  test('retry two of them through one confirmation: they are reset on their queue, the rest stays', async () => {
    const { queue, dlq, config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config);
    await screen.waitFor('nothing is held');
    screen.press('Tab');
    screen.type('/orders:');
    await screen.waitFor('3 of 5 failures');
    screen.press('Enter', 'Space', 'Space', 'r');
    const asked = await screen.waitFor('Retry 2 messages? [y/n]');
    expect(asked).toMatch(new RegExp(`2 +${queue} +failed +→ ${queue}`));
    expect(stage.bodies(queue)).toEqual([]);
    screen.press('y');
    await screen.waitFor('Retried 2 messages.');
    expect(stage.bodies(queue)).toHaveLength(2);
    for (const body of stage.bodies(queue)) {
      expect(body).not.toContain('dead_letter');
      expect(body).toContain('"attempts":0');
    }
    expect(stage.bodies(dlq)).toHaveLength(1);
    screen.press('q');
    await screen.waitFor('1 of 3 failures');
  });

  test('dismiss one from SQS and one of jadpo, undo it, and each is what it was', async () => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const before = stage.bodies(dlq).toSorted();
    const screen = stage.screens(config);
    await screen.waitFor('nothing is held');
    screen.press('Tab');
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
    expect(stage.bodies(dlq)).toHaveLength(2);
    screen.press('q', 'Escape', 'D');
    await screen.waitFor('2 dismissed');
    screen.press('D');
    await screen.waitFor('3 failures');
    screen.press('u');
    await screen.waitFor('Restore 2 messages? [y/n]');
    screen.press('y');
    await screen.waitFor('Restored 2 messages.');
    screen.press('q');
    await screen.waitFor('5 failures');
    expect(stage.bodies(dlq).toSorted()).toEqual(before);
  });

  test('no answer but y changes anything, and a paste is no answer', async () => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config);
    await screen.waitFor('nothing is held');
    screen.press('Tab');
    screen.press('a', 'd');
    await screen.waitFor('Dismiss 5 messages? [y/n]');
    screen.paste('y\n');
    await screen.waitFor('[y/n]');
    screen.press('Enter', 'Space', 'n');
    await screen.waitFor('Nothing was changed.');
    expect(stage.bodies(dlq)).toHaveLength(3);
  });

  test('follow a resize, with the cursor in view, down to what is too small and back', async () => {
    const { config } = await stage.seed(
      Array.from({ length: 9 }, (_, at) => ({ urn: `urn:babel:n${at}`, error: `e${at}` })),
    );
    const screen = stage.screens(config, { columns: 120, rows: 40 });
    await screen.waitFor('nothing is held');
    screen.press('Tab');
    screen.press('G');
    const last = /> {2}p2 /;
    await screen.waitFor(last);
    screen.resize(60, 15);
    await screen.waitFor(last);
    screen.resize(50, 10);
    await screen.waitFor(/babelq needs 60×15/);
    screen.resize(80, 24);
    await screen.waitFor(last);
    screen.press('q', 'q');
    await screen.waitFor('code=0');
  });

  test.each([
    ['q', 0],
    ['C-c', 130],
  ])('%s gives the terminal back and exits %i', async (key, code) => {
    const { config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config);
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
    const { dlq, config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config);
    await screen.waitFor('nothing is held');
    screen.press('R');
    stage.kill(config, `SIG${signal}` as NodeJS.Signals);
    const shown = await screen.waitFor(`code=${code}`);
    expect(shown).toContain('the shell');
    expect(screen.givenBack()).toBe(true);
    await stage.nothingHidden(dlq);
  });

  test('a terminal that moves no cursor gets a sentence and exit 2', async () => {
    const { config } = await stage.seed([]);
    const screen = stage.screens(config, undefined, 'TERM=dumb');
    expect(await screen.waitFor('code=2')).toContain('TERM is dumb');
  });
});

test('without a terminal, babelq tui says so and exits 2; babelq alone prints help', async () => {
  const { stderr, stdout, code } = await stage.sandbox.run(['tui', '--sqs', 'orders-dlq']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('need a terminal');
  expect((await stage.sandbox.run([])).stdout).toContain('Usage:');
});
