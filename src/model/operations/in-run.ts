import type { Clock, Journal, Run, RunStart } from '../ports.ts';

export type HowEnded = 'finished' | 'interrupted' | 'stopped';

/** Begins a run in the journal, says that it lives while the work goes on, and ends it as the work ended. */
export async function inRun<T>(
  { journal, clock, ...ask }: RunStart & { journal: Journal; clock: Clock },
  work: (run: Run) => Promise<{ result: T; how: HowEnded }>,
): Promise<T> {
  const run = await journal.begin({ action: ask.action, by: ask.by, note: ask.note, asked: ask.asked });
  const stopBeating = keepAlive(journal, run, clock);
  try {
    const { result, how } = await work(run);
    await journal.end(run, how);
    return result;
  } finally {
    await stopBeating();
  }
}

/** How often a run says that it lives; the journal takes one for dead after a minute of silence. */
const HEARTBEAT_MS = 15_000;

function keepAlive(journal: Journal, run: Run, clock: Clock): () => Promise<void> {
  const stop = new AbortController();
  const beating = (async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(HEARTBEAT_MS, stop.signal);
      // A missed beat is no reason to stop; a journal that can't be written stops the engine at its next intent.
      if (!stop.signal.aborted) await journal.beat(run).catch(() => {});
    }
  })();
  return () => {
    stop.abort();
    return beating;
  };
}
