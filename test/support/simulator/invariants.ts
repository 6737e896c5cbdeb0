import type { ActionItem } from '../../../src/model/action.ts';
import type { Attributes } from '../../../src/model/failure.ts';
import type { VirtualTime } from './clock.ts';
import { BYPASS, hasId, type Token, tokenIn } from './messages.ts';
import type { QueueEvent, SimulatedQueue, StoredMessage } from './queue.ts';

/** What one run of babelq was told to do: what it may act on. */
export interface Mandate {
  action: 'retry' | 'dismiss' | 'restore' | 'read';
  /** Whether it was asked to act on this message. */
  takes: (token: Token) => boolean;
  bypass: boolean;
  /** Whether it was to change the body. */
  mend: boolean;
  /** `--to`, where it was given. */
  to: string | null;
  /** The native ids that were shown and agreed to; null where it acts on what it meets. */
  ids: ReadonlySet<string> | null;
  /** When it began to act; null before that. */
  startedAt: number | null;
  /** Whether its clock was set, so that it can't know what came when. */
  clockSet: () => boolean;
}

/** Why a message can't be redriven so, whoever asks. */
function isUnsendable(
  { reset, mended, full, large }: Token,
  { bypass, to, mend }: Pick<Mandate, 'bypass' | 'to' | 'mend'>,
  small: boolean,
) {
  return (mend ? mended : reset) === null || (full && bypass) || (large && small && to === null);
}

interface Send {
  actor: string;
  queue: string;
  messageId: string;
}

/** What happened to one message so far. */
interface Story {
  token: Token;
  /** Copies by queue, those that SQS itself will still give out after their delete apart. */
  copies: Map<string, number>;
  consumed: number;
  /** How often it came to the dead-letter queue by itself: at the beginning, and when its consumer failed. */
  arrivals: number;
  /** What babelq sent to a target, and SQS took. */
  sends: Send[];
  /** Whose repeat of a send SQS dropped, and answered as if it had been taken. */
  repeatedBy: Set<string>;
  /** What babelq sent to the dead-letter queue. */
  restores: Send[];
  /** Copies that were deleted from the dead-letter queue, for whatever reason. */
  deleted: number;
  /** SQS gave it out while somebody had it: by the older of two handles nobody can tell whether a delete was one. */
  givenTwice: boolean;
  deadBodies: Set<string>;
  /** It was sent edited. */
  mended: boolean;
  expired: boolean;
}

/**
 * Follows every message through every queue, act by act at the server, and holds babelq to its promises at each:
 * nothing is lost, nothing unasked is sent, nothing is sent twice unsaid, and order is kept within FIFO groups.
 */
export class Ledger {
  readonly violations: string[] = [];
  readonly #time: VirtualTime;
  readonly #dead: SimulatedQueue;
  readonly #inArchive: (token: number, what: 'dismiss' | 'retry') => boolean;
  readonly #small: boolean;
  readonly #shared: boolean;
  readonly #stories = new Map<number, Story>();
  readonly #byDeadId = new Map<string, Story>();
  /** How often a message had been sent when a copy of it came to lie on the dead-letter queue. */
  readonly #sentBefore = new Map<StoredMessage, number>();
  /** Copies that were put back there by a restoration. */
  readonly #restored = new Set<StoredMessage>();
  readonly #mandates = new Map<string, Mandate>();
  readonly #items = new Map<string, ActionItem[]>();
  /** Who hid each message that was received, as far as the one who asked knows it. */
  readonly #holders = new Map<StoredMessage, string>();
  /** Who acts on the service right now; the simulator's own hands where it is nobody. */
  actor = 'nobody';

  /**
   * @param small the targets take no large message
   * @param inArchive whether the archive holds a message (or the original of one that was edited), committed
   */
  constructor(
    time: VirtualTime,
    dead: SimulatedQueue,
    targets: readonly SimulatedQueue[],
    small: boolean,
    inArchive: (token: number, what: 'dismiss' | 'retry') => boolean,
  ) {
    this.#time = time;
    this.#dead = dead;
    this.#inArchive = inArchive;
    this.#small = small;
    this.#shared = targets.filter(({ settings }) => settings.redrive !== null).length > 1;
    for (const queue of [dead, ...targets]) queue.onEvent = (event) => this.#on(event, queue);
  }

  /** A message that lies on the dead-letter queue from the beginning. */
  begin(token: Token, message: StoredMessage): void {
    const story: Story = {
      token,
      copies: new Map([[this.#dead.name, 1]]),
      consumed: 0,
      arrivals: 1,
      sends: [],
      repeatedBy: new Set(),
      restores: [],
      deleted: 0,
      givenTwice: false,
      deadBodies: new Set([message.body]),
      mended: false,
      expired: false,
    };
    this.#stories.set(token.number, story);
    this.#lie(story, message);
  }

  mandate(process: string, mandate: Mandate): void {
    this.#mandates.set(process, mandate);
  }

  /** Its consumer was done with it. */
  consumed(message: StoredMessage): void {
    this.#storyOf(message).consumed += 1;
  }

  /** What a run said of a message. */
  item(process: string, item: ActionItem): void {
    const items = this.#items.get(process) ?? [];
    items.push(item);
    this.#items.set(process, items);
  }

  /** These were hidden for somebody who never heard of it. */
  lost(messageIds: readonly string[]): void {
    for (const message of this.#holders.keys()) if (messageIds.includes(message.id)) this.#holders.delete(message);
  }

  /** What a process keeps hidden of the dead-letter queue, and knows it. */
  hiddenBy(process: string): StoredMessage[] {
    return this.#dead.inFlight.filter((message) => !message.ghost && this.#holders.get(message) === process);
  }

  /** It stays on the dead-letter queue whatever is tried. */
  isStuck(message: StoredMessage): boolean {
    const token = this.#byDeadId.get(message.id)?.token;
    if (token === undefined || isUnsendable(token, { bypass: false, to: null, mend: false }, this.#small)) return true;
    // A restoration whose answer was lost: which of two queues it came from nobody remembers under its new id.
    return this.#shared && token.native && this.#restored.has(message);
  }

  storyById(nativeId: string): Story | undefined {
    return this.#byDeadId.get(nativeId);
  }

  fail(what: string): void {
    this.violations.push(`${this.#time.now()} ${what}`);
  }

  /** Every message is somewhere. */
  checkNoneLost(): void {
    for (const story of this.#stories.values()) this.#checkNotLost(story, 'at a check');
  }

  /**
   * What the items of a run that came to its end say is what happened.
   * @param fresh whether the process made only one run: then what it says it did, it did itself
   */
  checkItems(process: string): void {
    const seen = new Set<string>();
    for (const item of this.#items.get(process) ?? []) {
      if (seen.has(item.id)) this.fail(`${process} reported ${item.id} twice`);
      seen.add(item.id);
      const story = this.#storyOfItem(item);
      if (story !== undefined) this.#checkItem(process, item, story);
    }
    for (const story of this.#stories.values()) {
      const acted = [...story.sends, ...story.restores].filter(({ actor }) => actor === process);
      if (acted.length === 0) continue;
      const items = this.#itemsOf(process, story);
      const told = items.filter(({ outcome }) => outcome === 'done' || outcome === 'uncertain');
      if (acted.length > told.length) {
        const said = items.map(({ outcome, detail }) => `${outcome} (${detail})`).join(', ');
        this.fail(`${process} sent ${name(story)} ${acted.length} times, and says ${said || 'nothing'} of it`);
      }
    }
  }

  #storyOfItem({ id }: ActionItem): Story | undefined {
    return this.#byDeadId.get(id.slice(id.indexOf('/') + 1));
  }

  #itemsOf(process: string, story: Story): ActionItem[] {
    return (this.#items.get(process) ?? []).filter((item) => this.#storyOfItem(item) === story);
  }

  #checkItem(process: string, item: ActionItem, story: Story): void {
    const mandate = this.#mandates.get(process);
    const mine = mandate?.action === 'restore' ? story.restores : story.sends;
    switch (item.outcome) {
      case 'done':
        if (mandate?.action === 'dismiss') {
          if (story.deleted === 0 && !story.givenTwice) this.fail(`${process} says it dismissed ${name(story)}`);
          break;
        }
        // Sent by this run, or by an earlier one that left its copy behind.
        if (mine.length === 0) this.fail(`${process} says it sent ${name(story)}, and nobody did`);
        if (item.new_id !== null && !mine.some(({ messageId }) => messageId === item.new_id)) {
          this.fail(`${process} gives ${name(story)} the new id ${item.new_id}, which it doesn't have`);
        }
        if (item.to !== null && !mine.some(({ queue }) => queue === item.to)) {
          this.fail(`${process} says it sent ${name(story)} to ${item.to}, and it isn't there`);
        }
        break;
      case 'skipped':
      case 'failed':
      case 'uncertain':
      case 'planned':
        break;
    }
  }

  /**
   * Each time that a message came to the dead-letter queue it was sent once, lies there still, or is in the archive:
   * what is more than that was said to be a possible double.
   * @param flags how many entries of all journals and items say that it may be there twice, by token
   */
  checkDoubles(flags: (token: Token) => number): void {
    for (const story of this.#stories.values()) {
      const lying = story.copies.get(this.#dead.name) ?? 0;
      const archived = this.#inArchive(story.token.number, 'dismiss') ? 1 : 0;
      const doubles = story.sends.length + lying + archived - story.arrivals;
      const flagged = flags(story.token);
      if (doubles > flagged) {
        this.fail(`${name(story)} was doubled ${doubles} times (${whose(story)}), and ${flagged} times that was said`);
      }
    }
  }

  #on(event: QueueEvent, queue: SimulatedQueue): void {
    const { message } = event;
    const story = this.#storyOf(message);
    switch (event.kind) {
      case 'sent':
        this.#count(story, queue, 1);
        if (queue === this.#dead) this.#lie(story, message);
        if (this.#mandates.has(this.actor)) this.#onSend(story, queue, message);
        else if (queue === this.#dead) this.#arrive(story, message);
        break;
      case 'deduplicated':
        // Right only where it is a repeat of a send of this very copy: else it is lost when the copy is deleted.
        story.repeatedBy.add(this.actor);
        break;
      case 'moved':
        this.#count(story, event.from, -1);
        this.#count(story, queue, 1);
        this.#lie(story, message);
        this.#arrive(story, message);
        break;
      case 'deleted':
        this.#count(story, queue, -1);
        if (queue === this.#dead) story.deleted += 1;
        this.#checkDelete(story, queue, message);
        this.#checkNotLost(story, `when ${this.actor} deleted ${message.id} from ${queue.name}`);
        break;
      case 'expired':
        this.#count(story, queue, -1);
        story.expired = true;
        break;
      case 'received':
        // Of two handles for one message nobody knows which is the newer.
        if (event.again) story.givenTwice = true;
        if (event.again) this.#holders.delete(message);
        else this.#holders.set(message, this.actor);
        break;
      case 'ghost':
        break;
    }
  }

  #lie(story: Story, message: StoredMessage): void {
    this.#byDeadId.set(message.id, story);
    this.#sentBefore.set(message, story.sends.length);
  }

  #arrive(story: Story, message: StoredMessage): void {
    story.arrivals += 1;
    story.deadBodies.add(message.body);
  }

  /** What babelq sends is what it was asked to send, where it was asked to, byte for byte. */
  #onSend(story: Story, queue: SimulatedQueue, message: StoredMessage): void {
    const { actor } = this;
    const mandate = this.#mandates.get(actor) as Mandate;
    const { token } = story;
    const send = { actor, queue: queue.name, messageId: message.id };
    if (!mandate.takes(token)) this.fail(`${actor} sent ${name(story)}, which it was not asked to`);
    if (mandate.action === 'restore') {
      if (queue !== this.#dead) this.fail(`${actor} restored ${name(story)} to ${queue.name}`);
      if (!story.deadBodies.has(message.body)) this.fail(`${actor} restored ${name(story)} with another body`);
      story.restores.push(send);
      this.#restored.add(message);
    } else if (mandate.action === 'retry') {
      if (queue.name !== (mandate.to ?? token.home)) this.fail(`${actor} sent ${name(story)} to ${queue.name}`);
      const right = mandate.mend ? token.mended : token.reset;
      // What was mended once comes back so, where no app wrote it anew.
      if (message.body !== right && !(story.mended && message.body === token.mended)) {
        this.fail(`${actor} sent ${name(story)} as ${message.body}, where ${right} is right`);
      }
      if (mandate.mend && !story.mended && !this.#inArchive(token.number, 'retry')) {
        this.fail(`${actor} sent ${name(story)} edited, and kept no original`);
      }
      story.mended ||= mandate.mend;
      story.sends.push(send);
      if (this.#dead.settings.fifo && !mandate.clockSet()) this.#checkOrder(story, mandate);
      const late = !token.native && mandate.startedAt !== null && token.failedAt > mandate.startedAt;
      if (late && !mandate.clockSet()) this.fail(`${actor} sent ${name(story)}, which failed after it began`);
    } else this.fail(`${actor} sent ${name(story)}, and was to ${mandate.action}`);
    this.#checkCarried(story, queue, message, mandate);
  }

  #checkCarried(story: Story, queue: SimulatedQueue, message: StoredMessage, mandate: Mandate): void {
    const { dead } = story.token;
    const wanted: Record<string, { type: string; value: string }> = { ...dead.attributes };
    if (mandate.bypass) wanted[BYPASS] = { type: 'String', value: '1' };
    else delete wanted[BYPASS];
    if (mandate.action === 'retry' && text(message.attributes) !== text(wanted)) {
      this.fail(
        `${this.actor} sent ${name(story)} with the attributes ${text(message.attributes)}, not ${text(wanted)}`,
      );
    }
    const group = dead.groupId ?? (queue.settings.fifo ? queue.name : undefined);
    if (message.groupId !== group) this.fail(`${this.actor} sent ${name(story)} with another group`);
    if (message.traceHeader !== dead.traceHeader)
      this.fail(`${this.actor} sent ${name(story)} with another trace header`);
    if (message.deduplicationId !== undefined && message.deduplicationId === dead.deduplicationId) {
      this.fail(`${this.actor} sent ${name(story)} with its old deduplication id`);
    }
  }

  /** None of the group that lies before it, and was to be sent as well, is still unsent. */
  #checkOrder(story: Story, mandate: Mandate): void {
    const lying = this.#dead.messages;
    const own = lying.findIndex((message) => this.#storyOf(message) === story);
    const group = story.token.dead.groupId;
    for (const earlier of lying.slice(0, Math.max(0, own))) {
      if (earlier.groupId !== group) continue;
      // Who picks single ids picks their order too.
      if (mandate.ids !== null && !mandate.ids.has(earlier.id)) continue;
      const other = this.#storyOf(earlier);
      if (isUnsendable(other.token, mandate, this.#small) || !mandate.takes(other.token)) continue;
      // Who names ids passes over what they don't name.
      if (mandate.ids !== null && !mandate.ids.has(earlier.id)) continue;
      // In another queue it is another group.
      if (mandate.to === null && other.token.home !== story.token.home) continue;
      // Where it goes only the journal of its restoration knows.
      if (this.#restored.has(earlier) && other.token.native) continue;
      if (other.repeatedBy.has(this.actor)) continue;
      if (other.sends.length <= (this.#sentBefore.get(earlier) ?? 0)) {
        this.fail(`${this.actor} sent ${name(story)} before ${name(other)}, which comes first in ${group}`);
      }
    }
  }

  #checkDelete(story: Story, queue: SimulatedQueue, message: StoredMessage): void {
    const mandate = this.#mandates.get(this.actor);
    if (mandate === undefined || queue !== this.#dead) return;
    if (mandate.action === 'read') this.fail(`${this.actor} only looked, and deleted ${name(story)}`);
    const before = story.sends.slice(0, this.#sentBefore.get(message) ?? 0);
    // A copy that an earlier run sent and SQS moved here has an old time, and without an id it may be another message.
    const passesForAnother = !hasId(story.token) && mandate.startedAt !== null && message.sentAt < mandate.startedAt;
    const again = before.some(({ actor }) => actor === this.actor) && !passesForAnother;
    if (mandate.action === 'retry' && !mandate.clockSet() && again) {
      this.fail(`${this.actor} sent ${name(story)} again, which came back during its run`);
    }
    // What another run sent and could not delete is deleted whenever it is met.
    const sent = story.sends.slice(this.#sentBefore.get(message) ?? 0);
    const leftOver = sent.some(({ actor }) => actor !== this.actor) || this.#inArchive(story.token.number, 'dismiss');
    if (mandate.ids !== null && !mandate.ids.has(message.id) && !leftOver) {
      this.fail(`${this.actor} deleted ${name(story)}, whose id was not among those shown`);
    }
  }

  #checkNotLost(story: Story, when: string): void {
    if (story.expired || story.consumed > 0) return;
    for (const count of story.copies.values()) if (count > 0) return;
    if (!this.#inArchive(story.token.number, 'dismiss')) this.fail(`${name(story)} was lost ${when}`);
  }

  #count(story: Story, queue: SimulatedQueue, change: number): void {
    story.copies.set(queue.name, (story.copies.get(queue.name) ?? 0) + change);
  }

  #storyOf(message: StoredMessage): Story {
    const story = this.#stories.get(tokenIn(message.body));
    if (story === undefined) throw new Error(`A message that nobody put here: ${message.body}`);
    return story;
  }
}

function name({ token }: Story): string {
  return `message ${token.number} (${token.shape})`;
}

function whose({ sends, restores }: Story): string {
  return [...sends, ...restores].map(({ actor, queue }) => `${actor} to ${queue}`).join(', ');
}

function text(attributes: Attributes): string {
  return JSON.stringify(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)));
}
