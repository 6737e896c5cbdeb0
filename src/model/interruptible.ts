import { Interrupted } from './errors.ts';

/**
 * What comes of some work, unless the signal aborts first: then nobody waits for it any more. Only for work that leaves nothing
 * behind: a question, a connection.
 * @throws Interrupted where the signal aborts first; else what the work throws
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Interrupted());
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
