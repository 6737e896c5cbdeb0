import type { Attributes } from '../../../src/model/failure.ts';
import { messageSize } from '../../../src/model/size.ts';
import type { VirtualTime } from './clock.ts';
import type { Random } from './random.ts';

export interface QueueSettings {
  fifo: boolean;
  visibilitySeconds: number;
  retentionSeconds: number;
  delaySeconds: number;
  maximumMessageSize: number;
  /** How many messages may be in flight; SQS lets about 120,000. */
  inFlightLimit: number;
  redrive: { target: SimulatedQueue; maxReceiveCount: number } | null;
}

/** What SQS may do and rarely does, each by its probability. */
export interface Quirks {
  /** A receive that looks at some of the servers only: it brings fewer than there are, or none. */
  sampling: number;
  /** Standard: a receive that also brings a message that somebody else holds. */
  duplicates: number;
  /** Standard: a deleted message comes once more, since a server that kept a copy missed the delete. */
  ghosts: number;
  /** Standard: a handle that isn't the newest one deletes all the same. */
  oldHandlesDelete: number;
}

export const NO_QUIRKS: Quirks = { sampling: 0, duplicates: 0, ghosts: 0, oldHandlesDelete: 0 };

export interface StoredMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes: Attributes;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
  readonly traceHeader: string | undefined;
  readonly sequence: number;
  /** SentTimestamp: when the first queue took it in, also after SQS's own move on a standard queue. */
  readonly sentAt: number;
  readonly sourceArn: string | undefined;
  receiveCount: number;
  firstReceivedAt: number | undefined;
  receivedAt: number;
  visibleAt: number;
  /** Counts the receives: a handle with another number is an old one. */
  receipt: number;
  /** Deleted already, and only still given out because a server missed it. */
  ghost: boolean;
}

export interface NewMessage {
  body: string;
  attributes?: Attributes;
  groupId?: string;
  deduplicationId?: string;
  traceHeader?: string;
}

/** #x9, #xA, #xD, #x20 to #xD7FF, #xE000 to #xFFFD, and all beyond #xFFFF. [aws] */
const ALLOWED = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;

/** What happened on a queue, told right after. */
export type QueueEvent =
  | { kind: 'sent' | 'deduplicated' | 'deleted' | 'ghost' | 'expired'; message: StoredMessage }
  /** `again`: somebody had it in flight already. */
  | { kind: 'received'; message: StoredMessage; again: boolean }
  /** SQS's own move by the RedrivePolicy: `message` is the copy on the dead-letter queue. */
  | { kind: 'moved'; message: StoredMessage; from: SimulatedQueue };

export type Refused = { code: string; message: string };

const DEDUPLICATION_MS = 5 * 60_000;
const LONGEST_HIDDEN_MS = 12 * 3_600_000;
const EXPIRED: Refused = { code: 'ReceiptHandleIsInvalid', message: 'The receipt handle has expired' };

/**
 * One queue as SQS keeps it, and nothing of its calls. It acts at once and never fails but as SQS itself would; what gets
 * lost on the way to it is the client's. [aws] where the developer guide and the API reference say so.
 */
export class SimulatedQueue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly settings: QueueSettings;
  quirks: Quirks = NO_QUIRKS;
  /** Called after every change. */
  onEvent: (event: QueueEvent, queue: SimulatedQueue) => void = () => {};
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #deduplicated = new Map<string, { at: number; message: StoredMessage }>();
  #messages: StoredMessage[] = [];
  #sequence = 0;
  readonly #waiting = new Set<() => void>();

  constructor(name: string, arn: string, url: string, settings: QueueSettings, time: VirtualTime, random: Random) {
    this.name = name;
    this.arn = arn;
    this.url = url;
    this.settings = settings;
    this.#time = time;
    this.#random = random;
  }

  /** What lies here, ghosts apart, in the order it came. */
  get messages(): StoredMessage[] {
    return this.#messages.filter(({ ghost }) => !ghost);
  }

  get inFlight(): StoredMessage[] {
    return this.#messages.filter((message) => this.#isInFlight(message));
  }

  /** FIFO: the same deduplication id within five minutes is accepted, answered with the first one's id, and dropped. [aws] */
  send(entry: NewMessage): StoredMessage | Refused {
    const refused = this.#refusal(entry);
    if (refused !== null) return refused;
    const now = this.#time.now();
    if (entry.deduplicationId !== undefined) {
      const earlier = this.#deduplicated.get(entry.deduplicationId);
      if (earlier !== undefined && now - earlier.at < DEDUPLICATION_MS) {
        this.onEvent({ kind: 'deduplicated', message: earlier.message }, this);
        return earlier.message;
      }
    }
    const message = this.#store(entry, { id: this.#random.uuid(), sentAt: now, sourceArn: undefined, receiveCount: 0 });
    message.visibleAt = now + this.settings.delaySeconds * 1000;
    if (entry.deduplicationId !== undefined) this.#deduplicated.set(entry.deduplicationId, { at: now, message });
    this.onEvent({ kind: 'sent', message }, this);
    this.#wake();
    return message;
  }

  /**
   * What can be given out now, at most `max`, hidden for `visibilitySeconds`.
   * @returns null where the queue has all in flight that it may have
   */
  receive(max: number, visibilitySeconds: number): { message: StoredMessage; handle: string }[] | null {
    this.expire();
    const room = this.settings.inFlightLimit - this.inFlight.length;
    if (room <= 0) return null;
    const wanted = Math.min(max, room, this.#sampled(max));
    const chosen = this.settings.fifo ? this.#choosePerGroup(wanted) : this.#chooseAny(wanted);
    const now = this.#time.now();
    const given: { message: StoredMessage; handle: string }[] = [];
    for (const message of chosen) {
      const { redrive } = this.settings;
      if (redrive !== null && message.receiveCount >= redrive.maxReceiveCount) {
        this.#moveTo(redrive.target, message);
        continue;
      }
      const again = this.#isInFlight(message);
      message.receiveCount += 1;
      message.receipt += 1;
      message.firstReceivedAt ??= now;
      message.receivedAt = now;
      message.visibleAt = now + visibilitySeconds * 1000;
      given.push({ message, handle: `${message.id}#${message.receipt}` });
      this.onEvent({ kind: 'received', message, again }, this);
    }
    return given;
  }

  /** An old handle "succeeds" on a standard queue and deletes nothing; FIFO refuses it, and an expired one too. [aws] */
  delete(handle: string): Refused | null {
    this.expire();
    const found = this.#find(handle);
    if (found === 'invalid') return invalidHandle(handle);
    if (found === 'gone') return null;
    const { message, newest } = found;
    if (this.settings.fifo) {
      if (!newest || !this.#isInFlight(message)) return EXPIRED;
    } else if (!newest && !this.#random.chance(this.quirks.oldHandlesDelete)) return null;
    if (message.ghost || !this.#random.chance(this.settings.fifo ? 0 : this.quirks.ghosts)) {
      this.#remove(message);
      if (!message.ghost) this.onEvent({ kind: 'deleted', message }, this);
      return null;
    }
    message.ghost = true;
    this.onEvent({ kind: 'deleted', message }, this);
    this.onEvent({ kind: 'ghost', message }, this);
    return null;
  }

  /** Counted from now, for a message in flight and its newest handle only; twelve hours from the receive at most. [aws] */
  changeVisibility(handle: string, seconds: number): Refused | null {
    const found = this.#find(handle);
    if (found === 'invalid') return invalidHandle(handle);
    if (found === 'gone' || !found.newest || !this.#isInFlight(found.message)) {
      return {
        code: 'InvalidParameterValue',
        message: 'Reason: Message does not exist or is not available for visibility timeout change.',
      };
    }
    const until = this.#time.now() + seconds * 1000;
    if (until > found.message.receivedAt + LONGEST_HIDDEN_MS) {
      return {
        code: 'InvalidParameterValue',
        message: 'Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds].',
      };
    }
    found.message.visibleAt = until;
    if (seconds === 0) this.#wake();
    return null;
  }

  /** Resolves when something may have become visible, or after `ms`. */
  changed(ms: number): Promise<void> {
    const now = this.#time.now();
    let next = now + ms;
    for (const { visibleAt } of this.#messages) if (visibleAt > now && visibleAt < next) next = visibleAt;
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        this.#waiting.delete(wake);
        resolve();
      };
      const cancel = this.#time.after(next - now, wake);
      this.#waiting.add(wake);
    });
  }

  /** Lets go of what is older than the retention period. */
  expire(): void {
    const oldest = this.#time.now() - this.settings.retentionSeconds * 1000;
    const gone = this.#messages.filter(({ sentAt }) => sentAt <= oldest);
    if (gone.length === 0) return;
    this.#messages = this.#messages.filter(({ sentAt }) => sentAt > oldest);
    for (const message of gone) if (!message.ghost) this.onEvent({ kind: 'expired', message }, this);
  }

  /** Puts a message here with a history: as SQS's own move does, and as a test's beginning needs it. */
  place(entry: NewMessage, facts: Partial<Pick<StoredMessage, 'id' | 'sentAt' | 'sourceArn' | 'receiveCount'>> = {}) {
    const message = this.#store(entry, {
      id: facts.id ?? this.#random.uuid(),
      sentAt: facts.sentAt ?? this.#time.now(),
      sourceArn: facts.sourceArn,
      receiveCount: facts.receiveCount ?? 0,
    });
    this.#wake();
    return message;
  }

  counts(): { visible: number; inFlight: number; delayed: number } {
    this.expire();
    const now = this.#time.now();
    const inFlight = this.inFlight.filter(({ ghost }) => !ghost).length;
    const delayed = this.messages.filter(({ receipt, visibleAt }) => receipt === 0 && visibleAt > now).length;
    return { visible: this.messages.length - inFlight - delayed, inFlight, delayed };
  }

  #isInFlight({ receipt, visibleAt }: StoredMessage): boolean {
    return receipt > 0 && visibleAt > this.#time.now();
  }

  #sampled(max: number): number {
    return this.#random.chance(this.quirks.sampling) ? this.#random.between(0, max) : max;
  }

  /** Standard: any order, nobody's own. */
  #chooseAny(wanted: number): StoredMessage[] {
    const now = this.#time.now();
    const chosen = this.#random.shuffled(this.#messages.filter(({ visibleAt }) => visibleAt <= now)).slice(0, wanted);
    if (chosen.length < wanted && this.#random.chance(this.quirks.duplicates)) {
      const held = this.#messages.filter((message) => this.#isInFlight(message) && !chosen.includes(message));
      if (held.length > 0) chosen.push(this.#random.pick(held));
    }
    return chosen;
  }

  /** FIFO: in order, and none of a group of which one is in flight; several of one group may come together. [aws] */
  #choosePerGroup(wanted: number): StoredMessage[] {
    const now = this.#time.now();
    const blocked = new Set(this.inFlight.map(({ groupId }) => groupId));
    const chosen: StoredMessage[] = [];
    for (const message of this.#messages) {
      if (chosen.length === wanted) break;
      if (blocked.has(message.groupId)) continue;
      // One that is delayed holds its group back too, or it would be overtaken.
      if (message.visibleAt > now) blocked.add(message.groupId);
      else chosen.push(message);
    }
    return chosen;
  }

  /** A standard queue keeps the time of the first enqueueing, on FIFO the clock starts again. [aws] */
  #moveTo(target: SimulatedQueue, message: StoredMessage): void {
    this.#remove(message);
    if (message.ghost) return;
    const { id, body, attributes, groupId, deduplicationId, traceHeader } = message;
    const entry = { body, attributes, ...(groupId !== undefined && { groupId }) };
    const copy = target.place(
      { ...entry, ...(deduplicationId !== undefined && { deduplicationId }), ...(traceHeader && { traceHeader }) },
      { id, sentAt: this.settings.fifo ? this.#time.now() : message.sentAt, sourceArn: this.arn },
    );
    target.onEvent({ kind: 'moved', message: copy, from: this }, target);
  }

  #store(entry: NewMessage, facts: Pick<StoredMessage, 'id' | 'sentAt' | 'sourceArn' | 'receiveCount'>): StoredMessage {
    const message: StoredMessage = {
      ...facts,
      body: entry.body,
      attributes: entry.attributes ?? {},
      groupId: entry.groupId,
      deduplicationId: entry.deduplicationId,
      traceHeader: entry.traceHeader,
      sequence: ++this.#sequence,
      firstReceivedAt: undefined,
      receivedAt: 0,
      visibleAt: this.#time.now(),
      receipt: 0,
      ghost: false,
    };
    this.#messages.push(message);
    return message;
  }

  #find(handle: string): { message: StoredMessage; newest: boolean } | 'gone' | 'invalid' {
    const [id, receipt, rest] = handle.split('#');
    if (!/^[0-9a-f-]{36}$/.test(id ?? '') || !/^\d+$/.test(receipt ?? '') || rest !== undefined) return 'invalid';
    const message = this.#messages.find((one) => one.id === id);
    return message === undefined ? 'gone' : { message, newest: message.receipt === Number(receipt) };
  }

  #remove(message: StoredMessage): void {
    this.#messages.splice(this.#messages.indexOf(message), 1);
    // A FIFO group that was blocked by it goes on.
    if (this.settings.fifo) this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #refusal({ body, attributes = {}, groupId, deduplicationId }: NewMessage): Refused | null {
    const invalid = (message: string): Refused => ({ code: 'InvalidParameterValue', message });
    if (body === '')
      return { code: 'MissingParameter', message: 'The request must contain the parameter MessageBody.' };
    if (!ALLOWED.test(body)) {
      return { code: 'InvalidMessageContents', message: 'Invalid characters were found in the message body.' };
    }
    const names = Object.keys(attributes);
    if (names.length > 10) return invalid('Number of message attributes exceeds the allowed maximum (10).');
    for (const name of names) {
      const { type, value } = attributes[name] as { type: string; value: string };
      if (!/^(String|Number|Binary)(\.|$)/.test(type))
        return invalid(`The type of message attribute '${name}' is invalid.`);
      if (value === '') return invalid(`Message attribute '${name}' must contain a non-empty value.`);
    }
    if (messageSize(body, attributes) > this.settings.maximumMessageSize) {
      return invalid(`Message must be shorter than ${this.settings.maximumMessageSize} bytes.`);
    }
    if (this.settings.fifo && groupId === undefined) {
      return { code: 'MissingParameter', message: 'The request must contain the parameter MessageGroupId.' };
    }
    if (this.settings.fifo && deduplicationId === undefined) {
      return invalid(
        'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided.',
      );
    }
    if (!this.settings.fifo && deduplicationId !== undefined) {
      return invalid('The request includes a parameter that is not valid for this queue type.');
    }
    return null;
  }
}

function invalidHandle(handle: string): Refused {
  return {
    code: 'ReceiptHandleIsInvalid',
    message: `The input receipt handle "${handle}" is not a valid receipt handle.`,
  };
}
