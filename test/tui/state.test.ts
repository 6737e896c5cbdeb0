import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Grouping } from '../../src/model/operations/groups.ts';
import { BINDINGS, bindingsFor, commandFor, type Mode } from '../../src/tui/keys.ts';
import { layoutOf, windowTop } from '../../src/tui/layout.ts';
import { restAfter } from '../../src/tui/rest.ts';
import { agedAt } from '../../src/tui/state/aging.ts';
import type { Outcome } from '../../src/tui/state/events.ts';
import { modeOf } from '../../src/tui/state/mode.ts';
import { paletteChoices } from '../../src/tui/state/palette.ts';
import { hiddenOf } from '../../src/tui/state/selection.ts';
import { topScreen } from '../../src/tui/state/state.ts';
import { emptyLines } from '../../src/tui/text/empty.ts';
import { failuresOf, NOW, plannedFor, Session } from './session.ts';

const acted = (flow: number, changes: Partial<Outcome['report']> = {}): Outcome => ({
  report: {
    action: 'retry',
    run: 'run-1',
    dry_run: false,
    matched: 1,
    done: 1,
    skipped: 0,
    failed: 0,
    uncertain: 0,
    ...changes,
  },
  parts: [{ name: 'orders', seen: 1, complete: true, note: null, allInFlight: null, error: null }],
  interrupted: false,
  lines: [`Flow ${flow} done.`],
  error: null,
  sections: [],
});

describe('reading', () => {
  test('starts with every source side by side, and with their counts', () => {
    const session = new Session(['orders', 'invoices']).feed({ type: 'started' });
    expect(session.take('read').sources).toEqual([
      { name: 'orders', reading: 1 },
      { name: 'invoices', reading: 1 },
    ]);
    expect(session.take('count').sources).toBe('all');
  });

  test('a source that fails shows its error and hides no other', () => {
    const session = new Session(['orders', 'invoices']).list({
      orders: failuresOf('orders', 2),
      invoices: 'No such queue.',
    });
    expect(session.ids).toHaveLength(2);
    expect(session.state.sources.map(({ phase, error }) => [phase, error])).toEqual([
      ['read', null],
      ['failed', 'No such queue.'],
    ]);
  });

  test('what was read before stays when reading again fails', () => {
    const session = new Session()
      .open({ orders: failuresOf('orders', 2) })
      .press('R')
      .answer({ orders: 'Gone.' });
    expect(session.ids).toHaveLength(2);
    expect(session.state.sources[0]?.error).toBe('Gone.');
  });

  test('what arrives late for an earlier reading is dropped', () => {
    const session = new Session().list({ orders: failuresOf('orders', 2) }).press('R');
    const report = {
      name: 'orders',
      kind: 'sqs',
      listed: 5,
      about: 5,
      complete: true,
      note: null,
      error: null,
    } as const;
    session.feed({ type: 'read', source: 'orders', reading: 1, failures: failuresOf('orders', 5), report });
    expect(session.ids).toHaveLength(2);
    expect(session.state.sources[0]?.phase).toBe('reading');
  });

  test('says that a queue changed since it was read, and only then', () => {
    const session = new Session().list({ orders: failuresOf('orders', 2) });
    const facts = (visible: number) => [
      {
        name: 'orders',
        kind: 'sqs' as const,
        queue: 'orders-dlq',
        fifo: false,
        visible,
        in_flight: 0,
        delayed: 0,
        retention_seconds: 1,
        redrive_sources: null,
        error: null,
      },
    ];
    session.feed({ type: 'counted', facts: facts(2) }).feed({ type: 'counted', facts: facts(2) });
    expect(session.state.sources[0]?.baseline).toBe(2);
    session.feed({ type: 'counted', facts: facts(5) });
    expect(session.state.sources[0]).toMatchObject({ baseline: 2, facts: { visible: 5 } });
  });

  test('a source too long to be listed whole is read again for the filter', () => {
    const session = new Session().feed({ type: 'started' });
    const report = {
      name: 'orders',
      kind: 'sqs',
      listed: 2,
      about: 9000,
      complete: false,
      note: null,
      error: null,
    } as const;
    session.feed({ type: 'read', source: 'orders', reading: 1, failures: failuresOf('orders', 2), report });
    session.press('/').type('reason:failed').press('enter', 'R');
    expect(session.take('read').asked.line).toBe('reason:failed');
  });
});

describe('filtering', () => {
  const open = () =>
    new Session().list({
      orders: [
        ...failuresOf('orders', 3),
        ...failuresOf('orders', 1, { id: 'orders/x', reason: 'poison', body: '{"data":{"order_id":7}}' }),
      ],
    });

  test('narrows the list with every letter, by words, parts and members of the body', () => {
    const session = open().press('/').type('reason:poi*');
    expect(session.ids).toEqual(['orders/x']);
    session.press('ctrl+u').type('order_id=7');
    expect(session.ids).toEqual(['orders/x']);
    session.press('ctrl+u').type('gateway');
    expect(session.ids).toHaveLength(4);
  });

  test('tells what is wrong while it is typed, and still filters by the rest', () => {
    const session = open().press('/').type('reason:poison origin:x');
    expect(session.state.filter.error?.message).toContain('origin');
    expect(session.ids).toEqual(['orders/x']);
  });

  test('letters are text there, not keys', () => {
    const session = open().press('/').press('q', 'd', 'r');
    expect(modeOf(session.state)).toBe('filtering');
    expect(session.effects.some(({ type }) => type === 'plan' || type === 'leave')).toBe(false);
  });

  test('Enter keeps it, Esc clears it: while typing and later', () => {
    const session = open().press('/').type('poison').press('enter');
    expect([modeOf(session.state), session.ids]).toEqual(['failures', ['orders/x']]);
    session.press('esc');
    expect([session.state.filter.line, session.ids.length]).toEqual(['', 4]);
    session.press('/').type('poison').press('esc');
    expect([modeOf(session.state), session.ids.length]).toEqual(['failures', 4]);
  });

  test('the line is edited by what a person sees as one letter', () => {
    const session = open().press('/').type('a').feed({ type: 'typed', text: '👨‍👩‍👧' }).press('backspace');
    expect(session.state.filter.line).toBe('a');
    session.type('bc').press('left', 'left').type('X').press('end', 'ctrl+w');
    expect(session.state.filter).toMatchObject({ line: '', caret: 0 });
  });

  test('a paste is text for the filter and never a key', () => {
    const session = open().feed({ type: 'pasted', text: 'rdy\nq' });
    expect(session.effects.map(({ type }) => type)).not.toContain('plan');
    expect(topScreen(session.state)).toBeUndefined();
    session.press('/').feed({ type: 'pasted', text: 'reason:\tpoison\n' });
    expect(session.state.filter.line).toBe('reason: poison ');
  });
});

describe('groups', () => {
  const hour = 3_600_000;
  const expiring = (hours: number) => ({ expires_at: new Date(NOW + hours * hour).toISOString() });
  const some = (reason: string, count: number, change = {}) =>
    failuresOf(`${reason}s`, count, { source: 'orders', reason, fingerprint: reason, ...expiring(48), ...change }).map(
      (one) => ({ ...one, id: one.id.replace(`${reason}s/`, `orders/${reason}`) }),
    );
  const all = () => [...some('poison', 3), ...some('failed', 5), ...some('unknown_urn', 1, expiring(5))];
  const open = () => new Session().open({ orders: all() });
  const reasons = (session: Session) => session.state.groups.rows.map(({ key }) => key.reason);

  test('come first, the worst on top: what expires within six hours, then the largest', () => {
    const session = open();
    expect(modeOf(session.state)).toBe('groups');
    expect(reasons(session)).toEqual(['unknown_urn', 'failed', 'poison']);
    session.press('o');
    expect(reasons(session)).toEqual(['failed', 'poison', 'unknown_urn']);
    session.press('O');
    expect(reasons(session)).toEqual(['unknown_urn', 'poison', 'failed']);
  });

  test('count what babelq groups counts, by cause and by anything else', () => {
    const failures = [...all(), ...some('poison', 2, { queue: 'other', fingerprint: 'elsewhere' })].map((one, at) => ({
      ...one,
      id: `orders/${at}`,
    }));
    const session = new Session().open({ orders: failures });
    for (const by of [null, ['reason'], ['queue'], ['subject'], ['exception'], ['source']] as const) {
      const grouping = new Grouping(by);
      for (const failure of failures) grouping.add(failure);
      session.press('o');
      const counts = session.state.groups.rows.map(({ key, count, sample_ids }) => ({ key, count, sample_ids }));
      const expected = grouping.groups().map(({ key, count, sample_ids }) => ({ key, count, sample_ids }));
      expect(counts).toEqual(expect.arrayContaining(expected));
      expect(counts).toHaveLength(expected.length);
      session.press('c');
    }
    expect(session.state.groups.by).toBeNull();
  });

  test('show when their failures happened, over a time that holds most of them', () => {
    const at = (hoursAgo: number, id: string) =>
      failuresOf('orders', 1, { id, failed_at: new Date(NOW - hoursAgo * hour).toISOString() });
    const session = new Session().open({
      orders: [...at(23.9, 'orders/a'), ...at(0.1, 'orders/b'), ...at(0.2, 'orders/c')],
    });
    expect(session.state.groups.span).toBe(24 * hour);
    expect(session.state.groups.rows[0]?.histogram).toEqual({ parts: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], older: 0 });
    const more = Array.from({ length: 7 }, (_, nth) => at(0.5, `orders/m${nth}`)).flat();
    session.press('R').answer({ orders: [...at(100, 'orders/a'), ...at(23, 'orders/b'), ...more] });
    expect(session.state.groups.span).toBe(hour);
    expect(session.state.groups.rows[0]?.histogram).toMatchObject({ older: 2 });
  });

  test('Enter opens one, Enter again one failure, and back is where one was, with the selection', () => {
    const session = open().press('j', 'space', 'k', 'enter');
    expect(session.ids).toHaveLength(5);
    session.press('G', 'k', 'enter');
    expect(topScreen(session.state)).toMatchObject({ kind: 'failure', failure: { id: session.ids[3] } });
    session.press('q');
    expect([modeOf(session.state), session.state.list.cursor]).toEqual(['failures', 3]);
    session.press('q');
    expect([modeOf(session.state), session.state.groups.cursor]).toEqual(['groups', 1]);
    expect(session.state.selection.size).toBe(5);
  });

  test('an action takes all of the group under the cursor, as far as the filter lets it be seen', () => {
    const session = open().press('/').type('reason:poison').press('enter', 'r');
    expect(session.take('plan').ids).toHaveLength(3);
  });

  test('what is typed within a group is for as long as one is there', () => {
    const session = open().press('/').type('reason:*o*').press('enter', 'enter', '/').type(' nothing').press('enter');
    expect(session.ids).toEqual([]);
    session.press('esc');
    expect([session.state.filter.line, modeOf(session.state)]).toEqual(['reason:*o*', 'failures']);
    session.press('/').type(' nothing').press('enter', 'q');
    expect([session.state.filter.line, modeOf(session.state)]).toEqual(['reason:*o*', 'groups']);
  });

  test('a group that is all gone is an empty list, and one is not thrown out of it', () => {
    const session = open()
      .press('enter', 'R')
      .answer({ orders: some('failed', 5) });
    session.feed({ type: 'ticked', now: NOW + 60_000, held: [0] });
    expect([modeOf(session.state), session.state.list.rows]).toEqual(['failures', []]);
    expect(session.press('q').state.groups.rows).toHaveLength(1);
  });
});

describe('what changes between two readings', () => {
  const reread = (before: number, after: number) => {
    const failures = failuresOf('orders', Math.max(before, after));
    const session = new Session().list({ orders: failures.slice(0, before) }).press('j', 'j', 'j');
    const under = session.ids[3];
    session.press('R').answer({ orders: failures.slice(failures.length - after) });
    return { session, under };
  };

  test('new failures are marked, and the cursor stays on its failure and its line', () => {
    const failures = failuresOf('orders', 30);
    const session = new Session().list({ orders: failures.slice(10) }).press('j', 'j', 'j');
    const [under, line] = [session.ids[3], session.state.list.cursor - session.state.list.top];
    session.press('R').answer({ orders: failures });
    const { list, marks } = session.state;
    expect([list.rows[list.cursor]?.id, list.cursor - list.top]).toEqual([under, line]);
    expect([...marks.fresh.keys()]).toEqual(failures.slice(0, 10).map(({ id }) => id));
    session.press('R');
    expect(session.state.marks.fresh.size).toBe(0);
  });

  test('what left is marked, can not be selected or acted on, and goes after a while', () => {
    const { session, under } = reread(6, 2);
    expect(session.state.list.rows).toHaveLength(6);
    expect(session.state.list.rows[session.state.list.cursor]?.id).toBe(under);
    session.press('space', 'r');
    expect([session.state.selection.size, session.asked('plan')]).toEqual([0, false]);
    expect(session.press('a').state.selection.size).toBe(2);
    session.feed({ type: 'ticked', now: NOW + 11_000, held: [0] });
    expect(session.state.list.rows).toHaveLength(2);
  });

  test('parked messages are read again by themselves, in silence; a queue never is, nor anything an action has', () => {
    const session = new Session(['orders', 'warehouse']);
    const sources = session.state.sources.map(
      (one) => ({ ...one, kind: one.name === 'orders' ? 'sqs' : 'jadpo' }) as const,
    );
    session.state = { ...session.state, sources };
    session.list({ orders: failuresOf('orders', 1), warehouse: failuresOf('warehouse', 2) });
    session.effects = [];
    session.feed({ type: 'refreshing' });
    expect(session.take('read').sources).toEqual([{ name: 'warehouse', reading: 2 }]);
    expect(session.state.sources[1]?.phase).toBe('read');
    const { list } = session.state;
    session.answer({ warehouse: failuresOf('warehouse', 2) });
    expect(session.state.list).toBe(list);
    session.feed({ type: 'refreshing' }).answer({ warehouse: failuresOf('warehouse', 3) });
    expect([...session.state.marks.fresh.keys()]).toEqual([failuresOf('warehouse', 3)[2]?.id]);
    session.press('r').effects = [];
    expect(session.feed({ type: 'refreshing' }).asked('read')).toBe(false);
  });

  test('a group that left as a whole stays in its place until it is out of sight, and the cursor with it', () => {
    const of = (reason: string, count: number) =>
      failuresOf('orders', count, { reason, fingerprint: reason }).map((one) => ({
        ...one,
        id: one.id.replace('orders/', `orders/${reason}`),
        expires_at: null,
      }));
    const session = new Session().open({ orders: [...of('a', 9), ...of('b', 5), ...of('c', 3)] }).press('j', 'R');
    session.answer({ orders: [...of('a', 9), ...of('c', 3)] });
    const names = () => session.state.groups.rows.map(({ key }) => key.reason);
    expect([names(), session.state.groups.cursor]).toEqual([['a', 'b', 'c'], 1]);
    session.feed({ type: 'ticked', now: NOW + 11_000, held: [0] });
    expect([names(), session.state.groups.cursor]).toEqual([['a', 'c'], 1]);
  });

  test('nothing is marked where only a part was read: the rest may be there all the same', () => {
    const session = new Session().open({ orders: failuresOf('orders', 5) }).press('R');
    const report = {
      name: 'orders',
      kind: 'sqs',
      listed: 2,
      about: 9,
      complete: false,
      note: null,
      error: null,
    } as const;
    const { reading } = session.take('read').sources[0] ?? { reading: 0 };
    session.feed({ type: 'read', source: 'orders', reading, failures: failuresOf('orders', 2), report });
    expect([session.state.marks.gone.size, session.state.list.rows.length]).toEqual([0, 2]);
  });
});

describe('selecting', () => {
  test('a range grows and shrinks with the cursor, is kept by v and taken back by Esc', () => {
    const session = new Session()
      .list({ orders: failuresOf('orders', 9) })
      .press('G', 'space', 'g', 'v', 'j', 'j', 'j', 'k');
    expect(session.state.selection).toEqual(new Set([...session.ids.slice(0, 3), session.ids[8]]));
    session.press('v', 'j', 'j');
    expect(session.state.selection.size).toBe(4);
    session.press('v', 'G', 'esc');
    expect([session.state.selection.size, modeOf(session.state)]).toEqual([4, 'failures']);
    session.press('K', 'K');
    expect(session.state.selection.size).toBe(6);
  });

  test('space selects and goes on; a selects all that match, and then none', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) }).press('space');
    expect([session.state.selection.size, session.state.list.cursor]).toEqual([1, 1]);
    expect(session.press('a').state.selection.size).toBe(3);
    expect(session.press('a').state.selection.size).toBe(0);
  });

  test('what the filter hides stays selected, and the confirmation says so', () => {
    const session = new Session().list({
      orders: [...failuresOf('orders', 2), ...failuresOf('orders', 1, { id: 'orders/x', reason: 'poison' })],
    });
    session.press('a', '/').type('poison').press('enter');
    expect(hiddenOf(session.state)).toBe(2);
    session.press('r');
    const { flow, ids } = session.take('plan');
    session.feed({ type: 'planned', flow, planned: plannedFor(ids), met: null });
    expect(topScreen(session.state)).toMatchObject({ remarks: [expect.stringContaining('2 of the selected')] });
  });

  test('what is gone when read again is no longer selected', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) }).press('a', 'R');
    session.answer({ orders: failuresOf('orders', 1) });
    expect(session.state.selection.size).toBe(1);
  });
});

describe('the palette', () => {
  test('offers what works below it, by name and by what it does, and does what is chosen there', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) });
    session.press(':').type('dmss');
    expect(palette(session)[0]?.command).toBe('dismiss');
    session.press('ctrl+u').type('hidden from');
    expect(palette(session).map(({ command }) => command)).toEqual(['hold']);
    session.press('ctrl+u').type('dis').press('enter');
    expect(session.take('plan').action).toBe('dismiss');
  });

  test('nothing is done that does not work where the person was; Esc does nothing', () => {
    const session = new Session()
      .list({ orders: failuresOf('orders', 3) })
      .press('enter', ':')
      .type('select');
    expect(palette(session).map(({ command }) => command)).not.toContain('select');
    session.press('esc');
    expect(topScreen(session.state)?.kind).toBe('failure');
    session.press(':').type('zzz').press('enter');
    expect([topScreen(session.state)?.kind, palette(session)]).toEqual(['palette', []]);
  });

  function palette(session: Session) {
    const screen = topScreen(session.state);
    return screen?.kind === 'palette' ? paletteChoices(session.state, screen) : [];
  }
});

describe('acting', () => {
  const confirming = () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) }).press('r');
    const { flow, ids, action } = session.take('plan');
    expect([action, ids]).toEqual(['retry', [session.ids[0]]]);
    session.feed({ type: 'planned', flow, planned: plannedFor(ids), met: null });
    return { session, flow };
  };

  test('nothing is done without y: other keys, n and Esc change nothing', () => {
    for (const key of ['n', 'esc', 'q']) {
      const { session } = confirming();
      session.press('enter', 'space', 'd', key);
      expect(session.asked('carry_out')).toBe(false);
      expect(topScreen(session.state)).toBeUndefined();
      expect(session.state.notice).toBe('Nothing was changed.');
    }
  });

  test('a y typed before the question is asked is not an answer to it', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) }).press('r', 'y');
    const { flow, ids } = session.take('plan');
    session.feed({ type: 'planned', flow, planned: plannedFor(ids), met: null });
    expect(modeOf(session.state)).toBe('confirming_retry');
    expect(session.asked('carry_out')).toBe(false);
  });

  test('nor is a y that goes on in what was typed before it: only one after a moment of quiet', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) }).press('d');
    const { flow, ids } = session.take('plan');
    session.pressAfter(150, 's', 'x');
    session.feed({ type: 'planned', flow, planned: plannedFor(ids), met: null });
    session.pressAfter(150, ' ', 'y', 'e', 'y');
    expect([modeOf(session.state), session.asked('carry_out')]).toEqual(['confirming', false]);
    expect(session.state.notice).toContain('Typed before this was asked');
    expect(session.pressAfter(2000, 'y').asked('carry_out')).toBe(true);
  });

  test('options are typed in place, by the rules of the command line, and are carried out', () => {
    const { session } = confirming();
    session.press('r').type('fast').press('enter');
    expect(topScreen(session.state)).toMatchObject({ typing: { error: expect.stringContaining('rate needs') } });
    session.press('ctrl+u').type('0.5').press('enter', 's').type('INC-7 ').press('enter', 'b');
    // What is typed is text: neither y nor n answers the question.
    session.press('m', 'y', 'n').type('yn').press('esc').press('m').type('1').press('enter');
    expect(session.asked('carry_out')).toBe(false);
    expect(topScreen(session.state)).toMatchObject({ phase: { confirmation: { question: 'Retry 1 message?' } } });
    session.press('y');
    expect(session.take('carry_out').terms).toEqual({
      rate: 0.5,
      max: 1,
      bypass: true,
      note: 'INC-7',
      watching: null,
    });
  });

  test.each([
    ['t', 'no queue'],
    ['r', '-1'],
    ['m', 'x'],
    ['c', '0'],
    ['w', 'soon'],
    ['w', '0s'],
    ['w', '99999999d'],
  ])('what is wrong with %s as %s is told without the name of a flag, which nobody can type here', (key, typed) => {
    const { session } = confirming();
    session.press(key).type(typed).press('enter');
    const screen = topScreen(session.state);
    const error = screen?.kind === 'flow' ? screen.typing?.error : null;
    expect(error).toMatch(/^(target|rate|max|canary|wait) /);
    expect(error).not.toContain('--');
  });

  test('another target is looked at anew before it is asked about', () => {
    const { session, flow } = confirming();
    session.press('t').type('no such queue').press('enter');
    expect(topScreen(session.state)).toMatchObject({ typing: { error: expect.stringContaining('target needs') } });
    session.press('ctrl+u').type('orders-2').press('enter', 'y');
    expect(session.take('plan')).toMatchObject({ flow, to: 'orders-2' });
    expect([modeOf(session.state), session.asked('carry_out')]).toEqual(['planning', false]);
  });

  test('canaries come with a time to watch them, and are asked about when it is known whether that is enough', () => {
    const { session, flow } = confirming();
    session.press('c').type('5').press('enter');
    const watching = { waitMs: 120_000, canary: 5 };
    expect(session.take('foretell').watching).toEqual(watching);
    session.press('y');
    expect(session.asked('carry_out')).toBe(false);
    const forecast = { will: ['Then it is watched.'], warnings: [] };
    session.feed({ type: 'foretold', flow, watching: { waitMs: 1, canary: null }, forecast }).press('y');
    expect(session.asked('carry_out')).toBe(false);
    session.feed({ type: 'foretold', flow, watching, forecast }).press('y');
    expect(session.take('carry_out').terms.watching).toEqual(watching);
    const again = confirming().session;
    again.press('c').type('5').press('enter', 'w', 'ctrl+u', 'enter');
    expect(topScreen(again.state)).toMatchObject({ options: { canary: '', wait: '' }, phase: { outlook: null } });
  });

  test('a dismissal has no target, no canaries and no edit', () => {
    const session = new Session().open({ orders: failuresOf('orders', 1) }).press('d');
    const { flow, ids } = session.take('plan');
    session.feed({ type: 'planned', flow, planned: plannedFor(ids), met: null }).press('t', 'c', 'w', 'b', 'e');
    expect(modeOf(session.state)).toBe('confirming');
  });

  test('one message is edited at a time', () => {
    const session = new Session().list({ orders: failuresOf('orders', 2) }).press('a', 'e');
    expect([session.asked('plan'), session.state.notice]).toEqual([false, expect.stringContaining('One message')]);
  });

  test('y carries out what was planned, the result is shown and the source read again', () => {
    const { session, flow } = confirming();
    session.press('space');
    session.press('y');
    expect(session.take('carry_out').planned.plan.items).toHaveLength(1);
    session.effects = [];
    session.feed({ type: 'acted', flow, outcome: acted(flow) });
    expect(modeOf(session.state)).toBe('result');
    expect(session.take('read').sources).toEqual([{ name: 'orders', reading: 2 }]);
    session.press('enter');
    expect(modeOf(session.state)).toBe('failures');
  });

  test('what cannot be done is not asked about', () => {
    const session = new Session().list({ orders: failuresOf('orders', 1) }).press('r');
    const { flow, ids } = session.take('plan');
    session.feed({ type: 'planned', flow, planned: plannedFor(ids, 'Its body was lost.'), met: null });
    expect(bindingsFor(modeOf(session.state)).map(({ command }) => command)).not.toContain('yes');
    session.press('y');
    expect(session.asked('carry_out')).toBe(false);
    expect(topScreen(session.state)?.kind).toBe('flow');
    // A target that was typed wrong can be typed anew.
    session.press('t').type('orders-two').press('enter');
    expect(session.take('plan')).toMatchObject({ ids, to: 'orders-two' });
    session.feed({
      type: 'planned',
      flow,
      planned: plannedFor(ids, 'The queue orders-two does not exist.'),
      met: null,
    });
    session.press('n');
    expect(topScreen(session.state)).toBeUndefined();
  });

  test('Esc stops the first pass, and reads what it interrupted', () => {
    const session = new Session().list({ orders: failuresOf('orders', 1) }).press('R', 'r');
    session.feed({ type: 'read_stopped', source: 'orders', reading: 2 }).press('esc');
    expect(session.take('stop').flow).toBe(1);
    expect(session.take('read').sources).toEqual([{ name: 'orders', reading: 3 }]);
    session.feed({ type: 'planned', flow: 1, planned: plannedFor(['orders/x']), met: null });
    expect(topScreen(session.state)).toBeUndefined();
  });

  test('Ctrl+C stops an action cleanly, and the second one leaves at once', () => {
    const { session } = confirming();
    session.press('y', 'ctrl+c');
    expect(session.take('stop').flow).toBe(1);
    expect(modeOf(session.state)).toBe('stopping');
    expect(session.press('esc', 'q', 'y').asked('leave')).toBe(false);
    session.press('ctrl+c');
    expect(session.take('leave_now').code).toBe(130);
  });

  test('a failure that is shown is acted on alone, whatever is selected', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) }).press('a', 'g', 'j', 'enter', 'd');
    expect(session.take('plan')).toMatchObject({ action: 'dismiss', ids: [session.ids[1]] });
  });

  test('an error of the first pass is shown in place, and nothing is said to have changed', () => {
    const session = new Session().list({ orders: failuresOf('orders', 1) }).press('r');
    session.feed({ type: 'flow_failed', flow: 1, message: 'The journal is full.', hint: 'Make room.' });
    expect(topScreen(session.state)).toMatchObject({
      phase: {
        name: 'result',
        lines: [{ text: 'The journal is full.' }, { text: 'Make room.' }, { text: 'Nothing was changed.' }],
      },
    });
  });

  test('undo plans the ids of the last dismissal, and says when there is none', () => {
    const session = new Session().list({ orders: failuresOf('orders', 1) }).press('u');
    const undoable = { run: 'run-7', at: new Date(NOW).toISOString(), ids: ['orders/a', 'orders/b'] };
    session.feed({ type: 'undo_found', flow: session.take('find_undo').flow, undoable });
    expect(session.take('plan')).toMatchObject({ action: 'restore', ids: ['orders/a', 'orders/b'] });
    session.press('esc', 'u').feed({ type: 'undo_found', flow: 2, undoable: null });
    expect(modeOf(session.state)).toBe('result');
  });

  test('an empty archive names the key that leads out of it', () => {
    const session = new Session().list({ orders: failuresOf('orders', 1) }).press('D');
    session.take('read');
    session.answer({ orders: [] });
    const said = emptyLines(session.state)
      .flat()
      .map(({ text }) => text)
      .join('');
    const [, key = ''] = said.match(/(\S+) shows the failures again/) ?? [];
    session.press(key);
    expect([...session.take('read').asked.states]).toEqual(['failed', 'pending']);
  });

  test('D reads the archive, b brings back from there, and what acts on failures does nothing there', () => {
    const session = new Session().list({ orders: failuresOf('orders', 2) }).press('D');
    expect([...session.take('read').asked.states]).toEqual(['dismissed']);
    session.answer({ orders: failuresOf('orders', 1, { state: 'dismissed' }) });
    expect(modeOf(session.state)).toBe('archive');
    session.press('r', 'd', 'u');
    expect(topScreen(session.state)).toBeUndefined();
    session.press('b');
    expect(session.take('plan')).toMatchObject({ action: 'restore', ids: [session.ids[0]] });
    session.press('esc', 'D');
    expect([...session.take('read').asked.states]).toEqual(['failed', 'pending']);
  });
});

describe('leaving', () => {
  test('q waits for what is held, and the second Ctrl+C does not', () => {
    const session = new Session().feed({ type: 'started' }).press('q');
    expect(session.take('leave').code).toBe(0);
    expect(session.press('q', 'ctrl+c').take('leave_now').code).toBe(130);
  });

  test('there is a way out of everything', () => {
    const modes = new Set<Mode>(BINDINGS.flatMap((binding) => binding.modes));
    for (const mode of modes) {
      expect([mode, commandFor(mode, 'ctrl+c')]).toEqual([mode, expect.stringMatching(/^(interrupt|cancel)$/)]);
    }
  });
});

describe('moving', () => {
  test('the cursor stays on its failure when the order changes or more arrives', () => {
    const session = new Session(['orders', 'invoices']).list({ orders: failuresOf('orders', 5) }).press('j', 'j');
    const under = session.ids[2];
    session.answer({ invoices: failuresOf('invoices', 5) });
    expect(session.ids[session.state.list.cursor]).toBe(under);
    session.press('o', 'o');
    expect(session.ids[session.state.list.cursor]).toBe(under);
  });

  test('back from a failure is where one was', () => {
    const session = new Session().list({ orders: failuresOf('orders', 50) }).press('G', 'k', 'enter', 'j', 'j', 'q');
    expect(session.state.list.cursor).toBe(48);
  });

  test('whatever is pressed and however the terminal is resized, the cursor is on a row in view', () => {
    const key = fc.constantFrom(
      'j',
      'k',
      'pgup',
      'pgdn',
      'g',
      'G',
      'space',
      'a',
      'o',
      'enter',
      'q',
      'n',
      'v',
      'D',
      'c',
      'O',
      'tab',
      'J',
      'esc',
      '?',
      '!',
    );
    const size = fc.record({ columns: fc.integer({ min: 1, max: 300 }), rows: fc.integer({ min: 1, max: 100 }) });
    const step = fc.oneof(key, size, fc.integer({ min: 0, max: 60 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const session = new Session().list({ orders: failuresOf('orders', 30) });
        for (const one of steps) {
          if (typeof one === 'string') {
            if (!(one === 'q' && modeOf(session.state).endsWith('groups'))) session.press(one);
          } else if (typeof one === 'number') session.answer({ orders: failuresOf('orders', one) });
          else session.feed({ type: 'resized', size: one });
          const { place, groups, list: failures } = session.state;
          const list = place.kind === 'groups' ? groups : failures;
          const { body } = layoutOf(session.state);
          const top = windowTop(list.top, list.cursor, body, list.rows.length);
          expect(list.cursor).toBeGreaterThanOrEqual(0);
          expect(list.cursor).toBeLessThan(Math.max(1, list.rows.length));
          if (list.rows.length > 0) {
            expect(list.cursor).toBeGreaterThanOrEqual(top);
            expect(list.cursor).toBeLessThan(top + body);
          }
        }
      }),
    );
  });
});

describe('screens that nobody looks at', () => {
  const at = (ms: number) => new Date(NOW - ms).toISOString();
  const aged = (failed: number, expires: number, now = NOW + 60_000) => {
    const session = new Session().list({
      orders: failuresOf('orders', 1, { failed_at: at(failed), expires_at: at(-expires) }),
    });
    session.feed({ type: 'ticked', now, held: [0] });
    return agedAt(session.state) - now;
  };

  test('tell ages every few seconds only while one in sight is in seconds', () => {
    expect(aged(3_600_000, 3_600_000)).toBe(60_000);
    expect(aged(-30_000, 3_600_000), 'failed seconds ago').toBe(5000);
    expect(aged(3_600_000, 90_000), 'expires in seconds').toBe(5000);
    // What was read just now was read within a minute ten seconds later, and a minute ago after a minute.
    expect([aged(3_600_000, 3_600_000, NOW + 1000), aged(3_600_000, 3_600_000, NOW + 10_000)]).toEqual([9000, 50_000]);
  });

  test('an age that is out of sight is none', () => {
    const failures = [
      ...failuresOf('orders', 40, { failed_at: at(3_600_000) }),
      ...failuresOf('orders', 1, { id: 'orders/z', failed_at: at(-50_000), expires_at: null }),
    ];
    const session = new Session().list({ orders: failures });
    session.feed({ type: 'ticked', now: NOW + 60_000, held: [0] });
    expect(agedAt(session.state) - session.state.now).toBe(60_000);
    session.press('G');
    expect(agedAt(session.state) - session.state.now).toBe(5000);
  });

  test('are not drawn for the same counts again', () => {
    const session = new Session().list({ orders: failuresOf('orders', 3) });
    const facts = {
      name: 'orders',
      kind: 'sqs' as const,
      queue: 'orders-dlq',
      fifo: false,
      visible: 3,
      in_flight: 0,
      delayed: 0,
      retention_seconds: null,
      redrive_sources: null,
      error: null,
    };
    const before = session.feed({ type: 'counted', facts: [facts] }).state;
    expect(session.feed({ type: 'counted', facts: [{ ...facts }] }).state).toBe(before);
    expect(session.feed({ type: 'counted', facts: [{ ...facts, visible: 4 }] }).state).not.toBe(before);
  });

  test('do by themselves what takes long so rarely that all of it is well below a hundredth of a core', () => {
    expect([restAfter(1, 10_000), restAfter(400, 10_000)]).toEqual([10_000, 200_000]);
  });
});
