/**
 * A source and a journal in memory, behind the same ports: for what needs a hundred thousand failures, an error at will or
 * an answer that comes when the test says so. What they do to real messages is tested on real servers.
 */
import { BabelqError, Interrupted } from '../../src/model/errors.ts';
import type { WholeFailure } from '../../src/model/failure.ts';
import { nativeIdOf } from '../../src/model/ids.ts';
import { itemFor } from '../../src/model/plan.ts';
import type {
  ActRequest,
  ActResult,
  Holding,
  HoldRequest,
  Journal,
  LogEntry,
  LogQuery,
  ReadRequest,
  ReadResult,
  Run,
  RunStart,
  Source,
  SourceFacts,
  TargetFacts,
} from '../../src/model/ports.ts';

export class MemoryJournal {
  readonly location = 'memory';
  readonly entries: LogEntry[] = [];
  #runs = 0;

  /** As the port that the operations take. */
  asJournal(): Journal {
    return this as unknown as Journal;
  }

  async begin(start: RunStart): Promise<Run> {
    this.#runs += 1;
    return { ...start, id: `run-${this.#runs}`, startedAt: Date.now(), newest: 0 };
  }

  async beat(): Promise<void> {}
  async end(): Promise<void> {}
  async close(): Promise<void> {}

  async log(query: LogQuery): Promise<LogEntry[]> {
    const found = this.entries.filter(
      (entry) => (query.ids?.includes(entry.id) ?? true) && (query.run === undefined || entry.run === query.run),
    );
    return found.slice(0, query.limit);
  }

  record(run: Run, failure: WholeFailure, to: string | null): void {
    const { id, source, reason, queue, subject } = failure;
    this.entries.unshift({
      run: run.id,
      action: run.action,
      id,
      source,
      reason,
      queue,
      subject,
      to,
      new_id: null,
      outcome: 'done',
      possible_double: false,
      at: new Date().toISOString(),
      by: run.by,
      note: run.note,
      detail: null,
    });
  }
}

export class MemorySource implements Source {
  readonly name: string;
  readonly kind = 'sqs' as const;
  readonly heldIn: string;
  failures: WholeFailure[];
  /** Set to make it fail. */
  error: BabelqError | null = null;
  /** How many are hidden from others. */
  holding = 0;
  /** How often it was read: each counts as a receive. */
  reads = 0;
  /** What it was asked to do. */
  readonly acted: ActRequest[] = [];
  /** Awaited before a reading or an action answers, so that a test sees what is shown meanwhile. */
  gate: Promise<void> = Promise.resolve();
  readonly #journal: MemoryJournal;

  constructor(name: string, failures: WholeFailure[], journal: MemoryJournal) {
    this.name = name;
    this.heldIn = `${name}-dlq`;
    this.failures = failures;
    this.#journal = journal;
  }

  async facts(): Promise<SourceFacts> {
    if (this.error !== null) throw this.error;
    return {
      name: this.name,
      kind: this.kind,
      queue: this.heldIn,
      fifo: false,
      visible: this.failures.filter(({ state }) => state !== 'dismissed').length,
      in_flight: 0,
      delayed: 0,
      retention_seconds: 1_209_600,
      redrive_sources: [this.name],
      error: null,
    };
  }

  async read(request: ReadRequest, visit: (failure: WholeFailure) => 'more' | 'enough'): Promise<ReadResult> {
    // What is hidden isn't given out.
    if (this.kept > 0) throw new Error('It was read while it was held.');
    this.reads += 1;
    this.holding = this.failures.length;
    request.onProgress?.({ source: this.name, seen: 0, about: this.failures.length });
    await this.gate;
    this.holding = 0;
    if (request.signal.aborted) throw new Interrupted();
    if (this.error !== null) throw this.error;
    let seen = 0;
    let complete = true;
    for (const failure of this.failures) {
      if (!request.states.has(failure.state)) continue;
      seen += 1;
      if (visit(failure) === 'enough') {
        complete = seen === this.failures.length;
        break;
      }
    }
    return { seen, about: this.failures.length, complete, note: null, allInFlight: null };
  }

  async act(request: ActRequest): Promise<ActResult> {
    const { selection, action, run, onItem } = request;
    if (this.kept > 0) throw new Error('It was acted on while it was held.');
    this.acted.push(request);
    if (selection.kind !== 'ids') throw new BabelqError('internal', 'Only ids here.');
    this.holding = selection.ids.size;
    await this.gate;
    this.holding = 0;
    const interrupted = request.signal.aborted;
    for (const [native, { to }] of selection.ids) {
      const failure = this.failures.find((one) => nativeIdOf(one) === native);
      const id = `${this.name}/${native}`;
      if (failure === undefined || interrupted) {
        onItem(itemFor(id, failure?.reason ?? null, 'skipped', { detail: interrupted ? 'Stopped.' : 'Not found.' }));
        continue;
      }
      if (action === 'retry') this.failures = this.failures.filter((one) => one !== failure);
      else {
        const state = action === 'dismiss' ? ('dismissed' as const) : ('failed' as const);
        this.failures = this.failures.map((one) => (one === failure ? { ...one, state } : one));
      }
      this.#journal.record(run, failure, to);
      onItem(itemFor(id, failure.reason, 'done', { to }));
    }
    return { seen: selection.ids.size, complete: true, note: null, allInFlight: null, interrupted, error: null };
  }

  /** How many are held on purpose. */
  kept = 0;

  async hold({ nativeIds }: HoldRequest): Promise<Holding> {
    if (this.error !== null) throw this.error;
    const there = this.failures.filter((one) => nativeIds.has(nativeIdOf(one))).length;
    this.kept = there;
    return {
      count: there,
      endsAt: Date.now() + 43_200_000,
      note: null,
      release: async () => {
        this.kept = 0;
        return { stuck: 0 };
      },
    };
  }

  readonly moveTasks = null;

  async targets(): Promise<TargetFacts[]> {
    return [];
  }

  held(): { count: number; until: number | null } {
    return { count: this.holding, until: this.holding === 0 ? null : Date.now() + 30_000 };
  }

  async close(): Promise<void> {}
}
