/**
 * What keeps the order of FIFO groups, beside the pool that lets out one of each at a time: the groups of which nothing more may be
 * begun, and those of which some were let go. These are met again, and what was asked for before they were visible may lie
 * behind them. A small record for each such group is kept until the run ends.
 */
export class GroupOrder {
  readonly #closed = new Map<string, string>();
  /** Of which some are just being made visible again, and how many times. */
  readonly #givingBack = new Map<string, number>();
  /** At which letting one of a group was let go last. */
  readonly #last = new Map<string, number>();
  #lettings = 0;

  /** Nothing more of a group is begun in this run. */
  close(group: string, why: string): void {
    this.#closed.set(group, why);
  }

  isClosed(group: string): boolean {
    return this.#closed.has(group);
  }

  /** In one sentence; empty where it isn't closed. */
  whyClosed(group: string): string {
    return this.#closed.get(group) ?? '';
  }

  /** How many groups are closed. */
  get closed(): number {
    return this.#closed.size;
  }

  /** How many lettings there were so far: to ask `letGoSince` with, later. */
  get lettings(): number {
    return this.#lettings;
  }

  /** Some of these groups are being given back, until the answer is called. */
  givingBack(groups: ReadonlySet<string>): () => void {
    for (const group of groups) this.#givingBack.set(group, (this.#givingBack.get(group) ?? 0) + 1);
    return () => {
      this.#lettings += 1;
      for (const group of groups) {
        this.#last.set(group, this.#lettings);
        const left = (this.#givingBack.get(group) ?? 1) - 1;
        if (left > 0) this.#givingBack.set(group, left);
        else this.#givingBack.delete(group);
      }
    };
  }

  /** Whether one of a group is being let go, or was after `lettings` stood so: what was asked for before that may overtake it. */
  letGoSince(group: string, lettings: number): boolean {
    return this.#givingBack.has(group) || (this.#last.get(group) ?? 0) > lettings;
  }
}
