import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqsCallError } from '../../../../src/adapters/sqs/client.ts';
import { BabelqError } from '../../../../src/model/errors.ts';
import type { Journal, Selection } from '../../../../src/model/ports.ts';
import { everything, ids, Workbench, wrapped } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await Workbench.open();
  await bench.server.createQueue('orders-dlq');
  await bench.server.createQueue('orders', {}, { queue: 'orders-dlq', maxReceiveCount: 3 });
});
afterEach(() => bench.close());

function put(...bodies: string[]): void {
  for (const body of bodies) bench.server.put('orders-dlq', { body });
}

/** The outcomes by body, of messages that each have one. */
function outcomes(items: { id: string; outcome: string }[], before: { messageId: string; body: string }[]) {
  return Object.fromEntries(
    before.map(({ messageId, body }) => [body, items.find(({ id }) => id === `orders/${messageId}`)?.outcome]),
  );
}

/** A client that does to the entries of the first send what is asked of it, by body. */
function spoiling(how: Record<string, 'failed' | 'sender' | 'unheard' | 'both' | 'absent'>) {
  let first = true;
  return wrapped((client) => ({
    async sendBatch(url, entries) {
      if (!first) return client.sendBatch(url, entries);
      first = false;
      const of = (id: string) => how[entries.find((entry) => entry.id === id)?.body ?? ''];
      const passed = entries.filter(({ id }) => !['failed', 'sender', 'absent'].includes(of(id) ?? ''));
      const answer = await client.sendBatch(url, passed);
      const failed = entries
        .filter(({ id }) => ['failed', 'sender', 'both'].includes(of(id) ?? ''))
        .map(({ id }) => ({
          id,
          code: of(id) === 'sender' ? 'InvalidMessageContents' : 'InternalError',
          message: 'made up',
          senderFault: of(id) === 'sender',
        }));
      return {
        successful: [
          ...answer.successful.filter(({ id }) => of(id) !== 'unheard'),
          { id: 'nobody-asked', messageId: 'x' },
        ],
        failed,
      };
    },
  }));
}

describe('answers', () => {
  test('each entry counts for what the answer says of it, and only what is confirmed as sent is deleted', async () => {
    put('fine', 'sender', 'failed', 'unheard', 'both', 'absent');
    const before = bench.lying('orders-dlq');
    const acted = await bench.act({
      between: spoiling({ sender: 'sender', failed: 'failed', unheard: 'unheard', both: 'both', absent: 'absent' }),
    });
    expect(outcomes(acted.items, before)).toEqual({
      fine: 'done',
      sender: 'failed',
      failed: 'done', // by the server's fault: the engine itself sends it again, under the same intent
      unheard: 'uncertain',
      both: 'uncertain',
      absent: 'uncertain',
    });
    const left = await bench.visible('orders-dlq');
    expect(left.map(({ body }) => body).sort()).toEqual(['absent', 'both', 'sender', 'unheard']);
    expect(bench.bodies('orders').sort()).toEqual(['both', 'failed', 'fine', 'unheard']);
    const unfinished = await bench.journal.log({ unfinished: true });
    expect(unfinished).toHaveLength(3);
  });

  test('a send whose answer is lost is uncertain, stays on the queue, and is not sent again by this run', async () => {
    put('a', 'b');
    let sends = 0;
    const acted = await bench.act({
      between: wrapped((client) => ({
        async sendBatch(url, entries) {
          sends += 1;
          await client.sendBatch(url, entries);
          throw new SqsCallError('SendMessageBatch', 'no_answer', 'ECONNRESET', 'socket hang up');
        },
      })),
    });
    expect(acted.items.map(({ outcome }) => outcome)).toEqual(['uncertain', 'uncertain']);
    expect(sends).toBe(1);
    expect(await bench.visible('orders-dlq')).toHaveLength(2);

    const later = await bench.act();
    expect(later.items.map(({ outcome, possible_double }) => [outcome, possible_double])).toEqual([
      ['done', true],
      ['done', true],
    ]);
    expect(bench.bodies('orders').sort()).toEqual(['a', 'a', 'b', 'b']);
  });

  test('throttled and unreachable sends are tried again after a pause, and end as done', async () => {
    put(...Array.from({ length: 25 }, (_, n) => `m${n}`));
    const troubles = ['throttled', 'unreachable', 'throttled'] as const;
    let n = 0;
    const acted = await bench.act({
      between: wrapped((client) => ({
        async sendBatch(url, entries) {
          const trouble = troubles[n++];
          if (trouble) throw new SqsCallError('SendMessageBatch', trouble, trouble, 'made up');
          return client.sendBatch(url, entries);
        },
      })),
    });
    expect(new Set(acted.items.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
    expect(bench.lying('orders')).toHaveLength(25);
  });

  test('where nobody tells at the end what others have in flight, nothing is called complete, and no id gone', async () => {
    const act = async (selection: Selection) => {
      let asked = 0;
      return bench.act({
        selection,
        between: wrapped((client) => ({
          async queueAttributes(url) {
            // When it is opened, and when the run begins.
            if (url.endsWith('/orders-dlq') && ++asked > 2) {
              throw new SqsCallError('GetQueueAttributes', 'unreachable', 'ECONNREFUSED', 'made up');
            }
            return client.queueAttributes(url);
          },
        })),
      });
    };
    put('m0', 'm1');
    const all = await act(everything());
    expect([all.items.map(({ outcome }) => outcome), all.complete]).toEqual([['done', 'done'], false]);
    const one = await act(ids('00000000-0000-4000-8000-000000000000'));
    expect(one.items).toMatchObject([{ outcome: 'skipped', detail: 'Not met: it is gone, or in flight elsewhere.' }]);
    expect(one.complete).toBe(false);
  });

  test('one message that spoils a whole batch is sent alone, and the others go', async () => {
    put('good', 'bad', 'good too');
    const acted = await bench.act({
      between: wrapped((client) => ({
        async sendBatch(url, entries) {
          if (entries.some(({ body }) => body === 'bad')) {
            throw new SqsCallError('SendMessageBatch', 'refused', 'InvalidParameterValue', 'made up');
          }
          return client.sendBatch(url, entries);
        },
      })),
    });
    expect(acted.items.map(({ outcome }) => outcome).sort()).toEqual(['done', 'done', 'failed']);
    expect((await bench.visible('orders-dlq')).map(({ body }) => body)).toEqual(['bad']);
  });

  test('a target that refuses stops the run, with an error that names the permission, and gives everything back', async () => {
    put(...Array.from({ length: 60 }, (_, n) => `m${n}`));
    const acted = await bench.act({
      between: wrapped(() => ({
        async sendBatch() {
          throw new SqsCallError('SendMessageBatch', 'refused', 'AccessDenied', 'no');
        },
      })),
    });
    expect(acted.error?.code).toBe('forbidden');
    expect(acted.error?.message).toContain('sqs:SendMessage');
    expect(acted.error?.message).toContain('orders');
    expect(new Set(acted.items.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
    expect(await bench.visible('orders-dlq')).toHaveLength(60);
  });
});

describe('deletes', () => {
  test('a delete that fails is tried again; what stays undeleted is uncertain with its new id, and only deleted later', async () => {
    put('a', 'b');
    const refusing = wrapped((client) => ({
      async deleteBatch(url, entries) {
        const b = entries.filter((_, n) => n > 0);
        const answer = b.length === 0 ? { successful: [], failed: [] } : await client.deleteBatch(url, b);
        const [first] = entries;
        return first
          ? { ...answer, failed: [{ id: first.id, code: 'InternalError', message: '', senderFault: false }] }
          : answer;
      },
    }));
    const acted = await bench.act({ between: refusing });
    expect(acted.items.map(({ outcome }) => outcome).sort()).toEqual(['done', 'uncertain']);
    const uncertain = acted.items.find(({ outcome }) => outcome === 'uncertain');
    expect(bench.lying('orders').map(({ messageId }) => messageId)).toContain(uncertain?.new_id);
    expect(await bench.visible('orders-dlq')).toHaveLength(1);

    const later = await bench.act({ selection: { ...neverMatching() } });
    expect(later.items).toEqual([]);
    expect(later.note).toContain(`1 left over from run ${acted.run.id}, sent then, was only deleted`);
    expect(bench.bodies('orders-dlq')).toEqual([]);
    expect(bench.lying('orders')).toHaveLength(2);
    expect(await bench.journal.log({ unfinished: true })).toEqual([]);
  });

  test('a queue that allows no delete stops the run before more is sent', async () => {
    put(...Array.from({ length: 200 }, (_, n) => `m${n}`));
    const acted = await bench.act({
      between: wrapped(() => ({
        async deleteBatch() {
          throw new SqsCallError('DeleteMessageBatch', 'refused', 'AccessDenied', 'no');
        },
      })),
    });
    expect(acted.error?.message).toContain('sqs:DeleteMessage');
    expect(bench.lying('orders').length).toBeLessThan(200);
    expect(await bench.visible('orders-dlq')).toHaveLength(200);
    expect(acted.items.filter(({ outcome }) => outcome === 'uncertain')).toHaveLength(bench.lying('orders').length);
  });

  test('past the visibility timeout nothing is deleted by a stale handle: it is received again, and then deleted', async () => {
    put('slow');
    const acted = await bench.act({
      deps: { visibilitySeconds: 12 },
      between: wrapped((client) => {
        let hung = false;
        return {
          // No extension comes through while the first send hangs.
          changeVisibilityBatch: async (url, entries) =>
            hung ? client.changeVisibilityBatch(url, entries) : { successful: [], failed: [] },
          async sendBatch(url, entries) {
            const answer = await client.sendBatch(url, entries);
            await new Promise((resolve) => setTimeout(resolve, 12_500));
            hung = true;
            return answer;
          },
        };
      }),
    });
    expect(acted.items.map(({ outcome }) => outcome)).toEqual(['done']);
    expect(bench.bodies('orders')).toEqual(['slow']);
    expect(bench.bodies('orders-dlq')).toEqual([]);
  });
});

describe('the journal', () => {
  function failing(journal: Journal, when: (call: string, n: number) => boolean): Journal {
    const calls: Record<string, number> = {};
    const guarded =
      <A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>) =>
      (...args: A): Promise<R> => {
        calls[name] = (calls[name] ?? 0) + 1;
        if (when(name, calls[name])) return Promise.reject(new BabelqError('journal', 'The disk is full.'));
        return call.apply(journal, args);
      };
    return Object.assign(Object.create(journal) as Journal, {
      location: journal.location,
      begin: journal.begin.bind(journal),
      recall: guarded('recall', journal.recall),
      intend: guarded('intend', journal.intend),
      settle: guarded('settle', journal.settle),
      archived: journal.archived.bind(journal),
      countArchived: journal.countArchived.bind(journal),
    });
  }

  test("that can't be written: nothing is sent, nothing is kept hidden, and the error says so", async () => {
    put('a', 'b', 'c');
    const acted = await bench.act({ deps: { journal: failing(bench.journal, (call) => call === 'intend') } });
    expect(acted).toMatchObject({ items: [], error: { code: 'journal' } });
    expect(bench.bodies('orders')).toEqual([]);
    expect(await bench.visible('orders-dlq')).toHaveLength(3);
  });

  test('that fails after a send: what was sent is still deleted, the run stops, and the next one sends nothing twice', async () => {
    put('a', 'b', 'c');
    const acted = await bench.act({ deps: { journal: failing(bench.journal, (call) => call === 'settle') } });
    expect(acted.error).toMatchObject({ code: 'journal' });
    expect(acted.items.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
    expect(acted.items[0]?.detail).toContain('the journal could not record');
    expect(bench.bodies('orders-dlq')).toEqual([]);
    const later = await bench.act();
    expect(later.items).toEqual([]);
    expect(bench.lying('orders')).toHaveLength(3);
  });
});

describe('receives', () => {
  test('a few that fail are tried again; one that is refused ends the run with what to do', async () => {
    put('a');
    let n = 0;
    const bumpy = await bench.act({
      between: wrapped((client) => ({
        async receive(url, request) {
          n += 1;
          if (n < 3) throw new SqsCallError('ReceiveMessage', 'throttled', 'RequestThrottled', 'slow down');
          return client.receive(url, request);
        },
      })),
    });
    expect(bumpy.items.map(({ outcome }) => outcome)).toEqual(['done']);
    const refused = await bench.act({
      between: wrapped(() => ({
        async receive(): Promise<never> {
          throw new SqsCallError('ReceiveMessage', 'refused', 'AccessDenied', 'no');
        },
      })),
    });
    expect(refused.error?.message).toContain('sqs:ReceiveMessage');
  });
});

function neverMatching(): { kind: 'match'; states: ReadonlySet<'failed'>; matches: () => boolean; startedAt: number } {
  return { kind: 'match', states: new Set(['failed']), matches: () => false, startedAt: Date.now() };
}
