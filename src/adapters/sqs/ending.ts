/** Empty polls in a row that say a queue is at its end, where as many were seen as its count promised. */
const EMPTY_POLLS = 2;
/** And where the count promised more: it is approximate and late, and one poll may miss what is there. */
const EMPTY_POLLS_BEFORE_COUNT = 4;

/**
 * Tells when a queue was read to its end, by long polls that came back empty, several side by side or one after the other.
 * One empty answer says nothing. Looking and acting go by this one rule, and differ only in what they are promised:
 *
 * - acting: what is visible. What others have in flight comes back to others too, and isn't waited for;
 * - looking: all that lies there, visible or not, since only then nothing of it is missing. On FIFO nothing: what lies behind
 *   the heads of the groups is counted, and never comes while these are held.
 */
export class Ending {
  readonly #promised: number;
  #seen = 0;
  #empty = 0;

  /** @param promised how many messages the count at the start lets expect; 0 where it promises nothing */
  constructor(promised: number) {
    this.#promised = promised;
  }

  /** @param met messages that weren't met before: one that SQS gives out again counts as nothing */
  polled(met: number): void {
    this.#seen += met;
    this.#empty = met === 0 ? this.#empty + 1 : 0;
  }

  /** How many of those that were promised never came. */
  get missing(): number {
    return Math.max(0, this.#promised - this.#seen);
  }

  /** Something became visible that wasn't. */
  again(): void {
    this.#empty = 0;
  }

  get reached(): boolean {
    return this.#empty >= this.#enough;
  }

  /** Whether the polls under way can tell already, so that it takes no more of them. */
  isDecidedBy(polls: number): boolean {
    return this.#empty > 0 && this.#empty + polls >= this.#enough;
  }

  /** Whether as many came as were promised. */
  get sawAll(): boolean {
    return this.missing === 0;
  }

  get #enough(): number {
    return this.sawAll ? EMPTY_POLLS : EMPTY_POLLS_BEFORE_COUNT;
  }
}
