import type { ActRequest, Clock, Journal } from '../../../model/ports.ts';
import type { SqsClient } from '../client.ts';
import type { Describer } from '../describe.ts';
import type { Held } from '../held.ts';
import type { DeadLetterQueue } from '../queue.ts';
import { Stop } from './stop.ts';
import { Tally } from './tally.ts';
import { Throttle, type ThrottleOptions } from './throttle.ts';

/** A queue that messages are sent to. */
export interface Destination {
  readonly name: string;
  /** The client that reaches it: its region may be another than the dead-letter queue's. */
  readonly client: SqsClient;
  readonly url: string;
  readonly fifo: boolean;
  /** Bytes of a body with its attributes; null where it couldn't be asked. */
  readonly maximumMessageSize: number | null;
}

/** The dead-letter queue itself, where messages are put back on it. */
export function destinationOn({ name, client, url, fifo, attributes }: DeadLetterQueue): Destination {
  return { name, client, url, fifo, maximumMessageSize: attributes.maximumMessageSize };
}

/** What an action works with beside its queue; what is left out is as SQS and this machine bear it. */
export interface RedriveDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  /** Calls side by side. */
  readonly calls?: ThrottleOptions;
  readonly visibilitySeconds?: number;
  /** How many messages SQS lets be in flight. */
  readonly inFlightLimit?: number;
}

/** What every run has, wherever its messages come from. */
export interface RunContext {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly throttle: Throttle;
  readonly stop: Stop;
  readonly tally: Tally;
}

/** @param source the source's name */
export function beginRun(
  request: Pick<ActRequest, 'pace' | 'signal' | 'onItem' | 'onProgress'>,
  source: string,
  deps: RedriveDeps,
): RunContext {
  const { journal, clock } = deps;
  const stop = new Stop(request.signal, source);
  return { journal, clock, throttle: Throttle.forRun(request, deps), stop, tally: new Tally(request, source, clock) };
}

/** What every part of a run on a queue works with. */
export interface Context extends RunContext {
  readonly queue: DeadLetterQueue;
  readonly describer: Describer;
  readonly request: ActRequest;
  readonly held: Held;
}
