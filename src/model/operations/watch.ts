import { Interrupted } from '../errors.ts';
import type { Clock, Journal, Run, SentMessage, Source } from '../ports.ts';
import type { Fate, Watcher } from '../watch/fate.ts';
import { ParkedWatch } from '../watch/parked-watch.ts';
import { QueueWatch } from '../watch/queue-watch.ts';

export interface WatchAsk {
  run: Run;
  /** Full ids of the messages to watch: those that the run has retried. */
  ids: ReadonlySet<string>;
  /** Full ids of what else the run met: it was there before, so it isn't one that came back. */
  known: ReadonlySet<string>;
  sources: readonly Source[];
  journal: Journal;
  clock: Clock;
  /** `--to` of the retry. */
  to?: string;
  allowReceive: boolean;
  /** How long at most (ms). It ends as soon as all is known. */
  waitMs: number;
  signal: AbortSignal;
  onProgress?: (progress: WatchProgress) => void;
}

export interface WatchProgress {
  watched: number;
  back: number;
  away: number;
  /** What is waited for, in words. */
  waitingFor: string | null;
  elapsedMs: number;
  waitMs: number;
}

export interface Watched {
  /** One for each id that was to be watched. */
  fates: ReadonlyMap<string, Fate>;
  counts: { watched: number; back: number; away: number; unknown: number };
  /** How often places were read for it, by source. */
  readings: ReadonlyMap<string, number>;
  startedAt: number;
  endedAt: number;
  /** The signal ended it. */
  interrupted: boolean;
}

/** Looks are close together at first, since most is known soon, and then further apart. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const GROWTH = 1.4;

/**
 * Watches whether what a run retried comes back: to the dead-letter queue, or parked again. What isn't known when the time
 * is over is null, with why and what time would do. Never throws for trouble on the way: then nothing is known.
 */
export async function watch(ask: WatchAsk): Promise<Watched> {
  const { clock, signal, waitMs } = ask;
  const startedAt = clock.now();
  const watchers = await watchersFor(ask, startedAt);
  let interrupted = false;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * GROWTH)) {
    const elapsedMs = clock.now() - startedAt;
    const last = elapsedMs >= waitMs;
    try {
      if (signal.aborted) throw new Interrupted();
      await Promise.all(watchers.map((watcher) => (watcher.open > 0 ? watcher.look(last) : undefined)));
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      interrupted = true;
      break;
    }
    if (last || watchers.every(({ open }) => open === 0)) break;
    ask.onProgress?.(progressOf(watchers, ask, elapsedMs));
    await clock.sleep(Math.max(0, Math.min(pause, startedAt + waitMs - clock.now())), signal);
  }
  for (const watcher of watchers) watcher.settle();
  return { ...resultOf(watchers, ask), startedAt, endedAt: clock.now(), interrupted };
}

async function watchersFor(ask: WatchAsk, startedAt: number): Promise<Watcher[]> {
  const { allowReceive, clock, ids, journal, run, signal, sources, to } = ask;
  const bySource = new Map<string, SentMessage[]>();
  for (const sent of await journal.sent(run)) {
    if (!ids.has(`${sent.source}/${sent.nativeId}`)) continue;
    const of = bySource.get(sent.source);
    if (of === undefined) bySource.set(sent.source, [sent]);
    else of.push(sent);
  }
  return sources.flatMap((source): Watcher[] => {
    const sent = bySource.get(source.name) ?? [];
    if (sent.length === 0) return [];
    const known = new Set([...ask.known, ...ids]);
    const shared = { source, sent, known, clock, firstSentAt: run.startedAt, signal };
    if (source.kind === 'jadpo') return [new ParkedWatch(shared)];
    return [new QueueWatch({ ...shared, startedAt, allowReceive, ...(to !== undefined && { to }) })];
  });
}

const NOT_SENT: Fate = {
  returned: null,
  detail: "The journal doesn't know it as sent by this run, so it could not be watched.",
  reason: null,
};

function resultOf(watchers: readonly Watcher[], { ids }: WatchAsk): Pick<Watched, 'fates' | 'counts' | 'readings'> {
  const known = new Map(watchers.flatMap(({ fates }) => [...fates]));
  const fates = new Map([...ids].map((id) => [id, known.get(id) ?? NOT_SENT]));
  const count = (returned: boolean | null) => [...fates.values()].filter((fate) => fate.returned === returned).length;
  return {
    fates,
    counts: { watched: fates.size, back: count(true), away: count(false), unknown: count(null) },
    readings: new Map(watchers.map(({ source, readings }) => [source, readings])),
  };
}

function progressOf(watchers: readonly Watcher[], { ids, waitMs }: WatchAsk, elapsedMs: number): WatchProgress {
  const fates = watchers.flatMap((watcher) => [...watcher.fates.values()]);
  const waiting = watchers.flatMap(({ waitingFor }) => (waitingFor === null ? [] : [waitingFor]));
  return {
    watched: ids.size,
    back: fates.filter(({ returned }) => returned === true).length,
    away: fates.filter(({ returned }) => returned === false).length,
    waitingFor: waiting.length === 0 ? null : waiting.join(', '),
    elapsedMs,
    waitMs,
  };
}
