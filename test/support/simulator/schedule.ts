import type { Database } from 'better-sqlite3';
import { journalOver } from '../../../src/adapters/journal/journal.ts';
import type { SqsClient } from '../../../src/adapters/sqs/client.ts';
import type { Journal } from '../../../src/model/ports.ts';
import { type Babelq, operator, type Report } from './babelq.ts';
import { VirtualTime } from './clock.ts';
import { Consumer } from './consumers.ts';
import { Faults, NO_FAULTS } from './faults.ts';
import { Ledger, type Mandate } from './invariants.ts';
import { emptyDatabase } from './journals.ts';
import { makeToken, SMALL_BYTES, type Token } from './messages.ts';
import { SimulatedProcess } from './process.ts';
import { NO_QUIRKS, type SimulatedQueue } from './queue.ts';
import { Random } from './random.ts';
import { type Command, type Scenario, type Subset, scenarioOf } from './scenario.ts';
import { SimulatedSqs } from './sqs.ts';

export interface Outcome {
  seed: number;
  scenario: Scenario;
  /** Promises that were broken; empty where all held. */
  violations: readonly string[];
  /** What happened, line by line: only kept where it was asked for. */
  trace: readonly string[];
  events: number;
  /** How many messages were redriven, dismissed or restored, so that a test can see that something happens. */
  acts: number;
  crashes: number;
}

export interface ScheduleOptions {
  trace?: boolean;
  /** Spoils babelq's client, to see that the invariants find it. */
  mutant?: (client: SqsClient, process: SimulatedProcess) => SqsClient;
}

/** How long a message that a dead process held may stay hidden. */
const LONGEST_HIDDEN_MS = 15 * 60_000;
const MOST_ROUNDS = 40;
/** What a person does when all is well again. */
const CALM = {
  passes: 'one',
  subset: 'all',
  max: null,
  rate: null,
  bypass: false,
  mend: false,
  to: null,
  blows: new Map(),
  beside: null,
  pause: 0,
} as const;
/** A run that is still going after so long is stuck. */
const LIMITS = { events: 200_000, ms: 4 * 86_400_000 };

/** Plays what a seed says to its end, and tells which promises were broken on the way. */
export async function runSchedule(seed: number, options: ScheduleOptions = {}): Promise<Outcome> {
  const unseeded = Math.random;
  const choices = new Random(seed ^ 0x5eed);
  Math.random = () => choices.next();
  const schedule = new Schedule(seed, options);
  try {
    await schedule.time.run(schedule.play(), LIMITS);
  } catch (error) {
    schedule.ledger.fail(error instanceof Error ? `${error.message} ${error.stack ?? ''}` : String(error));
  } finally {
    Math.random = unseeded;
    schedule.close();
  }
  return schedule.outcome();
}

class Schedule {
  readonly time = new VirtualTime();
  readonly ledger: Ledger;
  readonly #seed: number;
  readonly #options: ScheduleOptions;
  readonly #random: Random;
  readonly #scenario: Scenario;
  readonly #sqs: SimulatedSqs;
  readonly #faults: Faults;
  readonly #dead: SimulatedQueue;
  readonly #targets: SimulatedQueue[];
  readonly #tokens = new Map<number, Token>();
  readonly #consumers: Consumer[] = [];
  readonly #databases = new Map<0 | 1, Database>();
  readonly #trace: string[] = [];
  readonly #processes: SimulatedProcess[] = [];
  #started = 0;
  #acts = 0;
  #crashes = 0;

  constructor(seed: number, options: ScheduleOptions) {
    this.#seed = seed;
    this.#options = options;
    this.#random = new Random(seed);
    const scenario = scenarioOf(this.#random.fork());
    this.#scenario = scenario;
    this.#sqs = new SimulatedSqs(this.time, this.#random.fork());
    this.#faults = new Faults(scenario.rates, scenario.denial, this.time, this.#random.fork());
    const suffix = scenario.fifo ? '.fifo' : '';
    this.#dead = this.#sqs.create(`orders-dlq${suffix}`, { inFlightLimit: scenario.inFlightLimit });
    const redrive = { target: this.#dead, maxReceiveCount: 2 };
    const homes = scenario.shared ? ['orders', 'billing'] : ['orders'];
    const home = { redrive, ...(scenario.small && { maximumMessageSize: SMALL_BYTES }) };
    this.#targets = homes.map((name) => this.#sqs.create(`${name}${suffix}`, home));
    const all = [...this.#targets, this.#sqs.create('elsewhere'), this.#sqs.create('elsewhere.fifo')];
    for (const queue of [this.#dead, ...all]) queue.quirks = scenario.quirks;
    this.ledger = new Ledger(this.time, this.#dead, all, scenario.small, (token, what) => this.#inArchive(token, what));
    if (options.trace) this.#traceQueues([this.#dead, ...all]);
    this.#fill();
    for (const at of scenario.arrivals) this.time.after(at, () => this.#lay(this.time.now()));
    if (scenario.consumers !== null) this.#startConsumers(scenario.consumers);
  }

  async play(): Promise<void> {
    const running: Promise<Report | null>[] = [];
    for (const command of this.#scenario.commands) {
      if (command.beside === null) {
        await Promise.all(running.splice(0));
        await this.time.sleep(command.pause);
      } else await this.time.sleep(command.beside);
      const run = this.#run(command);
      run.catch(() => {});
      running.push(run);
    }
    await Promise.all(running);
    await this.#recover();
  }

  outcome(): Outcome {
    return {
      seed: this.#seed,
      scenario: this.#scenario,
      violations: this.ledger.violations,
      trace: this.#trace,
      events: this.time.events,
      acts: this.#acts,
      crashes: this.#crashes,
    };
  }

  close(): void {
    for (const consumer of this.#consumers) consumer.stop();
    for (const database of this.#databases.values()) database.close();
  }

  #fill(): void {
    const { messages } = this.#scenario;
    const ages = Array.from({ length: messages }, () => this.#random.between(60_000, 3 * 86_400_000));
    // In the order they came, which on FIFO says who goes first.
    for (const age of ages.sort((a, b) => b - a)) this.#lay(this.time.now() - age);
  }

  /** A message that failed comes to lie on the dead-letter queue. */
  #lay(failedAt: number): void {
    const { groups, plain, fifo, huge } = this.#scenario;
    const home = this.#random.pick(this.#targets);
    const number = this.#tokens.size + 1;
    const token = makeToken(number, this.#random, { home: home.name, fifo, groups, failedAt, plain, huge });
    this.#tokens.set(number, token);
    const facts = { sentAt: failedAt, ...(token.native && { sourceArn: home.arn }) };
    this.ledger.begin(token, this.#dead.place(token.dead, facts));
  }

  #startConsumers(failing: number): void {
    const world = { time: this.time, random: this.#random.fork(), ledger: this.ledger, tokens: this.#tokens };
    for (const queue of this.#targets) {
      const consumer = new Consumer(world, queue, this.#dead, failing);
      consumer.start();
      this.#consumers.push(consumer);
    }
  }

  /** One command, by one process, to its end: its own, or its crash. */
  async #run(command: Command): Promise<Report | null> {
    this.#started += 1;
    const name = `babelq ${this.#started}`;
    const watcher = {
      acts: () => {
        this.ledger.actor = name;
      },
      lost: (ids: readonly string[]) => this.ledger.lost(ids),
      trace: (line: string) => this.#note(line),
    };
    const process = new SimulatedProcess(name, this.time, command.blows, watcher);
    const mandate: Mandate = {
      action: command.action,
      takes: (token) => isIn(command.subset, token),
      bypass: command.bypass,
      mend: command.mend,
      to: command.to,
      ids: null,
      startedAt: null,
      clockSet: () => process.clockOff !== 0,
    };
    this.ledger.mandate(name, mandate);
    this.#note(`${name} ${JSON.stringify({ ...command, blows: undefined })}`);
    const client = process.client(this.#sqs, this.#faults);
    const babelq: Babelq = {
      process,
      client: this.#options.mutant?.(client, process) ?? client,
      journal: process.journal(journalOver(process.database(this.#database(command.journal)), process.clock)),
      queue: this.#dead.name,
      random: () => this.#random.next(),
      inFlightLimit: this.#scenario.inFlightLimit,
      onItem: (item) => this.ledger.item(name, item),
    };
    this.#processes.push(process);
    const report = await Promise.race([operator(babelq, command, mandate), process.died]);
    if (report === 'died') {
      this.#crashes += 1;
      return null;
    }
    this.#note(`${name} ends: ${JSON.stringify(report)}`);
    this.#acts += report.counts.done;
    this.ledger.checkItems(name);
    const hidden = this.ledger.hiddenBy(name);
    // Whose clock was set can't know what is still hidden; it comes back by itself.
    if (process.clockOff === 0 && hidden.length > report.held) {
      const which = hidden.map(({ id }) => `message ${this.ledger.storyById(id)?.token.number}`).join(', ');
      this.ledger.fail(`${name} ended with ${hidden.length} hidden (${which}), and says ${report.held}`);
    }
    return report;
  }

  /** The storm is over: what was left behind is found and finished, and then everything is where it should be. */
  async #recover(): Promise<void> {
    this.#faults.rates = NO_FAULTS;
    this.#faults.denial = null;
    for (const queue of this.#sqs.queues.values()) queue.quirks = NO_QUIRKS;
    for (const consumer of this.#consumers) consumer.failing = 0;
    this.ledger.checkNoneLost();
    // A run whose clock was ahead counts as alive for so much longer.
    const ahead = Math.max(0, ...this.#processes.map(({ clockOff }) => clockOff));
    await this.time.sleep(LONGEST_HIDDEN_MS + ahead);
    for (const message of this.#dead.inFlight) this.ledger.fail(`${message.id} is still hidden, long after`);
    this.#dead.settings.inFlightLimit = 120_000;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const before = this.#acts;
      for (const journal of this.#databases.size === 0 ? ([0] as const) : [...this.#databases.keys()]) {
        // What was dismissed is retried as well, before or after it was restored.
        const restores = this.#archived(journal) > 0;
        if (restores && this.#random.chance(0.7)) await this.#run({ ...CALM, action: 'restore', journal });
        await this.#run({ ...CALM, action: 'retry', journal });
        if (this.#archived(journal) > 0) await this.#run({ ...CALM, action: 'restore', journal });
      }
      if (this.#acts === before) break;
    }
    await this.#checkEnd();
  }

  async #checkEnd(): Promise<void> {
    this.ledger.checkNoneLost();
    for (const message of this.#dead.messages) {
      const story = this.ledger.storyById(message.id);
      if (!this.ledger.isStuck(message) && !this.#isOutOfReach()) {
        this.ledger.fail(`message ${story?.token.number} was never redriven`);
      }
      if (message.visibleAt > this.time.now()) this.ledger.fail(`${message.id} is hidden at the end`);
    }
    const flags = new Map<number, number>();
    for (const database of this.#databases.values()) {
      for (const entry of await this.#logOf(journalOver(database, this.time))) {
        const story = this.ledger.storyById(entry.id.slice(entry.id.indexOf('/') + 1));
        if (story === undefined) continue;
        // Who has another journal may restore, under a new id, what an uncertain send left: that send's word stands for it.
        const overtaken = this.#databases.size > 1 && entry.outcome === 'overtaken' && entry.action !== 'dismiss';
        const open = entry.outcome === 'uncertain' || entry.outcome === 'under_way' || overtaken;
        const flagged = entry.possible_double || open;
        if (flagged) flags.set(story.token.number, (flags.get(story.token.number) ?? 0) + 1);
      }
    }
    this.ledger.checkDoubles(({ number }) => flags.get(number) ?? 0);
  }

  /** On FIFO nobody gets to see past ten that can't be redriven: they come first, and block their groups. */
  #isOutOfReach(): boolean {
    return this.#scenario.fifo && this.#dead.messages.filter((one) => this.ledger.isStuck(one)).length >= 10;
  }

  #logOf(journal: Journal) {
    return journal.log({ limit: 100_000 });
  }

  #database(which: 0 | 1): Database {
    const database = this.#databases.get(which) ?? emptyDatabase();
    this.#databases.set(which, database);
    return database;
  }

  #archived(journal: 0 | 1): number {
    const sql = `SELECT count(*) FROM entries WHERE archived_until IS NOT NULL AND action = 'dismiss'`;
    return Number(this.#databases.get(journal)?.prepare(sql).pluck().get() ?? 0);
  }

  /** @param what `dismiss` for what was dismissed, `retry` for the originals of what was sent edited */
  #inArchive(token: number, what: 'dismiss' | 'retry'): boolean {
    const sql = `SELECT 1 FROM entries JOIN messages USING (entry)
      WHERE archived_until IS NOT NULL AND action = ? AND body LIKE ? LIMIT 1`;
    return [...this.#databases.values()].some(
      (database) => database.prepare(sql).get(what, `%tok-${token}-%`) !== undefined,
    );
  }

  #note(line: string): void {
    if (this.#options.trace) this.#trace.push(`${String(this.time.now() % 100_000_000).padStart(8)} ${line}`);
  }

  #traceQueues(queues: readonly SimulatedQueue[]): void {
    for (const queue of queues) {
      const { onEvent } = queue;
      queue.onEvent = (event, at) => {
        const token = /tok-\d+/.exec(event.message.body)?.[0];
        this.#note(`  ${this.ledger.actor}: ${event.kind} ${token} ${event.message.id.slice(0, 8)} ${queue.name}`);
        onEvent(event, at);
      };
    }
  }
}

function isIn(subset: Subset, { urn }: Token): boolean {
  return subset === 'all' || urn === `urn:babel:sim:${subset}`;
}
