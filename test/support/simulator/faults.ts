import { type BatchAnswer, type CallTrouble, SqsCallError } from '../../../src/adapters/sqs/client.ts';
import type { Random } from './random.ts';

/** How likely each trouble is, at every call. */
export interface FaultRates {
  /** The request never gets there, and nobody says so. */
  lostBefore: number;
  /** It was acted on, and the answer never comes. */
  lostAfter: number;
  /** The server says 5xx, having acted or not. */
  serverError: number;
  throttled: number;
  /** No connection is made. */
  unreachable: number;
  /** An entry of a batch fails, or is listed nowhere, or twice, having been acted on or not; for each entry. */
  entries: number;
  /** The request or its answer takes up to `slowSeconds`. */
  slow: number;
  slowSeconds: number;
}

export const NO_FAULTS: FaultRates = {
  lostBefore: 0,
  lostAfter: 0,
  serverError: 0,
  throttled: 0,
  unreachable: 0,
  entries: 0,
  slow: 0,
  slowSeconds: 0,
};

/** What befalls one call. */
export interface Fate {
  /** Milliseconds to the server and back. */
  there: number;
  back: number;
  acted: boolean;
  trouble: SqsCallError | null;
}

export class Faults {
  rates: FaultRates;
  readonly #random: Random;

  constructor(rates: FaultRates, random: Random) {
    this.rates = rates;
    this.#random = random;
  }

  fateOf(call: string): Fate {
    const random = this.#random;
    const { rates } = this;
    const fate: Fate = { there: this.#delay(), back: this.#delay(), acted: true, trouble: null };
    const trouble = (kind: CallTrouble, code: string) => {
      fate.trouble = new SqsCallError(call, kind, code, `${call}: ${code} (simulated)`);
    };
    if (random.chance(rates.lostBefore)) {
      fate.acted = false;
      trouble('no_answer', 'ECONNRESET');
    } else if (random.chance(rates.lostAfter)) {
      trouble('no_answer', 'TimeoutError');
    } else if (random.chance(rates.serverError)) {
      fate.acted = random.chance(0.5);
      trouble('no_answer', 'InternalError');
    } else if (random.chance(rates.throttled)) {
      fate.acted = false;
      trouble('throttled', 'RequestThrottled');
    } else if (random.chance(rates.unreachable)) {
      fate.acted = false;
      trouble('unreachable', 'ECONNREFUSED');
    }
    return fate;
  }

  /** Acts on a batch with some of its entries left out, and with an answer that tells of some too little or too much. */
  async batch<E extends { id: string }, A extends { id: string }>(
    entries: readonly E[],
    act: (entries: readonly E[]) => BatchAnswer<A> | Promise<BatchAnswer<A>>,
  ): Promise<BatchAnswer<A>> {
    const random = this.#random;
    const spoilt = new Map<string, 'failed' | 'unheard' | 'unheard_undone' | 'both' | 'both_undone'>();
    for (const { id } of entries) {
      if (!random.chance(this.rates.entries)) continue;
      spoilt.set(
        id,
        random.weighted([
          ['failed', 6],
          ['unheard', 3],
          ['unheard_undone', 3],
          ['both', 1],
        ] as const),
      );
    }
    if (spoilt.size === 0) return act(entries);
    const undone = (id: string) => spoilt.get(id) === 'failed' || spoilt.get(id) === 'unheard_undone';
    const acted = entries.filter(({ id }) => !undone(id));
    const answer = acted.length === 0 ? { successful: [], failed: [] } : await act(acted);
    const failed = answer.failed.filter(({ id }) => spoilt.get(id) !== 'unheard');
    for (const [id, how] of spoilt) {
      if (how === 'failed' || how === 'both') {
        failed.push({ id, code: 'InternalError', message: 'simulated', senderFault: false });
      }
    }
    return { successful: answer.successful.filter(({ id }) => spoilt.get(id) !== 'unheard'), failed };
  }

  #delay(): number {
    const { slow, slowSeconds } = this.rates;
    return this.#random.chance(slow) ? this.#random.between(100, slowSeconds * 1000) : this.#random.between(1, 15);
  }
}
