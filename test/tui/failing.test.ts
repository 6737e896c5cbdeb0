import { expect, test } from 'vitest';
import type { WholeFailure } from '../../src/model/failure.ts';
import { paneBoxes } from '../../src/tui/layout.ts';
import { shownIn } from '../../src/tui/state/failing.ts';
import { modeOf } from '../../src/tui/state/mode.ts';
import { topScreen } from '../../src/tui/state/state.ts';
import { rowSpans } from '../../src/tui/text/document.ts';
import { promptLines } from '../../src/tui/text/prompt.ts';
import { failuresOf, Session } from './session.ts';

const BODY = JSON.stringify({
  job: 'urn:babel:orders:created',
  data: { order_id: 1042, items: [{ sku: 'A-1' }, { sku: 'B-2' }] },
  meta: { id: 'a', note: 'A-1 again' },
});

function open(change: Partial<WholeFailure> = {}, columns = 80): Session {
  const failures = failuresOf('orders', 3, { body: BODY, ...change });
  return new Session(['orders'], { columns, rows: 24 }).list({ orders: failures }).press('enter');
}

const body = (change: Partial<WholeFailure> = {}) => open(change).press('shift+tab');

function screenOf({ state }: Session) {
  const screen = topScreen(state);
  if (screen?.kind !== 'failure') throw new Error('no failure is shown');
  return screen;
}

/** What the pane in use shows, a line a line. */
function shown(session: Session): string[] {
  const screen = screenOf(session);
  const box = paneBoxes(session.state.size, screen).find(({ pane }) => pane === screen.pane);
  if (box === undefined) throw new Error('the pane is not shown');
  const { document, rows } = shownIn(session.state, screen, box);
  return rows.map((row) =>
    rowSpans(document, row, '')
      .map(({ text }) => text)
      .join(''),
  );
}

const under = (session: Session) => shown(session)[screenOf(session).at.body.cursor]?.trim();

test('Tab goes through the parts, round and back', () => {
  const session = open();
  const panes = ['tab', 'tab', 'tab', 'tab', 'shift+tab'].map((key) => screenOf(session.press(key)).pane);
  expect(panes).toEqual(['attributes', 'history', 'body', 'summary', 'body']);
});

test('on a wide terminal the body stands beside the others, whichever is in use', () => {
  const panes = (session: Session) => paneBoxes(session.state.size, screenOf(session)).map(({ pane }) => pane);
  const wide = open({}, 120);
  expect(panes(wide)).toEqual(['summary', 'body']);
  expect(panes(wide.press('tab', 'tab', 'tab'))).toEqual(['history', 'body']);
  expect(panes(wide.feed({ type: 'resized', size: { columns: 60, rows: 15 } }))).toEqual(['body']);
});

test('a body folds where the cursor is, within something that, and unfolds', () => {
  const session = body();
  const all = shown(session).length;
  session.press('j', 'j', 'j', 'z');
  expect(under(session)).toBe('"data": {');
  expect(shown(session)).toHaveLength(all - 10);
  session.press('enter');
  expect(shown(session)).toHaveLength(all);
  expect(shown(session.press('Z'))).toHaveLength(5);
  expect(shown(session.press('Z'))).toHaveLength(all);
});

test('a long body is opened with what lies deeper folded', () => {
  const rows = Array.from({ length: 500 }, (_, at) => ({ at }));
  const session = body({ body: JSON.stringify({ data: { rows }, meta: {} }) });
  expect(shown(session)).toHaveLength(6);
});

test('a search finds in any case, unfolds what hides a place, goes on with n and N, and round', () => {
  const session = body().press('Z', '/').type('a-1');
  expect([modeOf(session.state), under(session)]).toEqual(['searching', '"sku": "A-1"']);
  session.press('enter', 'n');
  expect(under(session)).toBe('"note": "A-1 again"');
  session.press('n');
  expect(under(session)).toBe('"sku": "A-1"');
  session.press('N');
  expect([screenOf(session).search?.match, under(session)]).toEqual([1, '"note": "A-1 again"']);
  session.press('esc');
  expect([modeOf(session.state), screenOf(session).search]).toEqual(['failure', null]);
  session.press('esc');
  expect(topScreen(session.state)).toBeUndefined();
});

test('what is typed there is text, and what is not found leaves one where one is', () => {
  const session = body().press('j', 'j', '/').press('q', 'd').type('qd no');
  expect([screenOf(session).search?.query, screenOf(session).at.body.cursor]).toEqual(['qd no', 2]);
  expect(session.press('enter', 'n').asked('plan')).toBe(false);
});

test('a place in a line longer than the pane is brought into view', () => {
  const session = body({ body: `${'x'.repeat(100_000)} needle ${'y'.repeat(100_000)}` })
    .press('/')
    .type('needle');
  expect(under(session)).toContain('needle');
});

test('the next failure is opened in the same part, from its top', () => {
  const session = body().press('j', 'j', ']');
  expect(screenOf(session)).toMatchObject({
    failure: { id: session.ids[1] },
    pane: 'body',
    at: { body: { cursor: 0 } },
  });
  expect(session.press('[', '[').state.notice).toBe('This is the first one.');
});

test('bytes that are not UTF-8 are shown in hex, with what can be read of them', () => {
  const bytes = Buffer.from([0, 0xff, ...Buffer.from('abc'), 0x1b]);
  const session = body({ body: null, body_base64: bytes.toString('base64') });
  expect(shown(session)).toEqual([expect.stringMatching(/^00000000 {2}00 ff 61 62 63 1b +\.\.abc\.$/)]);
});

test('a search that is not followed to its end does not call what it found all there is', () => {
  const found = (places: number) => {
    const session = body({ body: JSON.stringify({ a: 'x '.repeat(places) }) })
      .press('/')
      .type('x');
    return promptLines(session.state)
      .flat()
      .map(({ text }) => text)
      .join('');
  };
  expect(found(9_999)).toContain('1 of 9,999');
  expect(found(10_001)).toContain('1 of the first 10,000');
});
