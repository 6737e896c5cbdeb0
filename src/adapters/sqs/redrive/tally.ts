import { type ActionItem, count, noCounts } from '../../../model/action.ts';
import type { ActProgress, ActRequest, Clock } from '../../../model/ports.ts';

/** Ten times a second is as often as anybody looks. */
const PROGRESS_MS = 100;

/** Counts what became of messages, and tells it on. Keeps no message. */
export class Tally {
  readonly #request: Pick<ActRequest, 'onItem' | 'onProgress'>;
  readonly #clock: Clock;
  readonly #source: string;
  readonly #counts = noCounts();
  #toldAt = Number.NEGATIVE_INFINITY;
  #seen = 0;
  about: number | null = null;

  constructor(request: Pick<ActRequest, 'onItem' | 'onProgress'>, source: string, clock: Clock) {
    this.#request = request;
    this.#source = source;
    this.#clock = clock;
  }

  get seen(): number {
    return this.#seen;
  }

  /** How many items were told. */
  get items(): number {
    return this.#counts.matched;
  }

  see(messages: number): void {
    this.#seen += messages;
    this.#tell();
  }

  item(item: ActionItem): void {
    count(this.#counts, item);
    this.#request.onItem(item);
    this.#tell();
  }

  releasing(left: number): void {
    this.#tell(left);
  }

  /** Tells how it stands now, however short ago it was told. */
  end(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#tell();
  }

  #tell(releasing?: number): void {
    const { onProgress } = this.#request;
    const now = this.#clock.now();
    if (!onProgress || Math.abs(now - this.#toldAt) < PROGRESS_MS) return;
    this.#toldAt = now;
    const progress: ActProgress = { ...this.#counts, source: this.#source, seen: this.#seen, about: this.about };
    onProgress(releasing === undefined ? progress : { ...progress, releasing });
  }
}
