import { type BatchAnswer, type CallTrouble, SqsCallError } from '../../../src/adapters/sqs/client.ts';
import type { VirtualTime } from './clock.ts';
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

/** A permission that is missing for a while, or a queue that is not there. */
export interface Denial {
  call: string;
  code: string;
  /** Milliseconds from the beginning, and for how long. */
  from: number;
  ms: number;
}

/** What befalls one call. */
export interface Fate {
  /** Milliseconds to the server and back. */
  there: number;
  back: number;
  acted: boolean;
  trouble: SqsCallError | null;
}

/** Why an entry of a batch fails. */
const REFUSALS: readonly (readonly [readonly [code: string, senderFault: boolean], weight: number])[] = [
  [['InternalError', false], 6],
  [['RequestThrottled', true], 2],
  [['InvalidParameterValue', true], 1],
  [['ReceiptHandleIsInvalid', true], 1],
];

export class Faults {
  rates: FaultRates;
  denial: Denial | null;
  readonly #time: VirtualTime;
  readonly #began: number;
  readonly #random: Random;

  constructor(rates: FaultRates, denial: Denial | null, time: VirtualTime, random: Random) {
    this.rates = rates;
    this.denial = denial;
    this.#time = time;
    this.#began = time.now();
    this.#random = random;
  }

  fateOf(call: string): Fate {
    const random = this.#random;
    const { rates } = this;
    const fate: Fate = { there: this.#delay(), back: this.#delay(), acted: true, trouble: null };
    const trouble = (kind: CallTrouble, code: string) => {
      fate.trouble = new SqsCallError(call, kind, code, `${call}: ${code} (simulated)`);
    };
    if (this.#isDenied(call)) {
      fate.acted = false;
      trouble('refused', this.denial?.code ?? '');
    } else if (random.chance(rates.lostBefore)) {
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
        const [code, senderFault] = random.weighted(REFUSALS);
        failed.push({ id, code, message: 'simulated', senderFault });
      }
    }
    return { successful: answer.successful.filter(({ id }) => spoilt.get(id) !== 'unheard'), failed };
  }

  #isDenied(call: string): boolean {
    if (this.denial?.call !== call) return false;
    const since = this.#time.now() - this.#began - this.denial.from;
    return since >= 0 && since < this.denial.ms;
  }

  #delay(): number {
    const { slow, slowSeconds } = this.rates;
    return this.#random.chance(slow) ? this.#random.between(100, slowSeconds * 1000) : this.#random.between(1, 15);
  }
}
