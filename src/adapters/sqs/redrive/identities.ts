/**
 * The identities (meta.id, or the body's digest) that this run has taken. The journal tells of those that were sent; this
 * tells of those that are in hand, and of those that ended since the journal was asked.
 */
export class Identities {
  readonly #inHand = new Map<string, number>();
  /** Ended, in the order they did. */
  readonly #ended = new Map<string, number>();
  readonly #askers = new Set<number>();
  #turn = 0;

  /** Call before the journal is asked, and `answered` with the answer once all was decided that rests on it. */
  ask(): number {
    this.#turn += 1;
    this.#askers.add(this.#turn);
    return this.#turn;
  }

  answered(turn: number): void {
    this.#askers.delete(turn);
    const oldest = Math.min(...this.#askers, Number.POSITIVE_INFINITY);
    for (const [identity, endedAt] of this.#ended) {
      if (endedAt >= oldest) return;
      this.#ended.delete(identity);
    }
  }

  has(identity: string): boolean {
    return this.#inHand.has(identity) || this.#ended.has(identity);
  }

  take(identity: string): void {
    this.#inHand.set(identity, (this.#inHand.get(identity) ?? 0) + 1);
  }

  /** @param acted whether it was acted on, or let go */
  drop(identity: string, acted: boolean): void {
    const left = (this.#inHand.get(identity) ?? 1) - 1;
    if (left > 0) this.#inHand.set(identity, left);
    else this.#inHand.delete(identity);
    if (!acted || this.#askers.size === 0) return;
    this.#ended.delete(identity);
    this.#ended.set(identity, this.#turn);
  }
}
