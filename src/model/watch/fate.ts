/** What became of a message after it was retried. */
export interface Fate {
  /** True: it came back. False: it is known to stay away. Null: that can't be told. */
  returned: boolean | null;
  /** As what it came back, or why it can't be told and what time would do; null where it stayed away. */
  detail: string | null;
  /** The reason it has now, where it came back. */
  reason: string | null;
}

/** Looks whether messages of one source come back. */
export interface Watcher {
  /** The source's name. */
  readonly source: string;
  /** By full id, of those that are known. */
  readonly fates: ReadonlyMap<string, Fate>;
  /** How many are not known yet. */
  readonly open: number;
  /** How often the place was read for this; each counts as a receive on SQS. */
  readonly readings: number;
  /** What is waited for now, in words; null where nothing is. */
  readonly waitingFor: string | null;
  /** @param last nothing can be waited for any more: what can be known is to be found out now. Throws Interrupted */
  look(last: boolean): Promise<void>;
  /** Gives those that aren't known their fates: null, and why. */
  settle(): void;
}
