import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MESSAGES, ScreensStage, SESSION } from '../support/screens.ts';
import { HAS_TMUX } from '../support/tmux.ts';

let stage: ScreensStage;
beforeAll(async () => {
  stage = await ScreensStage.open();
});
afterAll(() => stage.close());

const hidden = (queue: string) => stage.server.lying(queue).filter((one) => one.hidden).length;

/** An editor that is a shell script, `$1` the file; what it does is noted beside it. */
function editor(name: string, script: string): { path: string; saw: () => string } {
  const path = stage.sandbox.path(name);
  writeFileSync(path, `#!/bin/sh\nstat -c '%a %n' "$1" > ${path}.saw\n${script}\n`);
  chmodSync(path, 0o700);
  return { path, saw: () => readFileSync(`${path}.saw`, 'utf8').trim() };
}

const SIZE = { columns: 100, rows: 30 };

describe.skipIf(!HAS_TMUX).concurrent('acting in the screens, in a terminal', SESSION, () => {
  test('retry a selection with options: one at most, to a target by name, at a rate, with a note', async () => {
    const { dlq, config } = await stage.seed(MESSAGES, 'require_note: true\n');
    const other = `${dlq}-other`;
    await stage.server.createQueue(other);
    const screen = stage.screens(config, SIZE);
    await screen.waitFor('nothing is held');
    screen.type('/orders:');
    await screen.waitFor('3 of 5 failures');
    screen.press('Enter', 'a', 'r');
    await screen.waitFor('Retry 3 messages? [y/n]');
    screen.type(`t${other}`);
    screen.press('Enter');
    await screen.waitFor(new RegExp(`failed +→ ${other}`));
    screen.type('m1\rr0.5\rb');
    await screen.waitFor('Retry 1 message? [y/n]');
    // It has to say why before it is done; and what is typed there is no answer.
    screen.type('y');
    await screen.waitFor('why, for the journal:');
    screen.type('yes, INC-7\r');
    await screen.waitFor('say why “yes, INC-7”');
    expect(stage.bodies(other)).toEqual([]);
    screen.type('y');
    const shown = await screen.waitFor('Retried 1 of 3 messages: 2 skipped.');
    for (const text of ['Skipped  2', 'as many as were wanted', 'Done  1', `→ ${other} as`])
      expect(shown).toContain(text);
    const [sent] = stage.server.lying(other);
    expect(sent?.attributes).toMatchObject({ 'bq-replay-bypass': { value: '1' } });
    expect(stage.bodies(dlq)).toHaveLength(2);
    screen.press('q', 'l');
    await screen.waitFor('yes, INC-7');
  });

  test('edit one in the editor and retry it: only what was changed is, and no file is left', async () => {
    const { queue, dlq, config } = await stage.seed(MESSAGES);
    const script = editor('mending', 'sed -i s/1042/1043/ "$1"');
    const screen = stage.screens(config, SIZE, `EDITOR=${script.path} VISUAL=`);
    await screen.waitFor('nothing is held');
    screen.type('/voided');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'e');
    const asked = await screen.waitFor('What you changed');
    expect(asked).toMatch(/- +"order_id": 1042/);
    expect(asked).toMatch(/\+ +"order_id": 1043/);
    const [mode, path = ''] = script.saw().split(' ');
    expect(mode).toBe('600');
    expect(() => statSync(path)).toThrow();
    const [before] = stage.bodies(dlq).filter((body) => body.includes('voided'));
    screen.press('y');
    await screen.waitFor('Retried 1 message.');
    const [after] = stage.bodies(queue);
    expect(after).toContain('"order_id":1043');
    expect(before).toContain('"order_id":1042');
    const edited = await stage.sandbox.run(['export', '--edited', '--config', config]);
    expect(edited.stdout).toContain('1042');
    screen.press('q', 'q');
    await screen.waitFor('code=0');
  });

  test('an editor that is killed, or saves what is no JSON, changes nothing and leaves no file', async () => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const before = stage.bodies(dlq).toSorted();
    const script = editor('failing', 'if [ -e "$0.once" ]; then echo "{" > "$1"; else touch "$0.once"; exit 3; fi');
    const screen = stage.screens(config, SIZE, `EDITOR=${script.path} VISUAL=`);
    await screen.waitFor('nothing is held');
    screen.press('e');
    await screen.waitFor('ended with an error (3); nothing was sent');
    screen.press('q', 'e');
    await screen.waitFor("What you saved can't be sent: it is not JSON");
    screen.press('Escape');
    await screen.waitFor('Nothing was changed.');
    expect(stage.bodies(dlq).toSorted()).toEqual(before);
    expect(readdirSync(tmpdir()).some((name) => script.saw().includes(`/${name}/`))).toBe(false);
  });

  test('a signal while the editor is open ends both, and removes the file', async () => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const script = editor('waiting', 'echo the editor; exec sleep 60');
    const screen = stage.screens(config, SIZE, `EDITOR=${script.path} VISUAL=`);
    await screen.waitFor('nothing is held');
    screen.press('e');
    await screen.waitFor('the editor');
    stage.kill(config, 'SIGTERM');
    await screen.waitFor('code=143');
    expect(screen.givenBack()).toBe(true);
    const [, path = ''] = script.saw().split(' ');
    expect(() => statSync(path)).toThrow();
    await stage.nothingHidden(dlq);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['q', 0],
    ['C-c', 130],
  ])('what H holds is hidden from everyone until %s, and visible again at once', async (way, code) => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const byOption = way === 'SIGHUP' || way === 'q';
    const screen = stage.screens(config, SIZE, '', byOption ? 'tui --hold' : '');
    if (!byOption) {
      await screen.waitFor('nothing is held');
      screen.press('H');
    }
    const shown = await screen.waitFor('3 held, hidden from others');
    expect(shown).toMatch(/SQS at \d\d:\d\d UTC/);
    expect(hidden(dlq)).toBe(3);
    if (way.startsWith('SIG')) stage.kill(config, way as NodeJS.Signals);
    else screen.press(way);
    await screen.waitFor(`code=${code}`);
    expect(screen.givenBack()).toBe(true);
    await stage.nothingHidden(dlq);
  });

  test('an action lets go of what is held, and the rest is held again after it', async () => {
    const { dlq, config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config, SIZE, '', 'tui --hold');
    await screen.waitFor('3 held, hidden from others');
    screen.type('/voided');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'd');
    await screen.waitFor('Dismiss 1 message? [y/n]');
    await stage.nothingHidden(dlq);
    screen.press('y');
    await screen.waitFor('Dismissed 1 message.');
    screen.press('q', 'Escape');
    await screen.waitFor(/held, hidden from others/);
    screen.press('H');
    await screen.waitFor('visible to everyone again');
    await stage.nothingHidden(dlq);
  });

  test('killed while it acts: nothing is lost, and the terminal is left to the shell', async () => {
    const { queue, dlq, config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config, SIZE);
    await screen.waitFor('nothing is held');
    screen.type('/orders:');
    await screen.waitFor('3 of 5 failures');
    screen.type('\rar');
    await screen.waitFor('Retry 3 messages? [y/n]');
    screen.type('r0.2\r');
    await screen.waitFor('rate 0.2/s');
    screen.type('y');
    await vi.waitFor(() => expect(stage.bodies(queue)).toHaveLength(1), 10_000);
    stage.kill(config, 'SIGKILL');
    await screen.waitFor('code=137');
    const lying = [...stage.bodies(queue), ...stage.bodies(dlq)];
    for (const { urn } of MESSAGES) expect(lying.some((body) => body.includes(urn))).toBe(true);
  });
});
