/** What a team sees that shares one journal: each with the built bin, a folder and a name of their own. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ActionReport } from '../../src/model/action.ts';
import type { JournalInfo } from '../../src/model/journal-care.ts';
import type { LogEntry } from '../../src/model/ports.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { inSchema } from './postgres-journal.ts';
import { startPostgresProxy } from './postgres-proxy.ts';
import type { PostgresServer } from './postgres-server.ts';
import { type Ran, type Running, Sandbox } from './run-babelq.ts';
import { type SqsServer, startFauxqs } from './servers.ts';
import { deadLettered } from './shapes.ts';

const MESSAGES = 1000;

export function teamSuite(name: string, postgres: PostgresServer, { atOnce }: { atOnce: boolean }): void {
  describe(name, () => {
    let server: SqsServer;
    let proxy: FaultProxy;
    let ana: Sandbox;
    let bob: Sandbox;
    let nth = 0;
    let dlq: string;
    let target: string;
    let url: string;

    beforeAll(async () => {
      server = await startFauxqs();
      proxy = await startFaultProxy(server, { longestPoll: 60 });
      ana = new Sandbox({ ...proxy.environment, BABELQ_OPERATOR: 'ana@desk' });
      bob = new Sandbox({ ...proxy.environment, BABELQ_OPERATOR: 'bob@laptop' });
    });
    afterAll(async () => {
      ana.remove();
      bob.remove();
      await proxy.close();
      await server.close();
    });
    beforeEach(async () => {
      nth += 1;
      [dlq, target] = [`team-${nth}-dlq`, `team-${nth}`];
      await server.createQueue(dlq);
      await server.createQueue(target);
      url = inSchema(postgres.url, `team_${process.pid}_${nth}`);
      proxy.plan = () => null;
      for (const sandbox of [ana, bob]) {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: babelq puts the variable in
        writeFileSync(sandbox.path('babelq.yaml'), `sources: [{ sqs: ${dlq} }]\njournal: ${'${BABELQ_JOURNAL_URL}'}\n`);
      }
    });

    const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
    function fill(count: number): string[] {
      const failedAt = Date.now() - 3_600_000;
      const deadLetter = { reason: 'failed', error: 'Gateway timeout', exception: 'GatewayTimeout', failedAt };
      return Array.from({ length: count }, (_, n) =>
        server.put(dlq, { ...deadLettered({ id: idOf(n), queue: target, deadLetter }), sentAt: failedAt }),
      );
    }
    const start = (who: Sandbox, args: readonly string[], journal = url): Running =>
      who.start(args, { env: { BABELQ_JOURNAL_URL: journal } });
    async function act(who: Sandbox, ...args: string[]): Promise<Ran & { report: ActionReport }> {
      const ran = await start(who, [...args, '--yes', '--json']).done;
      return { ...ran, report: JSON.parse(ran.stdout || expect.fail(ran.stderr)) as ActionReport };
    }
    async function json<T>(who: Sandbox, ...args: string[]): Promise<T> {
      return who.json<T>(args, { env: { BABELQ_JOURNAL_URL: url } });
    }
    const log = async (who: Sandbox, ...args: string[]) =>
      (await json<{ entries: LogEntry[] }>(who, 'log', ...args)).entries;
    const sentIds = () =>
      server.lying(target).map(({ body }) => (JSON.parse(body) as { meta: { id: string } }).meta.id);
    /** As if a minute had gone by in which no run was heard of, and what is hidden had become visible. */
    async function letTimePass(): Promise<void> {
      await postgres.exec(`UPDATE team_${process.pid}_${nth}.runs SET beat_at = 0 WHERE ended_at IS NULL`);
      await proxy.idle();
      await server.expire(dlq);
    }

    test.runIf(atOnce)('two at once on one queue share the work, and nothing is there twice', async () => {
      fill(MESSAGES);
      const both = await Promise.all([act(ana, 'retry', '--all'), act(bob, 'retry', '--all')]);
      expect(both.map(({ code }) => code)).toEqual([0, 0]);
      for (const { report } of both) expect(report).toMatchObject({ failed: 0, uncertain: 0, skipped: 0 });
      expect(both.reduce((sum, { report }) => sum + report.done, 0)).toBe(MESSAGES);
      expect(server.lying(dlq)).toEqual([]);
      expect(sentIds().toSorted()).toEqual(Array.from({ length: MESSAGES }, (_, n) => idOf(n)));
      const entries = await log(bob, '--limit', 'all');
      expect(entries.map(({ id }) => id).toSorted()).toHaveLength(MESSAGES);
      expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(['done']));
    });

    test('what one dismissed another sees, by whom, and brings back', async () => {
      const [id = ''] = fill(2);
      expect((await act(ana, 'dismiss', id, '--reason-note', 'INC-7')).report.done).toBe(1);
      const { failures } = await json<{ failures: { id: string }[] }>(bob, 'deliveries', '--state', 'dismissed');
      expect(failures).toMatchObject([{ id: `${dlq}/${id}`, state: 'dismissed' }]);
      expect(await log(bob, id)).toMatchObject([{ action: 'dismiss', by: 'ana@desk', note: 'INC-7', outcome: 'done' }]);
      const { report } = await act(bob, 'restore', id);
      expect(report).toMatchObject({ done: 1 });
      expect(server.lying(dlq)).toHaveLength(2);
      const both = await log(ana, id);
      expect(both.map(({ action, by }) => `${action} ${by}`)).toEqual(['restore bob@laptop', 'dismiss ana@desk']);
      expect((await start(ana, ['restore', id, '--yes']).done).code, 'it left the archive for everybody').toBe(4);
    });

    test('what one left who was killed the other leaves alone while it may live, then sees and finishes', async () => {
      fill(20);
      const running = start(ana, ['retry', '--all', '--yes']);
      proxy.plan = ({ action }) =>
        action === 'SendMessageBatch' ? { kind: 'cut_after', onDone: () => running.kill('SIGKILL') } : null;
      expect((await running.done).code).toBeNull();
      proxy.plan = () => null;
      await proxy.idle();
      await server.expire(dlq);
      expect(await log(bob, '--unfinished')).toEqual([]);
      const info = await json<JournalInfo>(bob, 'journal', 'info');
      expect(info).toMatchObject({ kind: 'postgres', unfinished: { runs: [{ by: 'ana@desk', alive: true }] } });
      const begun = info.unfinished.entries;
      expect(begun).toBeGreaterThan(0);
      const early = await act(bob, 'retry', '--all');
      expect(early.report).toMatchObject({ done: 20 - begun, skipped: begun });
      await letTimePass();
      const left = await log(bob, '--unfinished');
      expect(left).toHaveLength(begun);
      expect(new Set(left.map(({ by, outcome }) => `${by} ${outcome}`))).toEqual(new Set(['ana@desk uncertain']));
      const late = await act(bob, 'retry', '--all');
      expect(late.report).toMatchObject({ done: begun, skipped: 0 });
      expect(late.report.items.every(({ possible_double }) => possible_double)).toBe(true);
      expect(await log(ana, '--unfinished')).toEqual([]);
    });

    test('where the journal is lost half-way, what was sent is in it, and no more is sent', async () => {
      fill(300);
      const way = await startPostgresProxy(url);
      let sends = 0;
      proxy.plan = ({ action }) => {
        // The next words to the server after some sends are cut off, and it never answers again.
        if (action === 'SendMessageBatch' && ++sends === 5)
          way.cutAt({ text: 'inserted', when: 'before', forGood: true });
        return null;
      };
      const running = start(ana, ['retry', '--all', '--yes', '--json'], way.url);
      const ran = await running.done;
      await way.close();
      proxy.plan = () => null;
      await proxy.idle();
      expect(ran.code, ran.stderr).toBe(3);
      expect(ran.stderr).toContain('The journal postgres://127.0.0.1:');
      expect(`${ran.stdout}${ran.stderr}`).not.toContain(new URL(url).password);
      const sent = sentIds();
      expect(sent.length).toBeGreaterThan(0);
      expect(sent.length).toBeLessThan(300);
      const known = new Set((await log(bob, '--limit', 'all')).map(({ id }) => id));
      const report = JSON.parse(ran.stdout) as ActionReport;
      const done = report.items.filter(({ outcome }) => outcome === 'done');
      for (const { id } of done) expect(known.has(id)).toBe(true);
      // Each of those that were sent was begun in the journal before.
      expect(known.size).toBeGreaterThanOrEqual(sent.length);
      await letTimePass();
      const rest = await act(bob, 'retry', '--all');
      expect([0, 3]).toContain(rest.code);
      const doubted = new Set(
        (await log(bob, '--limit', 'all')).filter((one) => one.possible_double).map(({ id }) => id),
      );
      const twice = sentIds().length - new Set(sentIds()).size;
      expect(new Set(sentIds()).size, 'everything got there').toBe(300);
      expect(twice, 'and what is there twice was said to be possibly so').toBeLessThanOrEqual(doubted.size);
    });

    test('neither an error nor what is configured tells the password', async () => {
      const secret = decodeURIComponent(new URL(url).password);
      const wrong = new URL(url);
      wrong.port = '1';
      const env = { BABELQ_JOURNAL_URL: wrong.href };
      for (const args of [
        ['log'],
        ['log', '--json', '--verbose'],
        ['journal', 'info', '--verbose'],
        ['config', 'show'],
        ['dismiss', '--all', '--yes'],
        ['log', '--journal', wrong.href],
        ['log', '--journal', `${wrong.href}&nonsense=1`],
      ]) {
        const { stdout, stderr } = await ana.run(args, { env });
        for (const text of [secret, new URL(url).password]) expect(`${stdout}${stderr}`).not.toContain(text);
        expect(`${stdout}${stderr}`).not.toBe('');
      }
      expect((await ana.run(['log'], { env })).stderr).toMatch(
        /The journal postgres:\/\/127\.0\.0\.1:1\/postgres\S* can't be used/,
      );
      expect((await ana.run(['log', '--journal', 'mysql://x/y'], { env })).code).toBe(2);
    });
  });
}
