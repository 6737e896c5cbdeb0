import { sayCount } from '../display/counts.ts';
import { sayDuration } from '../duration.ts';
import type { SentMessage, TargetFacts } from '../ports.ts';
import { suggestWait } from './suggest.ts';

/** SQS's counts are approximate: empty once may be late, so it must be empty in so many looks, one after the other. */
const LOOKS = 2;

/** The least time (ms) that coming back through a queue takes: each receive hides the message for its visibility timeout. */
export function leastReturn({ max_receives, visibility_seconds }: TargetFacts): number {
  return Math.max(1, max_receives ?? 1) * visibility_seconds * 1000;
}

/** `3 receives, each hidden for 30s` */
export function sayLeastReturn({ max_receives, visibility_seconds }: TargetFacts): string {
  const hidden = `hidden for ${sayDuration(visibility_seconds * 1000)}`;
  return max_receives === null || max_receives <= 1
    ? `a receive, ${hidden}`
    : `${max_receives} receives, each ${hidden}`;
}

/**
 * The way through one queue that messages were sent to. They are through when as much time has gone by as coming back
 * takes, and the queue was seen empty since: then each was handled, or lies on a dead-letter queue.
 */
export class Passage {
  readonly name: string;
  readonly #startedAt: number;
  #facts: TargetFacts | null = null;
  #error: string | null = null;
  #first: { at: number; lying: number } | null = null;
  #seenAt: number;
  #empty = 0;

  /** @param startedAt when all was sent (ms) */
  constructor(name: string, startedAt: number) {
    this.name = name;
    this.#startedAt = startedAt;
    this.#seenAt = startedAt;
  }

  see(facts: TargetFacts | { name: string; error: string }, now: number): void {
    this.#seenAt = now;
    if ('error' in facts) {
      this.#error = facts.error;
      return;
    }
    this.#error = null;
    this.#facts = facts;
    const lying = lyingIn(facts);
    this.#first ??= { at: now, lying };
    // What comes later isn't ours: once empty it was emptied of what was sent.
    if (!this.emptied) this.#empty = lying === 0 ? this.#empty + 1 : 0;
  }

  /** How many lie there, as last seen. */
  get lying(): number | null {
    return this.#facts === null ? null : lyingIn(this.#facts);
  }

  get emptied(): boolean {
    return this.#empty >= LOOKS;
  }

  /** Whether nothing that was sent can be on its way any more. */
  get isThrough(): boolean {
    return this.emptied && this.#facts !== null && this.#elapsed >= leastReturn(this.#facts);
  }

  /** Whether what fails there comes to the dead-letter queue that is watched, as far as is known. */
  leadsBack({ queue, to }: Pick<SentMessage, 'queue' | 'to'>): boolean {
    if (this.#facts === null) return false;
    return this.#facts.dead_letter_queue === null ? queue !== null && queue === to : this.#facts.leads_here;
  }

  /** Why it can't be told of a message whether it comes back, and what time would do. */
  why(sent: Pick<SentMessage, 'queue' | 'to'>): string {
    const facts = this.#facts;
    if (this.#error !== null) return `What lies in ${this.name} could not be asked: ${this.#error}`;
    if (facts === null) return `It was not asked what lies in ${this.name}.`;
    if (!this.leadsBack(sent)) {
      const where = facts.dead_letter_queue ?? 'a dead-letter queue of its own, if any';
      return `What fails in ${this.name} goes to ${where}: it is not seen here.`;
    }
    if (!this.emptied) return this.#whyNotEmpty(facts);
    const needed = leastReturn(facts);
    return `Coming back from ${this.name} takes at least ${sayDuration(needed)} (${sayLeastReturn(facts)}): a wait of ${suggestWait(needed)} would tell.`;
  }

  #whyNotEmpty(facts: TargetFacts): string {
    const lying = lyingIn(facts);
    const least = `coming back takes at least ${sayDuration(leastReturn(facts))} (${sayLeastReturn(facts)})`;
    if (lying === 0) return `${this.name} was seen empty only once; ${least}.`;
    const flying = facts.in_flight > 0 ? `, ${sayCount(facts.in_flight)} of them in flight` : '';
    const still = `${sayCount(lying)} still ${lying === 1 ? 'lies' : 'lie'} in ${this.name}${flying}, and it may be among them`;
    const gone = (this.#first?.lying ?? lying) - lying;
    const time = this.#seenAt - (this.#first?.at ?? this.#seenAt);
    if (gone > 0 && time > 0) {
      const left = (lying * time) / gone;
      return `${still}; at this pace it is empty in about ${sayDuration(roundUp(left))}, and ${least}: a wait of ${suggestWait(Math.max(this.#elapsed + left, leastReturn(facts)))} would tell.`;
    }
    if (facts.in_flight === 0) {
      return `${still}; nothing was taken from it meanwhile. Is its consumer running? From then on ${least}.`;
    }
    return `${still}; it was never seen empty. Wait longer than ${sayDuration(roundUp(this.#elapsed))}; ${least}.`;
  }

  get #elapsed(): number {
    return this.#seenAt - this.#startedAt;
  }
}

function lyingIn({ visible, in_flight, delayed }: TargetFacts): number {
  return visible + in_flight + delayed;
}

function roundUp(ms: number): number {
  return Math.ceil(ms / 1000) * 1000;
}
