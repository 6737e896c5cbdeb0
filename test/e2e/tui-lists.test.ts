import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertParked, parkedRow } from '../support/jadpo-table.ts';
import { MESSAGES, ScreensStage, SESSION } from '../support/screens.ts';
import { deadLettered } from '../support/shapes.ts';
import { HAS_TMUX } from '../support/tmux.ts';

let stage: ScreensStage;
beforeAll(async () => {
  stage = await ScreensStage.open();
});
afterAll(() => stage.close());

describe.skipIf(!HAS_TMUX).concurrent('the lists of the screens, in a terminal', SESSION, () => {
  test('from the groups to one body and back to where one was, through a resize', async () => {
    const { config } = await stage.seed(MESSAGES);
    const screen = stage.screens(config, { columns: 80, rows: 24 });
    await screen.waitFor('nothing is held');
    await screen.waitFor('5 failures in 5 groups');
    screen.type('/queue:orders*');
    await screen.waitFor('3 match');
    screen.press('Enter', 'j');
    await screen.waitFor(/^> +1 +failed +\S*orders:voided/m);
    screen.press('Enter');
    await screen.waitFor(/^Group +failed · urn:babel:orders:voided/m);
    screen.press('Enter');
    await screen.waitFor('Fix first');
    // The history comes from the journal, a moment later.
    await screen.waitFor(/Summary +Attributes 10 +History 0 +Body \d+ bytes/);
    screen.press('BTab', '/');
    screen.type('ORDER_ID');
    await screen.waitFor(/^> +"order_id": 1042/m);
    await screen.waitFor('1 of 1');
    screen.press('Enter');
    screen.resize(130, 30);
    // There is room for both now.
    await screen.waitFor(/Fix first.*│/);
    screen.resize(60, 15);
    await screen.waitFor(/^> +"order_id": 1042/m);
    screen.press('q', 'q');
    await screen.waitFor(/^> +1 +failed +\S*orders:voided/m);
    await screen.waitFor('3 of 5 failures in 3 groups');
    screen.press('Escape', 'q');
    await screen.waitFor('code=0');
  });

  test('what comes and goes is marked, parked messages by themselves and a queue on R; the cursor stays', async () => {
    const { config, dlq, queue } = await stage.seed(MESSAGES);
    const screen = stage.screens(config, { columns: 110, rows: 24 });
    await screen.waitFor('nothing is held');
    screen.press('Tab', 'o');
    screen.type('/OrderLost');
    await screen.waitFor('1 of 5 failures');
    screen.press('Enter', 'Space', 'Escape');
    const under = /^>\* +p2 /m;
    await screen.waitFor(under);
    const database = new Database(config.replace(/babelq(\d+)\.yaml$/, 'warehouse$1.sqlite'), { timeout: 5000 });
    database.prepare("DELETE FROM jadpo_parked_messages WHERE id = 'p1'").run();
    insertParked(database, [parkedRow({ id: 'p3', event: 'OrderFound' })]);
    database.close();
    await screen.waitFor(/^ {2}\+p3 /m);
    await screen.waitFor(/^ {2}×p1 /m);
    await screen.waitFor(under);
    const before = stage.server.lying(dlq).map(({ receiveCount }) => receiveCount);
    const { body, attributes } = deadLettered({
      urn: 'urn:babel:orders:late',
      queue,
      id: '00000000-0000-4000-8000-000000000009',
      deadLetter: { reason: 'failed', error: 'Late', exception: null, failedAt: Date.now() },
    });
    stage.server.put(dlq, { body, attributes, sentAt: Date.now() });
    // Nobody looked at the queue meanwhile.
    expect(before.every((count) => count <= 2)).toBe(true);
    screen.press('R');
    await screen.waitFor(/^ {2}\+\S+ +orders.*orders:late/m);
    expect(screen.screen()).toMatch(under);
  });
});
