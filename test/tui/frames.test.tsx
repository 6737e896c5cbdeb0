import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { confirmation } from '../../src/model/display/confirmation.ts';
import { displayWidth } from '../../src/model/display/width.ts';
import { itemFor } from '../../src/model/plan.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { isTooSmall } from '../../src/tui/layout.ts';
import { paintFor } from '../../src/tui/paint.ts';
import { PANES } from '../../src/tui/state/failure-state.ts';
import { type Size, type State, topScreen } from '../../src/tui/state/state.ts';
import { emptyLines } from '../../src/tui/text/empty.ts';
import { paneText } from '../../src/tui/text/failure.ts';
import { filterLines } from '../../src/tui/text/filter-line.ts';
import { headerLines } from '../../src/tui/text/header.ts';
import { pageOf } from '../../src/tui/text/pages.ts';
import { Screens } from '../../src/tui/views/app.tsx';
import { PaintContext } from '../../src/tui/views/paint-context.ts';
import { failuresOf, NOW, plannedFor, Session } from './session.ts';

const SIZES: readonly Size[] = [
  { columns: 60, rows: 15 },
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
];

/** Text that would take over a terminal, in every place that others fill in. */
const HOSTILE = '\x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b31m\u202egnp.exe\u2028\x00';

const time = process.env.TZ;
beforeAll(() => {
  process.env.TZ = 'UTC';
});
afterAll(() => {
  if (time === undefined) delete process.env.TZ;
  else process.env.TZ = time;
});

function draw(state: State, color = false): string {
  return renderToString(
    <PaintContext value={paintFor(color)}>
      <Screens state={state} />
    </PaintContext>,
    { columns: state.size.columns },
  );
}

const fresh = (size: Size) => opened(size).press('tab');

const opened = (size: Size) =>
  new Session(['orders', 'invoices'], size).open({
    orders: [
      ...failuresOf('orders', 12),
      ...failuresOf('orders', 1, {
        id: 'orders/ffffffff-0000-4000-8000-000000000000',
        queue: '注文キュー',
        reason: 'unknown_urn',
        subject: 'urn:babel:orders:voided',
        error: '決済ゲートウェイがタイムアウトしました',
        expires_at: new Date(NOW + 1000).toISOString(),
        body: '{"job":"urn:babel:orders:voided","data":{"order_id":1042,"note":"日本語"},"meta":{"id":"a"}}',
        size_bytes: 96,
        attributes: { 'bq-job': { type: 'String', value: 'urn:babel:orders:voided' } },
      }),
    ],
    invoices: 'The queue invoices-dlq does not exist in eu-central-1. Check its name and the region.',
  });

const confirming = (size: Size) => {
  const session = fresh(size).press('a', 'r');
  const { flow, ids } = session.take('plan');
  return session.feed({ type: 'planned', flow, planned: plannedFor(ids), met: null });
};

const LOGGED: readonly LogEntry[] = (['done', 'done', 'uncertain'] as const).map((outcome, at) => ({
  run: at < 2 ? 'run-2' : 'run-1',
  action: at < 2 ? ('dismiss' as const) : ('retry' as const),
  id: `orders/${at}`,
  source: 'orders',
  reason: 'failed',
  queue: 'orders',
  subject: null,
  to: at < 2 ? 'archive' : 'orders',
  new_id: null,
  outcome,
  possible_double: false,
  at: new Date(NOW - at * 3_600_000).toISOString(),
  by: 'ann@ops',
  note: at < 2 ? 'no longer sent' : null,
  detail: outcome === 'done' ? null : 'The answer was never heard.',
}));

const log = (size: Size) => fresh(size).press('L').feed({ type: 'logged', entries: LOGGED });

/** Every view, by the keys and answers that lead to it. */
const VIEWS: Record<string, (size: Size) => Session> = {
  groups: opened,
  'groups selected': (size) => opened(size).press('space', 'enter', 'space', 'q'),
  'failures of a group': (size) => opened(size).press('j', 'enter'),
  'groups by queue': (size) => opened(size).press('c', 'c', 'o'),
  'groups without subjects': (size) =>
    new Session(['orders'], size).open({
      orders: [
        ...failuresOf('orders', 1, { subject: null, error: 'Payment gateway timeout' }),
        ...failuresOf('orders', 1, {
          id: 'orders/b',
          fingerprint: 'b',
          subject: null,
          error: 'Unknown currency EURO in the basket',
        }),
        ...failuresOf('orders', 1, {
          id: 'orders/c',
          fingerprint: 'c',
          subject: null,
          error: null,
          exception: null,
          queue: 'returns',
        }),
      ],
    }),
  list: fresh,
  selected: (size) => fresh(size).press('space', 'space', 'j'),
  filtering: (size) => fresh(size).press('/').type('reason:failed origin:nobody'),
  'nothing matches': (size) => fresh(size).press('/').type('nothing has this').press('enter'),
  failure: (size) =>
    fresh(size)
      .press('enter')
      .feed({
        type: 'history',
        id: 'orders/ffffffff-0000-4000-8000-000000000000',
        history: [
          {
            run: 'run-3',
            action: 'restore',
            outcome: 'done',
            at: new Date(NOW - 60_000).toISOString(),
            by: 'ann@ops',
            note: null,
          },
        ],
      }),
  'body of a failure': (size) => fresh(size).press('enter', 'shift+tab', 'j', 'j', 'z'),
  'search in a body': (size) => fresh(size).press('enter', 'shift+tab', '/').type('orders'),
  'body in hex': (size) =>
    new Session(['orders'], size)
      .list({
        orders: failuresOf('orders', 1, {
          body: null,
          body_base64: Buffer.from([0, 1, 0xff, ...Buffer.from('binary, as some apps have it')]).toString('base64'),
        }),
      })
      .press('enter', 'shift+tab'),
  'attributes of a failure': (size) => fresh(size).press('enter', 'tab'),
  'history of a failure': (size) => fresh(size).press('enter', 'tab', 'tab'),
  planning: (size) => {
    const session = fresh(size).press('a', 'r');
    const { flow } = session.take('plan');
    return session.feed({ type: 'plan_progress', flow, progress: [{ source: 'orders', seen: 400, about: 12000 }] });
  },
  confirming,
  'confirming with options': (size) => {
    const session = confirming(size);
    session
      .press('c')
      .type('5')
      .press('enter', 'r')
      .type('50')
      .press('enter', 's')
      .type('INC-7, the gateway')
      .press('enter');
    const forecast = {
      will: ['5 of them go first; the other 8 only if all of these are known to stay away.'],
      warnings: ['A wait of 2m is too short to tell who stays away: coming back from orders takes at least 6m.'],
    };
    session.feed({ type: 'foretold', flow: 1, watching: { waitMs: 120_000, canary: 5 }, forecast });
    return session.press('t').type('orders');
  },
  'confirming what was typed wrong': (size) => confirming(size).press('c').type('five').press('enter'),
  'confirming no queue': (size) => confirming(size).press('t').type('orders queue').press('enter'),
  'confirming an edit': (size) => {
    const session = fresh(size).press('e');
    const { ids } = session.take('plan');
    const [failure] = failuresOf('orders', 1);
    session.feed({ type: 'planned', flow: 1, planned: plannedFor(ids), met: failure ?? null });
    const lines = [
      { kind: 'same', text: '  "data": {' },
      { kind: 'taken', text: '    "currency": "EURO"' },
      { kind: 'added', text: '    "currency": "EUR"' },
      { kind: 'gap', text: '' },
    ] as const;
    const result = { kind: 'changed', before: 'a', after: 'b', saved: 'b', lines, warning: null } as const;
    return session.feed({ type: 'edited', flow: 1, result });
  },
  unsendable: (size) => {
    const session = fresh(size).press('e');
    const { ids } = session.take('plan');
    const [failure] = failuresOf('orders', 1);
    session.feed({ type: 'planned', flow: 1, planned: plannedFor(ids), met: failure ?? null });
    const result = { kind: 'unsendable', why: 'it is not JSON: see line 3, column 7', saved: '{' } as const;
    return session.feed({ type: 'edited', flow: 1, result });
  },
  watching: (size) => {
    const session = confirming(size).press('y');
    session.feed({ type: 'ticked', now: NOW + 45_000, held: [0, 0] });
    const progress = { source: 'orders', seen: 5, about: 13, matched: 5, done: 5, skipped: 0, failed: 0, uncertain: 0 };
    session.feed({ type: 'act_progress', flow: 1, progress: [progress] });
    const watching = { watched: 5, back: 1, away: 2, waitingFor: '12 in orders', elapsedMs: 45_000, waitMs: 120_000 };
    return session.feed({ type: 'watch_progress', flow: 1, progress: watching });
  },
  acting: (size) => {
    const session = confirming(size).press('y');
    session.feed({ type: 'ticked', now: NOW + 10_000, held: [3, 0] });
    const progress = { source: 'orders', seen: 6, about: 13, matched: 6, done: 5, skipped: 0, failed: 1, uncertain: 0 };
    return session.feed({ type: 'act_progress', flow: 1, progress: [progress] }).press('esc');
  },
  result: (size) =>
    confirming(size)
      .press('y')
      .feed({
        type: 'acted',
        flow: 1,
        outcome: {
          report: {
            action: 'retry',
            run: 'run-4',
            dry_run: false,
            matched: 13,
            done: 11,
            skipped: 1,
            failed: 0,
            uncertain: 1,
          },
          parts: [],
          interrupted: true,
          lines: ['Retried 11 of 13 messages: 1 skipped, 1 uncertain.'],
          error: null,
          sections: [
            {
              kind: 'uncertain',
              count: 1,
              items: [
                itemFor('orders/0', 'failed', 'uncertain', {
                  to: 'orders',
                  new_id: 'n-1',
                  detail: 'Sent; its delete was not confirmed.',
                }),
              ],
            },
            {
              kind: 'skipped',
              count: 1,
              items: [itemFor('orders/1', 'failed', 'skipped', { to: 'orders', detail: 'Stopped.' })],
            },
            {
              kind: 'done',
              count: 11,
              items: [2, 3, 4].map((at) =>
                itemFor(`orders/${at}`, 'failed', 'done', { to: 'orders', new_id: `n-${at}` }),
              ),
            },
          ],
        },
      }),
  log,
  'log filtered': (size) => log(size).press('/').type('ann uncertain'),
  run: (size) => log(size).press('enter', 'j'),
  entry: (size) => {
    const session = log(size).press('G', 'enter', 'enter');
    return session.feed({ type: 'story', id: 'orders/2', entries: LOGGED.slice(2) });
  },
  palette: (size) => fresh(size).press(':').type('re'),
  holding: (size) => {
    const session = fresh(size).press('H');
    const part = {
      phase: 'held',
      count: 12,
      endsAt: NOW + 43_200_000,
      note: '1 of what is shown is not held: gone',
    } as const;
    return session.feed({ type: 'held', source: 'orders', part });
  },
  sources: (size) =>
    fresh(size)
      .press('!')
      .feed({
        type: 'examined',
        findings: [
          {
            source: 'orders',
            check: 'retention',
            severity: 'warning',
            message: 'orders-dlq keeps messages no longer than orders does.',
            mend: 'Give it 14 days.',
            command: 'aws sqs set-queue-attributes --queue-url … --attributes MessageRetentionPeriod=1209600',
            terraform: null,
          },
        ],
      }),
  help: (size) => fresh(size).press('?'),
  'help in a confirmation': (size) => confirming(size).press('?'),
  reading: (size) => {
    const session = new Session(['orders', 'invoices'], size).feed({ type: 'started' });
    const progress = { source: 'orders', seen: 400, about: 12000 };
    return session
      .feed({ type: 'read_progress', source: 'orders', reading: 1, progress })
      .feed({ type: 'ticked', now: NOW, held: [400, 0] });
  },
  empty: (size) => new Session(['orders'], size).open({ orders: [] }),
  leaving: (size) => fresh(size).press('R', 'q'),
};

describe.each(Object.keys(VIEWS))('%s', (name) => {
  test.each(SIZES)('at $columns×$rows', async (size) => {
    const session = VIEWS[name]?.(size);
    if (session === undefined) throw new Error(name);
    const frame = draw(session.state);
    const lines = stripVTControlCharacters(frame).split('\n');
    expect(lines.length).toBeLessThanOrEqual(size.rows);
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(size.columns);
    await expect(`${lines.map((line) => line.trimEnd()).join('\n')}\n`).toMatchFileSnapshot(
      `frames/${name.replaceAll(' ', '-')}-${size.columns}x${size.rows}.txt`,
    );
  });
});

test('below 60×15 it says what it needs', () => {
  for (const size of [
    { columns: 59, rows: 15 },
    { columns: 60, rows: 14 },
    { columns: 20, rows: 5 },
  ]) {
    const { state } = fresh(size);
    expect(isTooSmall(state)).toBe(true);
    expect(draw(state).replace(/\s+/g, ' ')).toContain('babelq needs 60×15');
  }
});

/** Every text that others fill in, made hostile. */
function hostile(size: Size): Session {
  const [failure] = failuresOf(HOSTILE, 1, {
    id: `${HOSTILE}/${HOSTILE}`,
    reason: HOSTILE,
    queue: HOSTILE,
    held_in: HOSTILE,
    retry_to: HOSTILE,
    subject: HOSTILE,
    title: HOSTILE,
    error: HOSTILE,
    exception: HOSTILE,
    problems: [{ field: HOSTILE, rule: HOSTILE }],
    message_id: HOSTILE,
    trace_id: HOSTILE,
    lang: HOSTILE,
    schema_version: HOSTILE,
    body: `${HOSTILE}\n${HOSTILE}`,
    attributes: { [HOSTILE]: { type: HOSTILE, value: HOSTILE } },
    system_attributes: { [HOSTILE]: HOSTILE },
  });
  if (failure === undefined) throw new Error('no failure');
  return new Session([HOSTILE, 'other'], size).open({ [HOSTILE]: [failure], other: HOSTILE }).press('tab');
}

const HOSTILE_VIEWS: Record<string, (session: Session) => Session> = {
  list: (session) => session,
  groups: (session) => session.press('tab'),
  'failures of a group': (session) => session.press('tab', 'enter'),
  filter: (session) => session.press('/').feed({ type: 'typed', text: HOSTILE }),
  'status line': (session) => session.press('/').feed({ type: 'typed', text: HOSTILE }).press('enter'),
  failure: (session) =>
    session.press('enter').feed({
      type: 'history',
      id: session.ids[0] ?? '',
      history: [
        { run: HOSTILE, action: 'retry', outcome: 'done', at: new Date(NOW).toISOString(), by: HOSTILE, note: HOSTILE },
      ],
    }),
  'body that is not there': (session) =>
    session.press('enter').feed({ type: 'inspect_failed', id: session.ids[0] ?? '', error: HOSTILE }),
  sources: (session) => session.press('!'),
  planning: (session) => {
    session.press('r');
    return session.feed({ type: 'plan_progress', flow: 1, progress: [{ source: HOSTILE, seen: 1, about: 1 }] });
  },
  confirming: (session) => {
    session.press('r');
    const planned = plannedFor([`${HOSTILE}/${HOSTILE}`], HOSTILE);
    for (const item of planned.plan.items) Object.assign(item, { queue: HOSTILE, reason: HOSTILE, to: HOSTILE });
    return session.feed({ type: 'planned', flow: 1, planned, met: null });
  },
  'flow that failed': (session) =>
    session.press('r').feed({ type: 'flow_failed', flow: 1, message: HOSTILE, hint: HOSTILE }),
  log: (session) =>
    session.press('L').feed({
      type: 'logged',
      entries: [
        {
          run: HOSTILE,
          action: 'retry',
          id: HOSTILE,
          source: HOSTILE,
          reason: HOSTILE,
          queue: HOSTILE,
          subject: HOSTILE,
          to: HOSTILE,
          new_id: HOSTILE,
          outcome: 'failed',
          possible_double: false,
          at: new Date(NOW).toISOString(),
          by: HOSTILE,
          note: HOSTILE,
          detail: HOSTILE,
        },
      ],
    }),
};

/** What the screens give to Ink, which would drop some of what is hostile and so hide that it came through. */
function textsOf(state: State): string {
  const screen = topScreen(state);
  const page = screen === undefined || screen.kind === 'failure' ? null : pageOf(state, screen);
  const lines = [...headerLines(state), ...filterLines(state), ...emptyLines(state), ...(page?.lines ?? [])];
  if (screen?.kind === 'failure') {
    for (const pane of PANES)
      lines.push(...paneText(screen, pane, 80, state.now).document.lines.map(({ spans }) => spans));
  }
  return [page?.subject ?? '', ...lines.map((line) => line.map(({ text }) => text).join(''))].join('\n');
}

const CONTROL = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe('hostile text stays text', () => {
  test.each(Object.keys(HOSTILE_VIEWS))('%s', (name) => {
    const session = HOSTILE_VIEWS[name]?.(hostile({ columns: 120, rows: 60 }));
    if (session === undefined) throw new Error(name);
    const frame = draw(session.state, true);
    expect(frame).toContain('\\x1b[2J');
    // Of escapes only the screens' own colours, bold, dim and inverse are left.
    const own = frame.replace(/\x1b\[(?:[127]|22|27|39|3[1-6])m/g, '');
    expect(own).not.toMatch(CONTROL);
    expect(textsOf(session.state)).not.toMatch(CONTROL);
  });
});

test('without colours there are none, but what is under the cursor and selected still shows', () => {
  const { state } = fresh({ columns: 80, rows: 24 }).press('space');
  const frame = draw(state);
  expect(frame).not.toMatch(/\x1b\[(?:3\d|4\d|9\d)m/);
  const lines = stripVTControlCharacters(frame).split('\n');
  expect(lines.filter((line) => line.startsWith('>'))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith(' * '))).toHaveLength(1);
});

test('only the rows in view are drawn, of however many', () => {
  const session = new Session(['orders'], { columns: 80, rows: 24 }).list({ orders: failuresOf('orders', 5000) });
  const lines = stripVTControlCharacters(draw(session.press('G').state)).split('\n');
  expect(lines).toHaveLength(24);
  expect(lines.join('\n')).toContain('5,000 failures');
});

test.each([
  ['line feeds', '\n'.repeat(1 << 20)],
  ['one word', 'x'.repeat(1 << 20)],
  ['wide characters', '決'.repeat(350_000)],
  ['brackets', '['.repeat(1 << 19) + ']'.repeat(1 << 19)],
  ['controls', '\x1b'.repeat(1 << 20)],
])('a mebibyte of %s is looked at, and scrolled to its end, without a wait', (_name, body) => {
  const [failure] = failuresOf('orders', 1, { body, error: body, size_bytes: 1 << 20 });
  if (failure === undefined) throw new Error('no failure');
  const session = new Session(['orders'], { columns: 80, rows: 24 }).list({ orders: [failure] });
  expect(draw(session.state)).toContain('1 failure');
  session.press('enter', 'shift+tab', 'G');
  expect(draw(session.state)).toContain('the end');
  const times = ['k', 'pgup', 'j', 'g', 'G', '/', 'x', 'tab', 'G', 'k'].map((key) => {
    const from = performance.now();
    draw((key === 'x' ? session.type(key).press('enter') : session.press(key)).state);
    return performance.now() - from;
  });
  expect(times.sort((a, b) => a - b)[5]).toBeLessThan(150);
});

test('the confirmation is the one of the command line, word for word', () => {
  const session = confirming({ columns: 120, rows: 40 });
  const planned = plannedFor([...session.state.selection]);
  const facts = { sources: [{ name: 'orders', kind: 'sqs' as const }], parts: [], bypass: false };
  const frame = stripVTControlCharacters(draw(session.state));
  for (const line of confirmation(planned.plan, facts).lines) expect(frame).toContain(line.trimEnd());
});
