/** So many long polls in a row that bring nothing say that a queue is empty, where as many were seen as it said to hold. */
const EMPTY_POLLS = 2;
/** And so many where SQS's count promised more: it is approximate, and one poll may miss what is there. */
const EMPTY_POLLS_BEFORE_COUNT = 4;

/** Tells when a queue was read to its end. One empty answer says nothing. */
export class Ending {
  readonly #about: number | null;
  #seen = 0;
  #empty = 0;

  /** @param about how many are visible, as SQS says */
  constructor(about: number | null) {
    this.#about = about;
  }

  /** @param met messages that weren't met before: one that SQS gives out again counts as nothing */
  polled(met: number): void {
    this.#seen += met;
    this.#empty = met === 0 ? this.#empty + 1 : 0;
  }

  /** How many of those that were promised never came. */
  get missing(): number {
    return Math.max(0, (this.#about ?? 0) - this.#seen);
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
