import type { Action } from '../../../src/model/action.ts';
import { type Denial, type FaultRates, NO_FAULTS } from './faults.ts';
import type { Blow } from './process.ts';
import { NO_QUIRKS, type Quirks } from './queue.ts';
import type { Random } from './random.ts';

/** Which messages a command is to take: all, or those whose URN says so. */
export type Subset = 'all' | 'even' | 'odd';

export interface Command {
  action: Action;
  /** Both in one (`--yes`), first what and then do, or by ids. */
  passes: 'one' | 'two' | 'ids';
  subset: Subset;
  max: number | null;
  rate: number | null;
  bypass: boolean;
  /** `--set data.mended=true` */
  mend: boolean;
  /** `--to` another queue than its own: of the dead-letter queue's kind, or a FIFO one. */
  to: 'elsewhere' | 'elsewhere.fifo' | null;
  blows: ReadonlyMap<string, Blow>;
  /** How long after the one before it begins, in ms; null where it waits for its end. */
  beside: number | null;
  /** How long after that it begins, where it waits. */
  pause: number;
  /** Which of the operators' journals it uses. */
  journal: 0 | 1;
}

/** What a seed says: the queues, the messages, the troubles and what the operators do. */
export interface Scenario {
  fifo: boolean;
  /** Two queues dead-letter to the same one. */
  shared: boolean;
  messages: number;
  groups: number;
  /** Envelopes only. */
  plain: boolean;
  inFlightLimit: number;
  quirks: Quirks;
  rates: FaultRates;
  denial: Denial | null;
  /** The targets take messages of a few KB only. */
  small: boolean;
  huge: boolean;
  /** When more messages fail, in ms from the beginning. */
  arrivals: readonly number[];
  /** How likely the consumers behind the targets fail; null where there are none. */
  consumers: number | null;
  commands: readonly Command[];
}

/** Messages a second: one in three quarters of an hour, so that twelve hours are not enough for all. */
const HOURS = 0.0004;

export function scenarioOf(random: Random): Scenario {
  const fifo = random.chance(0.4);
  const calm = random.chance(0.25);
  const count = random.weighted([
    [1, 4],
    [2, 2],
    [3, 1],
  ] as const);
  const commands: Command[] = [];
  while (commands.length < count) commands.push(commandOf(random, commands.at(-1)?.action ?? null, fifo, calm));
  const huge = random.chance(0.01);
  // Half a day of trouble at every call would be no more than that.
  const long = commands.some(({ rate }) => rate === HOURS);
  const quirks = calm ? NO_QUIRKS : quirksOf(random);
  const journals = new Set(commands.map(({ journal }) => journal));
  return {
    fifo,
    shared: random.chance(0.2),
    huge,
    small: !huge && random.chance(0.2),
    arrivals: Array.from({ length: random.chance(0.25) ? random.between(1, 6) : 0 }, () => random.between(0, 40_000)),
    denial: calm || random.chance(0.85) ? null : denialOf(random),
    messages: huge
      ? random.between(2, 9)
      : long
        ? random.between(10, 24)
        : random.weighted([
            [random.between(0, 4), 2],
            [random.between(5, 15), 5],
            [random.between(16, 45), 3],
          ]),
    groups: random.between(1, 6),
    plain: random.chance(0.4),
    inFlightLimit: random.chance(0.1) ? random.between(4, 25) : 120_000,
    // What SQS gives out twice can't be told by one who doesn't have the other's journal.
    quirks: journals.size > 1 ? { ...quirks, duplicates: 0, ghosts: 0 } : quirks,
    rates: calm || long ? NO_FAULTS : ratesOf(random),
    consumers: random.chance(0.5) && !long ? random.pick([0, 0.2, 0.6]) : null,
    commands,
  };
}

function commandOf(random: Random, before: Action | null, fifo: boolean, calm: boolean): Command {
  const action = random.weighted([
    ['retry', 7],
    ['dismiss', 3],
    ['restore', before === null ? 0 : before === 'dismiss' ? 8 : 2],
  ] as const);
  return {
    action,
    passes: random.weighted([
      ['one', 5],
      ['two', 3],
      ['ids', 2],
    ] as const),
    subset: random.weighted([
      ['all', 6],
      ['even', 2],
      ['odd', 2],
    ] as const),
    max: random.chance(0.1) ? random.between(1, 8) : null,
    rate: random.chance(0.003) ? HOURS : random.chance(0.1) ? random.pick([0.2, 1, 5, 40]) : null,
    bypass: action === 'retry' && random.chance(0.1),
    to: action === 'retry' && random.chance(0.12) ? toOf(random, fifo) : null,
    blows: calm && random.chance(0.5) ? new Map() : blowsOf(random),
    beside: before !== null && random.chance(0.4) ? random.between(0, 20_000) : null,
    pause: random.pick([0, 3_000, 70_000, 700_000]),
    journal: random.chance(0.8) ? 0 : 1,
    mend: action === 'retry' && random.chance(0.15),
  };
}

function toOf(random: Random, fifo: boolean): Command['to'] {
  return fifo || random.chance(0.3) ? 'elsewhere.fifo' : 'elsewhere';
}

function denialOf(random: Random): Denial {
  const [call, code] = random.pick([
    ['SendMessageBatch', 'AccessDenied'],
    ['SendMessageBatch', 'QueueDoesNotExist'],
    ['SendMessageBatch', 'InvalidMessageContents'],
    ['DeleteMessageBatch', 'AccessDenied'],
    ['ReceiveMessage', 'AccessDenied'],
    ['ReceiveMessage', 'OverLimit'],
    ['ChangeMessageVisibilityBatch', 'AccessDenied'],
    ['GetQueueAttributes', 'AccessDenied'],
    ['ListDeadLetterSourceQueues', 'AccessDenied'],
  ] as const);
  return { call, code, from: random.between(0, 8_000), ms: random.pick([100, 5_000, 3_600_000]) };
}

function quirksOf(random: Random): Quirks {
  return {
    sampling: random.pick([0, 0.2, 0.6]),
    duplicates: random.pick([0, 0, 0.1]),
    ghosts: random.pick([0, 0, 0.05]),
    oldHandlesDelete: random.pick([0, 0.3]),
  };
}

function ratesOf(random: Random): FaultRates {
  const some = (...rates: number[]) => random.pick([0, 0, ...rates]);
  return {
    lostBefore: some(0.02, 0.1),
    lostAfter: some(0.02, 0.1),
    serverError: some(0.02, 0.1),
    throttled: some(0.05, 0.3),
    unreachable: some(0.02),
    entries: some(0.02, 0.15),
    slow: some(0.02, 0.1),
    slowSeconds: random.pick([2, 8, 40, 150]),
  };
}

/** The awaits where most hangs on what comes next. */
const CRITICAL = [
  'SendMessageBatch',
  'DeleteMessageBatch',
  'ReceiveMessage',
  'ChangeMessageVisibilityBatch',
  'journal intend',
  'journal settle',
  'journal recall',
  'journal archived',
  'journal beat',
] as const;

/** Where the blows fall: anywhere (early awaits are met by every run, later ones by long runs only), or where it counts. */
function blowsOf(random: Random): ReadonlyMap<string, Blow> {
  const blows = new Map<string, Blow>();
  const many = random.weighted([
    [0, 3],
    [1, 5],
    [2, 2],
  ] as const);
  for (let n = 0; n < many; n += 1) {
    const at = 1 + Math.floor(-Math.log(1 - random.next()) * random.pick([6, 25, 80]));
    const place = random.chance(0.5) ? `#${at}` : `${random.pick(CRITICAL)}#${random.between(1, 5)}`;
    blows.set(
      place,
      random.weighted<Blow>([
        [{ kind: 'crash', after: random.chance(0.5) }, 6],
        [{ kind: 'abort' }, 3],
        [{ kind: 'pause', ms: random.between(1_000, 200_000) }, 2],
        [{ kind: 'clock', ms: random.pick([-3_600_000, -90_000, -5_000, 5_000, 90_000, 3_600_000]) }, 1],
        [
          {
            kind: 'journal',
            trouble: random.pick(['SQLITE_FULL', 'SQLITE_BUSY'] as const),
            ms: random.pick([1, 2_000, 30_000, 86_400_000]),
          },
          2,
        ],
      ]),
    );
  }
  return blows;
}
