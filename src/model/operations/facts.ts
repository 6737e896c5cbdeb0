import { asBabelqError, withHint } from '../errors.ts';
import { unlessAborted } from '../interruptible.ts';
import type { Source, SourceFacts } from '../ports.ts';

/**
 * Asks every source what it is and how much it holds, without reading a message. One that can't be asked says why.
 * @throws Interrupted as soon as the signal aborts: a question leaves nothing behind, so no answer is waited for
 */
export function facts(sources: readonly Source[], signal: AbortSignal): Promise<SourceFacts[]> {
  return unlessAborted(askAll(sources, signal), signal);
}

function askAll(sources: readonly Source[], signal: AbortSignal): Promise<SourceFacts[]> {
  return Promise.all(
    sources.map(async (source) => {
      try {
        return await source.facts(signal);
      } catch (thrown) {
        const error = asBabelqError(thrown, source.name);
        return {
          name: source.name,
          kind: source.kind,
          queue: source.heldIn,
          fifo: null,
          visible: null,
          in_flight: null,
          delayed: null,
          retention_seconds: null,
          redrive_sources: null,
          error: withHint(error),
        };
      }
    }),
  );
}
