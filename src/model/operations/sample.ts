import type { Sample } from '../doctor/diagnosis.ts';
import { asBabelqError, Interrupted } from '../errors.ts';
import type { ReadProgress, Source } from '../ports.ts';

export interface SampleRequest {
  /** How many messages at most, above 0. */
  sample: number;
  /** Also from a dead-letter queue that has a RedrivePolicy of its own. */
  allowReceive: boolean;
  signal: AbortSignal;
  onProgress?: (progress: ReadProgress) => void;
}

/** Receives some messages of a source, gives them back, and tells what is known by that. @throws Interrupted */
export async function sampleOf(
  source: Source,
  { sample, allowReceive, signal, onProgress }: SampleRequest,
): Promise<Sample> {
  const found: Sample = {
    seen: 0,
    about: null,
    complete: false,
    inFlight: null,
    oldestSentAt: null,
    soonestExpiry: null,
    untargeted: null,
    trouble: null,
  };
  try {
    const result = await source.read(
      { states: new Set(['failed']), allowReceive, signal, ...(onProgress && { onProgress }) },
      (failure) => {
        found.seen += 1;
        found.oldestSentAt = earlier(found.oldestSentAt, failure.sent_at);
        found.soonestExpiry = earlier(found.soonestExpiry, failure.expires_at);
        if (failure.retry_to === null && failure.retry_blocked !== null) {
          found.untargeted ??= { count: 0, why: failure.retry_blocked, id: failure.id };
          found.untargeted.count += 1;
        }
        return found.seen < sample ? 'more' : 'enough';
      },
    );
    found.about = result.about;
    found.complete = result.complete;
    found.inFlight = result.allInFlight?.count ?? null;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    found.trouble = asBabelqError(error, source.name);
  }
  return found;
}

/** The earlier of two ISO times; one that isn't known is no time. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return other < one ? other : one;
}
