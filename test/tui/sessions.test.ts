import { afterEach, describe, expect, test, vi } from 'vitest';
import { BabelqError } from '../../src/model/errors.ts';
import type { WholeFailure } from '../../src/model/failure.ts';
import { commandFor, type Mode } from '../../src/tui/keys.ts';
import type { OpenEditor } from '../../src/tui/options.ts';
import { isTyping, modeOf } from '../../src/tui/state/mode.ts';
import { topScreen } from '../../src/tui/state/state.ts';
import { holdLines } from '../../src/tui/text/holding.ts';
import type { Line } from '../../src/tui/text/line.ts';
import { Runtime } from '../../src/tui/work/runtime.ts';
import { MemoryJournal, MemorySource } from '../support/memory.ts';
import { failuresOf } from './session.ts';

const clock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) =>
    new Promise<void>((done) => {
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        done();
      });
    }),
};

/** On a busy machine; what is waited for mostly comes at once. */
const PATIENCE = 10_000;
const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, PATIENCE);

let running: Runtime | null = null;
afterEach(async () => {
  await running?.stop();
  running = null;
});

/** Stands for an editor: what it makes of the text that it is given. */
let scripted: (text: string) => string | null = (text) => text;
const opened: { text: string; removed: boolean }[] = [];
const openEditor: OpenEditor = (text) => {
  const file = { text, removed: false };
  opened.push(file);
  return {
    edit: async () => {},
    read: () => scripted(text),
    remove: () => {
      file.removed = true;
    },
  };
};

/** The screens over sources in memory, with their real work; without a terminal. */
function open(failures: Record<string, WholeFailure[]>, requireNote = false, hold = false) {
  const journal = new MemoryJournal();
  const sources = Object.entries(failures).map(([name, list]) => new MemorySource(name, list, journal));
  const left: { code: number; atOnce: boolean }[] = [];
  const failed: unknown[] = [];
  const runtime = new Runtime(
    { sources, journal: journal.asJournal(), clock, operator: 'ann@ops', redact: [], requireNote },
    {
      allowReceive: false,
      limit: 'all',
      size: { columns: 80, rows: 24 },
      openEditor,
      hold,
      onLeave: (code, atOnce) => left.push({ code, atOnce }),
      onFailure: (error) => failed.push(error),
    },
  );
  running = runtime;
  runtime.dispatch({ type: 'command', command: 'open_all' });
  const press = (...keys: string[]) => {
    for (const key of keys) {
      const mode = modeOf(runtime.state());
      const command = commandFor(mode, key);
      if (command !== undefined) runtime.dispatch({ type: 'command', command });
      else if (isTyping(mode)) runtime.dispatch({ type: 'typed', text: key });
    }
  };
  const until = (mode: Mode) => soon(() => expect(modeOf(runtime.state())).toBe(mode));
  const calm = () =>
    soon(() => {
      const { wanted, shown } = runtime.state().list;
      expect([runtime.busy, shown]).toEqual([false, wanted]);
    });
  const ids = () => {
    const { list, marks } = runtime.state();
    return list.rows.map(({ id }) => id).filter((id) => !marks.gone.has(id));
  };
  const first = sources[0];
  if (first === undefined) throw new Error('no source');
  return { runtime, sources, source: first, journal, left, failed, press, until, calm, ids };
}

function gated(source: MemorySource): () => void {
  let open = () => {};
  source.gate = new Promise((done) => {
    open = done;
  });
  return open;
}

describe('a session', () => {
  test('retries what was selected, shows the result, and reads that source again and no other', async () => {
    const session = open({ orders: failuresOf('orders', 3), invoices: failuresOf('invoices', 2) });
    session.runtime.start();
    await session.calm();
    expect(session.ids()).toHaveLength(5);
    const [orders, invoices] = session.sources;
    const before = [orders?.reads, invoices?.reads];
    session.press('/', ...'queue:orders', 'enter', 'a', 'r');
    await session.until('confirming_retry');
    session.press('y');
    await session.until('result');
    await session.calm();
    expect(session.ids()).toEqual([]);
    expect(orders?.failures).toEqual([]);
    // The first pass and the reading afterwards.
    expect([orders?.reads, invoices?.reads]).toEqual([(before[0] ?? 0) + 2, before[1]]);
    expect(session.failed).toEqual([]);
  });

  test('dismisses, and undoes the last dismissal: by u, and from the archive', async () => {
    const session = open({ orders: failuresOf('orders', 2) });
    session.runtime.start();
    await session.calm();
    const [dismissed, other] = session.ids();
    for (const way of [['u'], ['D', 'b']]) {
      session.press('g', 'd');
      await session.until('confirming');
      session.press('y');
      await session.until('dismissal');
      await session.calm();
      session.press('q');
      expect(session.ids()).toEqual([other]);
      for (const key of way) {
        session.press(key);
        await soon(() => expect(session.runtime.busy && key === 'D').toBe(false));
      }
      await session.until('confirming');
      expect(topScreen(session.runtime.state())).toMatchObject({ action: 'restore', ids: [dismissed] });
      session.press('y');
      await session.until('result');
      await session.calm();
      session.press('q');
      if (way.length > 1) session.press('D', 'tab');
      await session.calm();
      expect(session.ids()).toEqual([dismissed, other]);
    }
    expect(session.failed).toEqual([]);
  });

  test('asks why where the configuration wants it, and journals what was said', async () => {
    const session = open({ orders: failuresOf('orders', 1) }, true);
    session.runtime.start();
    await session.calm();
    session.press('d');
    await session.until('confirming');
    session.press('y');
    await session.until('option');
    expect(session.journal.entries).toEqual([]);
    session.press(...'no longer sent', 'enter', 'y');
    await session.until('dismissal');
    expect(session.journal.entries).toMatchObject([{ action: 'dismiss', note: 'no longer sent' }]);
  });

  test('edits a body in the editor, again where it cannot be sent, and retries with the edit; no file is left', async () => {
    const session = open({ orders: failuresOf('orders', 2) });
    session.runtime.start();
    await session.calm();
    const answers = ['{"job": oops', '{"job":"urn:babel:orders:created","data":{"order_id":7}}'];
    scripted = () => answers.shift() ?? '';
    session.press('j', 'e');
    await session.until('unsendable');
    expect(JSON.stringify(topScreen(session.runtime.state()))).toContain('it is not JSON: see line 1');
    session.press('e');
    await session.until('confirming_edit');
    expect(opened.at(-1)?.text).toBe('{"job": oops');
    const shown = topScreen(session.runtime.state());
    expect(shown).toMatchObject({
      editing: { change: { lines: expect.arrayContaining([expect.objectContaining({ kind: 'added' })]) } },
    });
    session.press('y');
    await session.until('result');
    expect(session.source.acted.at(-1)?.edit?.says).toEqual(['its body becomes what you saved']);
    expect(opened.every(({ removed }) => removed)).toBe(true);
    session.press('q');
    await session.calm();
    // An empty file is a no, and so is one that wasn't changed.
    for (const answer of [() => '', (text: string) => text]) {
      scripted = answer;
      session.press('e');
      expect(modeOf(session.runtime.state())).toBe('planning');
      await session.until('failures');
      expect(session.runtime.state().notice).toContain('left as it was');
    }
    expect(opened.every(({ removed }) => removed)).toBe(true);
    expect(session.source.acted).toHaveLength(1);
    expect(session.failed).toEqual([]);
  });

  test('lists each message by how it ended: failed and skipped before done', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    session.press('a', 'r');
    await session.until('confirming_retry');
    const [gone, ...rest] = session.source.failures;
    session.source.failures = rest;
    session.press('y');
    await session.until('result');
    const screen = topScreen(session.runtime.state());
    const lines = screen?.kind === 'flow' && screen.phase.name === 'result' ? screen.phase.lines : [];
    const texts = lines.map(({ text }) => text.trim()).filter((text) => text !== '');
    expect(texts).toEqual([
      'Retried 2 of 3 messages: 1 skipped.',
      'Skipped  1',
      'Not found.',
      gone?.id,
      'Done  2',
      ...rest.map(({ id }) => `${id} → orders`),
    ]);
  });

  test('a source in trouble is no trouble to the others', async () => {
    const session = open({ orders: failuresOf('orders', 1), broken: [] });
    const broken = session.sources[1];
    if (broken) broken.error = new BabelqError('forbidden', 'Not allowed.', { hint: 'Ask.' });
    session.runtime.start();
    await session.calm();
    expect(session.ids()).toHaveLength(1);
    expect(session.runtime.state().sources[1]).toMatchObject({ phase: 'failed', error: 'Not allowed. Ask.' });
  });

  test('keeps nothing hidden while it is open, and reads by itself no more', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    session.press('j', 'enter', 'q', '/', 'x', 'esc', 'o', 'L', 'q', '!', 'q', '?', 'q');
    await session.calm();
    expect([session.source.reads, session.source.held().count]).toEqual([1, 0]);
  });

  test('a reading under way lets go before an action looks, and is taken up again when that is called off', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    const release = gated(session.source);
    session.press('R', 'r');
    expect(modeOf(session.runtime.state())).toBe('planning');
    await soon(() => expect(session.source.holding).toBe(3));
    session.source.gate = Promise.resolve();
    release();
    await session.until('confirming_retry');
    expect(session.runtime.state().sources[0]?.phase).toBe('stopped');
    session.press('n');
    await session.calm();
    expect(session.runtime.state().sources[0]?.phase).toBe('read');
    expect(session.failed).toEqual([]);
  });

  test('leaving waits until everything held is given back', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    const release = gated(session.source);
    session.runtime.start();
    await soon(() => expect(session.source.holding).toBe(3));
    session.press('tab', 'q');
    await Promise.resolve();
    expect(session.left).toEqual([]);
    release();
    await soon(() => expect(session.left).toEqual([{ code: 0, atOnce: false }]));
    expect(session.source.held().count).toBe(0);
  });

  test('Ctrl+C stops an action and shows what came of it; twice leaves at once', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    const act = async () => {
      session.press('a', 'd');
      await session.until('confirming');
      const release = gated(session.source);
      session.press('y');
      await soon(() => expect(session.source.holding).toBe(3));
      session.press('ctrl+c');
      expect(modeOf(session.runtime.state())).toBe('stopping');
      return release;
    };
    (await act())();
    await session.until('result');
    expect(session.source.failures.every(({ state }) => state === 'failed')).toBe(true);
    session.source.gate = Promise.resolve();
    session.press('q');
    await session.calm();
    const release = await act();
    session.press('ctrl+c');
    expect(session.left).toEqual([{ code: 130, atOnce: true }]);
    release();
  });

  test('the log opens a run, a message and its story, and is filtered as it is typed', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    for (const id of session.ids()) {
      session.press('d');
      await session.until('confirming');
      session.press('s', ...`because of ${id.slice(-3)}`, 'enter', 'y');
      await session.until('dismissal');
      await session.calm();
      session.press('enter');
    }
    const screen = () => topScreen(session.runtime.state());
    session.press('l');
    await soon(() => expect(screen()).toMatchObject({ kind: 'log', entries: { length: 3 } }));
    session.press('/', ...'RUN-2 done', 'enter');
    session.press('enter');
    await soon(() => expect(screen()).toMatchObject({ kind: 'run', run: 'run-2' }));
    session.press('enter');
    await soon(() => expect(screen()).toMatchObject({ kind: 'entry', story: expect.any(Array) }));
    session.press('q', 'esc', 'q');
    expect(screen()).toMatchObject({ kind: 'log', query: 'RUN-2 done' });
    session.press('esc');
    expect(screen()).toMatchObject({ kind: 'log', query: '' });
    session.press('esc');
    expect(screen()).toBeUndefined();
  });

  test('an error of the journal is shown in place', async () => {
    const session = open({ orders: failuresOf('orders', 1) });
    session.runtime.start();
    await session.calm();
    session.journal.log = async () => {
      throw new BabelqError('journal', 'The journal is locked.', { hint: 'Try again.' });
    };
    session.press('L');
    await soon(() =>
      expect(topScreen(session.runtime.state())).toMatchObject({
        entries: { error: 'The journal is locked. Try again.' },
      }),
    );
    session.press('q', 'enter');
    await soon(() =>
      expect(topScreen(session.runtime.state())).toMatchObject({ history: { error: expect.any(String) } }),
    );
    session.press('q', 'u');
    await session.until('result');
    expect(session.failed).toEqual([]);
  });

  test('a fault of the screens themselves is reported, not swallowed', async () => {
    const session = open({ orders: [] });
    session.runtime.dispatch({ type: 'read', source: 'orders', reading: 0, failures: [], report: undefined as never });
    expect(session.failed).toHaveLength(1);
  });
});

describe('holding', () => {
  test('keeps what is shown, lets go for what must receive it and takes it again, and gives all back', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    const holding = (count: number) => soon(() => expect(session.source.kept).toBe(count));
    const shown = (words: string) =>
      soon(() => expect(lineText(holdLines(session.runtime.state())[0] ?? [])).toContain(words));
    session.press('H');
    await shown('3 held, hidden from others');
    await holding(3);
    session.press('r');
    await session.until('confirming_retry');
    // The first pass met them, so they weren't held any more; a person may think as long as they like.
    await holding(0);
    session.press('n');
    await holding(3);
    session.press('r');
    await session.until('confirming_retry');
    session.press('y');
    await session.until('result');
    await holding(2);
    session.press('q', 'R');
    await shown('2 held');
    session.press('H');
    await holding(0);
    await soon(() => expect(session.runtime.state().notice).toContain('visible to everyone again'));
    expect(holdLines(session.runtime.state())).toEqual([]);
    expect(session.failed).toEqual([]);
  });

  test('--hold holds as soon as it was read, and leaving gives everything back first', async () => {
    const session = open({ orders: failuresOf('orders', 3) }, false, true);
    session.runtime.start();
    await soon(() => expect(session.source.kept).toBe(3));
    session.press('tab', 'q');
    await soon(() => expect(session.left).toEqual([{ code: 0, atOnce: false }]));
    expect(session.source.kept).toBe(0);
  });

  test('a hold that cannot be taken says why, and holds nothing', async () => {
    const session = open({ orders: failuresOf('orders', 3) });
    session.runtime.start();
    await session.calm();
    session.source.error = new BabelqError('forbidden', 'sqs:ReceiveMessage is missing.');
    session.press('H');
    await soon(() =>
      expect(lineText(holdLines(session.runtime.state())[0] ?? [])).toContain('sqs:ReceiveMessage is missing'),
    );
    expect(session.source.kept).toBe(0);
  });
});

function lineText(spans: Line): string {
  return spans.map(({ text }) => text).join('');
}

/** The processor time that this thread has had, in milliseconds: what a key costs, however busy the machine is. */
function workMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

describe('with a hundred thousand failures', () => {
  test('a key costs what it costs with a hundred, and no key waits for a filter or an order', async () => {
    const cost = async (count: number) => {
      const session = open({ orders: failuresOf('orders', count) });
      session.runtime.start();
      await soon(() => expect(session.ids()).toHaveLength(count));
      const keys = ['j', 'j', 'pgdn', 'G', 'k', 'g', 'space'];
      const times = Array.from({ length: 280 }, (_, at) => {
        const from = workMs();
        session.press(keys[at % keys.length] ?? 'j');
        return workMs() - from;
      }).sort((a, b) => a - b);
      const longest: number[] = [];
      for (const slow of ['o', '/', 'g', 'a', 't', 'e', 'enter']) {
        const from = workMs();
        session.press(slow);
        longest.push(workMs() - from);
      }
      await soon(() => {
        const { wanted, shown } = session.runtime.state().list;
        expect(shown).toBe(wanted);
      });
      await session.runtime.stop();
      longest.sort((a, b) => a - b);
      return { median: times[140] ?? 0, slow: longest[3] ?? 0 };
    };
    const few = await cost(100);
    const many = await cost(100_000);
    expect(many.median).toBeLessThan(few.median * 10 + 1);
    expect(many.slow).toBeLessThan(50);
  }, 60_000);
});
