import type { SqsDiagnosis } from '../../model/doctor/diagnosis.ts';
import { Interrupted } from '../../model/errors.ts';
import type { WholeFailure } from '../../model/failure.ts';
import { unlessAborted } from '../../model/interruptible.ts';
import type {
  ActRequest,
  ActResult,
  Aside,
  DiagnoseRequest,
  Holding,
  HoldRequest,
  Intake,
  Journal,
  ReadRequest,
  ReadResult,
  Source,
  SourceFacts,
  TargetFacts,
} from '../../model/ports.ts';
import { queueName } from '../../model/queue-name.ts';
import { checkedEndpoint, endpointFromEnvironment, readAddress, refuseOtherServer } from './address.ts';
import type { Connect, QueueOptions } from './connections.ts';
import { Describer } from './describe.ts';
import { diagnoseQueue } from './diagnose.ts';
import { sayElsewhere } from './elsewhere.ts';
import { configuredEndpoint } from './endpoint.ts';
import { holdMessages } from './holding.ts';
import { openIntake } from './intake.ts';
import { SqsMoveTasks } from './move-tasks.ts';
import { DeadLetterQueue } from './queue.ts';
import { readQueue } from './reading.ts';
import { actOnQueue } from './redrive/act.ts';
import type { RedriveDeps } from './redrive/context.ts';
import { targetFacts } from './target-facts.ts';
import { whereIsQueue } from './where-is.ts';

/** A source as the configuration or a flag names it. */
export interface SqsSourceOptions extends QueueOptions {
  /** What ids start with; default: the queue's name. */
  name?: string;
  /** Where retries go, whatever evidence says: a queue's name, URL or ARN. */
  redriveTo?: string;
}

/** What a source works with. */
export interface SqsSourceDeps extends RedriveDeps {
  /** How a region's SQS is reached; default: through the AWS SDK. */
  connect?: Connect;
}

/** How many archived messages are read at once. */
const ARCHIVE_PAGE = 200;

/**
 * A dead-letter queue on SQS.
 * @throws BabelqError `config` where a queue is no name, URL or ARN, or the endpoint no URL
 */
export function openSqsSource(options: SqsSourceOptions, deps: SqsSourceDeps): Source {
  return new SqsSource(options, deps);
}

const SENT_EDITED =
  'What it became by an edit was sent: babelq export --edited and babelq import bring the original back.';

type Visit = (failure: WholeFailure, aside?: Aside) => 'more' | 'enough';

class SqsSource implements Source {
  readonly kind = 'sqs';
  readonly name: string;
  readonly heldIn: string;
  readonly moveTasks = new SqsMoveTasks(
    (signal) => this.#open(signal),
    () => this.#redriveTo,
  );
  readonly #options: QueueOptions;
  readonly #redriveTo: string | null;
  /** Null for AWS's own, and where a profile names one. */
  readonly #endpoint: string | null;
  readonly #deps: SqsSourceDeps;
  #opening: Promise<DeadLetterQueue> | null = null;
  #queue: DeadLetterQueue | null = null;
  readonly #closed = new AbortController();

  constructor({ name, redriveTo, ...options }: SqsSourceOptions, deps: SqsSourceDeps) {
    this.heldIn = readAddress(options.queue).name;
    if (options.endpoint !== undefined) checkedEndpoint(options.endpoint, `The endpoint of ${this.heldIn}`);
    this.#endpoint = options.endpoint ?? endpointFromEnvironment();
    for (const queue of [options.queue, redriveTo]) {
      if (queue !== undefined) refuseOtherServer(readAddress(queue), this.#endpoint, 'config');
    }
    this.name = name ?? this.heldIn;
    this.#redriveTo = redriveTo ?? null;
    this.#options = options;
    this.#deps = deps;
  }

  async facts(signal: AbortSignal): Promise<SourceFacts> {
    const queue = await this.#open(signal);
    const counts = await queue.refresh();
    return {
      name: this.name,
      kind: 'sqs',
      queue: queue.name,
      fifo: queue.fifo,
      visible: counts.visible,
      in_flight: counts.inFlight,
      delayed: counts.delayed,
      retention_seconds: counts.retentionSeconds,
      redrive_sources: queue.redriveSources?.map((url) => queueName(url) ?? url) ?? null,
      error: null,
    };
  }

  async read(request: ReadRequest, visit: Visit): Promise<ReadResult> {
    const result: ReadResult = { seen: 0, about: null, complete: true, note: null, allInFlight: null };
    const ofArchive = request.edited === true || request.states.has('dismissed');
    const ofQueue = request.edited !== true && request.states.has('failed');
    if (!ofQueue && !ofArchive) return result;
    const queue = await this.#open(request.signal);
    const facts = queue.facts({ source: this.name, redriveTo: this.#redriveTo, to: request.to ?? null });
    const describer = new Describer(queue, facts);
    const onQueue = new Set<string>();
    let next: 'more' | 'enough' = 'more';

    if (ofQueue) {
      queue.refuseWhereLooksCount(request.allowReceive);
      const reading = await readQueue(
        queue,
        this.#deps.clock,
        {
          signal: request.signal,
          onProgress: (progress) => request.onProgress?.({ source: this.name, ...progress }),
        },
        async (messages) => {
          for (const { failure, aside } of await describer.received(messages, this.#deps.journal)) {
            if (next === 'enough') break;
            if (ofArchive) onQueue.add(failure.id);
            result.seen += 1;
            next = visit(failure, aside);
          }
          return next;
        },
      );
      if (reading.end === 'aborted') throw new Interrupted();
      result.about = reading.about;
      result.complete = reading.complete;
      result.note = reading.notes.length === 0 ? null : reading.notes.join('; ');
      result.allInFlight = reading.allInFlight;
    }
    if (ofArchive && next === 'more') {
      await this.#readArchive(queue, describer, request, result, (failure) =>
        // Its delete was never confirmed, and it lies on the queue still: there it counts.
        onQueue.has(failure.id) ? 'more' : visit(failure),
      );
    }
    return result;
  }

  async #readArchive(
    queue: DeadLetterQueue,
    describer: Describer,
    request: ReadRequest,
    result: ReadResult,
    visit: Visit,
  ): Promise<void> {
    const { journal } = this.#deps;
    const edited = request.edited === true;
    if (!edited) result.about = (result.about ?? 0) + (await journal.countArchived(queue.place));
    let after: number | null = null;
    do {
      if (request.signal.aborted) throw new Interrupted();
      const page: Awaited<ReturnType<Journal['archived']>> = await journal.archived(queue.place, {
        limit: ARCHIVE_PAGE,
        edited,
        ...(after === null ? {} : { after }),
        ...(request.nativeIdPrefixes ? { nativeIdPrefixes: request.nativeIdPrefixes } : {}),
      });
      for (const failure of await describer.archived(page.messages)) {
        result.seen += 1;
        if (visit(edited ? { ...failure, retry_blocked: SENT_EDITED } : failure) === 'enough') {
          result.complete = false;
          return;
        }
      }
      request.onProgress?.({ source: this.name, seen: result.seen, about: result.about });
      after = page.next;
    } while (after !== null);
  }

  async act(request: ActRequest): Promise<ActResult> {
    // In the middle of a run it would be the run's trouble, and not that of who typed it.
    const to = request.to === undefined ? null : readAddress(request.to);
    if (to !== null && to.url !== null)
      refuseOtherServer(to, this.#endpoint ?? (await configuredEndpoint(this.#options.profile)));
    const queue = await this.#open(request.signal);
    const facts = queue.facts({ source: this.name, redriveTo: this.#redriveTo, to: request.to ?? null });
    return actOnQueue(queue, new Describer(queue, facts), request, this.#deps);
  }

  async targets(
    names: readonly string[],
    { to, signal }: { to?: string; signal: AbortSignal },
  ): Promise<(TargetFacts | { name: string; error: string })[]> {
    const queue = await this.#open(signal);
    return Promise.all(names.map((name) => targetFacts(queue, name, [to, this.#redriveTo])));
  }

  elsewhere(to: string | null): string | null {
    const typed = to ?? this.#redriveTo;
    return typed === null || this.#queue === null ? null : sayElsewhere(readAddress(typed), this.#queue);
  }

  async intake(to: string | null, signal: AbortSignal): Promise<Intake> {
    const queue = await this.#open(signal);
    return unlessAborted(openIntake(queue, this.name, to, this.#deps), signal);
  }

  async hold(request: HoldRequest): Promise<Holding> {
    const queue = await this.#open(request.signal);
    return holdMessages(queue, this.#deps.clock, this.name, request);
  }

  diagnose(request: DiagnoseRequest): Promise<SqsDiagnosis> {
    return diagnoseQueue(this.#options, this.#redriveTo, request, this.#deps.connect);
  }

  whereIs(queue: string): Promise<{ where: string; settings: [key: string, value: string][] } | null> {
    return whereIsQueue(queue, this.#options, this.#deps.connect);
  }

  held(): { count: number; until: number | null } {
    return this.#queue?.held() ?? { count: 0, until: null };
  }

  async close(): Promise<void> {
    // Closes the connections of an opening under way, too.
    this.#closed.abort();
    await this.#queue?.close();
  }

  /** Connects on first use; where that failed, the next use tries again. Nothing is held yet, so a signal needn't wait. */
  async #open(signal: AbortSignal): Promise<DeadLetterQueue> {
    if (signal.aborted) throw new Interrupted();
    this.#opening ??= DeadLetterQueue.open(this.#options, this.#deps.clock, this.#deps.connect, this.#closed.signal);
    try {
      this.#queue = await unlessAborted(this.#opening, signal);
    } catch (error) {
      // Somebody else may wait for it still.
      if (!(error instanceof Interrupted)) this.#opening = null;
      throw error;
    }
    if (signal.aborted) throw new Interrupted();
    return this.#queue;
  }
}
