import { ofAbout } from '../display/counts.ts';
import { readBody } from '../envelope.ts';
import { BabelqError } from '../errors.ts';
import type { WholeFailure } from '../failure.ts';
import type { AllInFlight, Clock, Journal, MoveTask, MoveTasks, ReadProgress, Source } from '../ports.ts';
import { resetAttributes, resetBody } from '../reset.ts';
import { versionGate } from '../version-gate.ts';
import { hiddenByOthers } from './exit.ts';
import { LISTING_LIMIT } from './list.ts';

/** SQS moves at most so many messages a second. */
const FASTEST = 500;

export interface MoveAsk {
  source: Source;
  /** `--to` */
  to?: string;
  /** Messages a second; left out for as SQS likes. */
  rate?: number;
  journal: Journal;
  clock: Clock;
  by: string;
  note: string | null;
  /** See ActionAsk. */
  requireNote?: boolean;
  allowReceive: boolean;
  signal: AbortSignal;
  onRead?: (progress: ReadProgress) => void;
  onProgress?: (task: MoveTask) => void;
}

/** What a move task would do, as far as can be seen. */
export interface MovePlan {
  from: string;
  to: { name: string; arn: string };
  /** How many were looked at, of about how many. */
  seen: number;
  about: number;
  reasons: { reason: string; count: number }[];
  rate: number | null;
}

/**
 * Looks first, as far as a listing goes, and says what SQS's own move task would do.
 * @throws BabelqError `refused` where it would do harm or SQS would not do it, `usage` for a rate it doesn't take,
 *   `nothing_matched` for an empty queue; Interrupted
 */
export async function planMove(ask: MoveAsk): Promise<MovePlan> {
  const { source, signal } = ask;
  const tasks = moveTasksOf(source);
  checkRate(ask.rate);
  const facts = await source.facts(signal);
  if (facts.redrive_sources?.length === 0) {
    throw refusal(
      source,
      `${facts.queue} is not the dead-letter queue of another queue, and SQS moves from those only.`,
    );
  }
  const running = (await tasks.list(signal)).find(({ status }) => status === 'RUNNING' || status === 'CANCELLING');
  if (running !== undefined) throw alreadyRunning(source, running);

  const looked = new Looked();
  const result = await source.read(
    {
      states: new Set(['failed']),
      allowReceive: ask.allowReceive,
      signal,
      ...(ask.to !== undefined && { to: ask.to }),
      ...(ask.onRead && { onProgress: ask.onRead }),
    },
    (failure) => (looked.see(failure) >= LISTING_LIMIT ? 'enough' : 'more'),
  );
  if (looked.seen === 0) throw nothingSeen(source, result.allInFlight);
  refuseWhatHarms(source, looked);
  const to = await tasks.arnOf(ask.to ?? looked.target(source), signal);
  if (to.fifo !== (facts.fifo ?? false)) {
    const [one, other] = to.fifo ? ['FIFO', 'standard'] : ['standard', 'FIFO'];
    throw refusal(
      source,
      `${to.name} is a ${one} queue and ${facts.queue} is ${other}: SQS moves between two of a kind.`,
    );
  }
  const about = Math.max(result.about ?? 0, looked.seen);
  return {
    from: facts.queue,
    to: { name: to.name, arn: to.arn },
    seen: looked.seen,
    about,
    reasons: [...looked.reasons].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
    rate: ask.rate ?? null,
  };
}

/** What was seen of a queue, as far as it decides whether a move does harm. */
class Looked {
  seen = 0;
  readonly reasons = new Map<string, number>();
  readonly targets = new Map<string, number>();
  app = 0;
  changed = 0;
  readonly blocked = new Map<string, number>();

  see(failure: WholeFailure): number {
    this.seen += 1;
    add(this.reasons, failure.reason);
    if (failure.origin === 'sqs_app') this.app += 1;
    else if (needsReset(failure)) this.changed += 1;
    if (failure.retry_blocked !== null) add(this.blocked, failure.retry_blocked);
    if (failure.retry_to !== null) add(this.targets, failure.retry_to);
    return this.seen;
  }

  /** The one queue that all of it goes to. */
  target(source: Source): string {
    const [first, ...more] = [...this.targets].sort((a, b) => b[1] - a[1]);
    if (first !== undefined && more.length === 0) return first[0];
    const listed = [...this.targets].map(([name, count]) => `${name} ${count}`).join(', ');
    const why =
      first === undefined ? 'Where they go is not known.' : `What was seen goes to different queues: ${listed}.`;
    throw refusal(source, `${why} A move task has one destination.`, '--to QUEUE names one for all of it.');
  }
}

/** Whether a retry would change anything of it, which SQS's move doesn't. */
function needsReset({ body, attributes }: WholeFailure): boolean {
  const text = body ?? '';
  const reading = readBody(text, attributes);
  const { changes } = resetBody(text, reading, !versionGate(attributes).passed);
  return changes.length > 0 || resetAttributes(attributes, { bypass: false }).changes.length > 0;
}

function refuseWhatHarms(source: Source, { seen, app, changed, blocked }: Looked): void {
  const of = seen === 1 ? 'the 1 message' : `the ${seen} messages`;
  if (app > 0) {
    throw refusal(
      source,
      `Of ${of} looked at ${app} ${app === 1 ? 'was' : 'were'} set aside by an app: SQS would send ${app === 1 ? 'it' : 'them'} back with dead_letter and attempts as they are, and the app would set ${app === 1 ? 'it' : 'them'} aside again at once.`,
    );
  }
  if (changed > 0) {
    throw refusal(
      source,
      `Of ${of} looked at ${changed} must be changed to be handled again (attempts, or a replay marker), and SQS moves them as they are.`,
    );
  }
  const [why] = blocked;
  if (why !== undefined) throw refusal(source, `Of ${of} looked at ${why[1]} can't be retried: ${why[0]}`);
}

function refusal(source: Source, message: string, hint?: string): BabelqError {
  const otherwise = 'Retry without --native: babelq moves each message itself, and resets it.';
  return new BabelqError('refused', message, {
    hint: hint === undefined ? otherwise : `${hint} Or retry without --native.`,
    source: source.name,
  });
}

export function moveTasksOf(source: Source): MoveTasks {
  if (source.moveTasks !== null) return source.moveTasks;
  throw new BabelqError('usage', `--native is SQS's own, and ${source.name} is not on SQS.`, {
    hint: 'Name a dead-letter queue with --source or --sqs.',
  });
}

function checkRate(rate: number | undefined): void {
  if (rate === undefined || (Number.isInteger(rate) && rate <= FASTEST)) return;
  throw new BabelqError(
    'usage',
    `With --native SQS takes a whole number of 1 to ${FASTEST} messages a second, not ${rate}.`,
    {
      hint: `Give --rate ${FASTEST} at most, or leave it out: then SQS chooses.`,
    },
  );
}

function nothingSeen({ heldIn, name }: Source, allInFlight: AllInFlight | null): BabelqError {
  if (allInFlight !== null) return hiddenByOthers(allInFlight, name);
  return new BabelqError('nothing_matched', `${heldIn} is empty; nothing was changed.`, {
    hint: 'babelq sources shows how much each source holds.',
    source: name,
  });
}

function alreadyRunning(source: Source, task: MoveTask): BabelqError {
  const to = task.destination_arn?.split(':').at(-1) ?? 'the queues of their own';
  const since = task.started_at === null ? '' : ` since ${new Date(task.started_at).toISOString().slice(0, 19)}Z`;
  return new BabelqError(
    'refused',
    `A move task is under way on ${source.heldIn} already${since}: ${sayMoved(task)} to ${to}. SQS runs one at a time.`,
    {
      hint:
        task.handle === null
          ? 'It is being cancelled: try again in a minute.'
          : `Wait for its end, or cancel it: aws sqs cancel-message-move-task --task-handle ${task.handle}`,
      source: source.name,
    },
  );
}

/** `about 400 of about 12,000 moved` */
export function sayMoved({ moved, to_move }: Pick<MoveTask, 'moved' | 'to_move'>): string {
  return `about ${ofAbout(moved, to_move)} moved`;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
