import type { WholeFailure } from '../failure.ts';
import { identityOfFailure } from '../identity.ts';
import { nativeIdOf } from '../ids.ts';
import type { SentMessage } from '../ports.ts';

/** How far the service's clock may be from ours. What was there before is mostly known by its id: this only bounds the rest. */
const SKEW_MS = 5 * 60_000;

/**
 * Tells of failures that are met which of the retried messages each is. SQS's own move keeps the MessageId that the send was
 * answered with; an app's record has a new one, and the same identity.
 */
export class Returns {
  readonly #open = new Map<string, SentMessage>();
  readonly #byNewId = new Map<string, SentMessage>();
  readonly #byIdentity = new Map<string, SentMessage[]>();
  readonly #known: ReadonlySet<string>;
  readonly #startedAt: number;
  readonly #counted = new Set<string>();
  /** Came since, with no identity but their bytes, and none of those looked for: an app may have written one anew. */
  unidentified = 0;

  /**
   * @param known full ids of what was there before
   * @param startedAt when the first was sent (ms)
   */
  constructor(sent: readonly SentMessage[], known: ReadonlySet<string>, startedAt: number) {
    this.#known = known;
    this.#startedAt = startedAt;
    for (const one of sent) {
      this.#open.set(one.nativeId, one);
      if (one.newId !== null) this.#byNewId.set(one.newId, one);
      const same = this.#byIdentity.get(one.identity);
      if (same === undefined) this.#byIdentity.set(one.identity, [one]);
      else same.push(one);
    }
  }

  /** Those that have not come back. */
  get open(): Iterable<SentMessage> {
    return this.#open.values();
  }

  get size(): number {
    return this.#open.size;
  }

  /** Which one it is; null where it is none of them. Each failure is counted once. */
  meet(failure: WholeFailure): SentMessage | null {
    const nativeId = nativeIdOf(failure);
    const moved = this.#byNewId.get(nativeId);
    if (moved !== undefined) return this.#back(moved, nativeId);
    if (this.#known.has(failure.id) || this.#counted.has(nativeId) || !this.#cameSince(failure)) return null;
    const candidates = this.#byIdentity.get(identityOfFailure(failure)) ?? [];
    const [found] = candidates.filter((one) => this.#open.has(one.nativeId));
    const bySqs = failure.system_attributes.DeadLetterQueueSourceArn !== undefined;
    // Without an id of its own it is known by its bytes, which others may have too: SQS's move would have kept its MessageId.
    if (failure.message_id === null && bySqs) return null;
    if (found !== undefined) return this.#back(found, nativeId);
    if (failure.message_id === null) this.unidentified += 1;
    return null;
  }

  /** It is known to stay away. */
  close({ nativeId }: SentMessage): void {
    this.#open.delete(nativeId);
  }

  #back(sent: SentMessage, nativeId: string): SentMessage | null {
    this.#counted.add(nativeId);
    return this.#open.delete(sent.nativeId) ? sent : null;
  }

  #cameSince({ sent_at, failed_at }: WholeFailure): boolean {
    const at = sent_at ?? failed_at;
    return at === null || Date.parse(at) >= this.#startedAt - SKEW_MS;
  }
}

/** Whether it is known by the digest of its bytes, and has no id of its own. */
export function isDigest({ identity }: SentMessage): boolean {
  return /^[0-9a-f]{64}$/.test(identity);
}
