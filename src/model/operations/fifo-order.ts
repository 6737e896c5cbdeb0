import type { WholeFailure } from '../failure.ts';
import type { PlannedItem } from '../plan.ts';

/** Knows in which order the messages of FIFO queues lie there, so that a part of a plan is the first part of its groups. */
export class FifoOrder {
  readonly #sequences = new Map<string, bigint>();

  see({ id, system_attributes: { SequenceNumber } }: WholeFailure): void {
    if (SequenceNumber !== undefined && /^\d{1,40}$/.test(SequenceNumber)) {
      this.#sequences.set(id, BigInt(SequenceNumber));
    }
  }

  /** The same items: those of FIFO queues in their order, in the places that they have together; the others where they are. */
  sort(items: readonly PlannedItem[]): PlannedItem[] {
    const bySource = Map.groupBy(
      items.filter(({ id }) => this.#sequences.has(id)),
      ({ source }) => source,
    );
    for (const of of bySource.values()) of.sort((a, b) => (this.#sequenceOf(a) < this.#sequenceOf(b) ? -1 : 1));
    const next = new Map([...bySource].map(([source, of]) => [source, of.values()]));
    return items.map((item) => (this.#sequences.has(item.id) ? (next.get(item.source)?.next().value ?? item) : item));
  }

  #sequenceOf({ id }: PlannedItem): bigint {
    return this.#sequences.get(id) ?? 0n;
  }
}
