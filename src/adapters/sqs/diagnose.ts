import type { Probe, QueueState, SqsDiagnosis } from '../../model/doctor/diagnosis.ts';
import { BabelqError, Interrupted } from '../../model/errors.ts';
import type { DiagnoseRequest } from '../../model/ports.ts';
import { parseQueue } from '../../model/queue-name.ts';
import { withoutDlqSuffix } from '../../model/target.ts';
import { type QueueAddress, readAddress } from './address.ts';
import { SqsCallError, type SqsClient } from './client.ts';
import { type Connect, Connections, type QueueOptions } from './connections.ts';
import { type CallSubject, explain, isDenied, placeOf } from './errors.ts';
import { journalPlace, supposedArn } from './place.ts';
import { allowed, deniedBy, type Probed, probeDeadLetterQueue, probeTarget, tried } from './probes.ts';
import { readAttributes } from './queue-attributes.ts';

/** More queues around a shared dead-letter queue than this are not looked at one by one. */
const MOST_AROUND = 20;

/**
 * Finds out all that can be known of a dead-letter queue and of the queues around it, by calls that change and receive
 * nothing; one that is refused doesn't stop the others.
 */
export async function diagnoseQueue(
  options: QueueOptions,
  redriveTo: string | null,
  request: DiagnoseRequest,
  connect?: Connect,
): Promise<SqsDiagnosis> {
  const connections = new Connections(options, connect);
  try {
    return await new Diagnosing(options, connections, request).diagnose(redriveTo);
  } finally {
    await connections.close();
  }
}

class Diagnosing {
  readonly #connections: Connections;
  readonly #options: QueueOptions;
  readonly #request: DiagnoseRequest;
  readonly #probed: Probed = { probes: [], keys: [] };

  constructor(options: QueueOptions, connections: Connections, request: DiagnoseRequest) {
    this.#options = options;
    this.#connections = connections;
    this.#request = request;
  }

  async diagnose(redriveTo: string | null): Promise<SqsDiagnosis> {
    const { address } = this.#connections;
    const client = await this.#connections.to(address);
    const { region = null, profile = null, endpoint = null } = this.#options;
    const found: SqsDiagnosis = {
      kind: 'sqs',
      reach: { region: region ?? address.region, profile, endpoint: endpoint ?? address.endpoint },
      name: address.name,
      place: null,
      where: '',
      server: null,
      trouble: null,
      queue: null,
      redriveSources: null,
      named: null,
      redriveTo: null,
      ...this.#probed,
      clockAheadMs: null,
    };
    const subject = (): CallSubject => ({
      queue: address.name,
      region: client.region ?? address.region ?? region,
      account: found.queue?.arn?.split(':')[4] ?? address.account,
      profile: this.#connections.profile,
      endpointHost: client.endpointHost ?? null,
    });
    try {
      found.queue = await this.#stateOf(address, client);
      if (found.queue.url !== null) await this.#lookAround(found, found.queue, client, redriveTo);
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      found.trouble = explain(error, subject());
    }
    found.probes = distinct(found.probes);
    const { queue } = found;
    found.where = placeOf(subject());
    found.server = client.endpointHost ?? null;
    if (queue !== null && queue.arn !== null && queue.exists) found.place = journalPlace(queue.arn, client);
    found.clockAheadMs = client.clockAheadMs ?? null;
    return found;
  }

  async #lookAround(
    found: SqsDiagnosis,
    queue: QueueState,
    client: SqsClient,
    redriveTo: string | null,
  ): Promise<void> {
    const name = withoutDlqSuffix(queue.name);
    const beside = { region: null, account: queue.arn?.split(':')[4] || null, endpoint: null, url: null };
    const look = async (address: QueueAddress) => {
      const itsClient = await this.#connections.to(address);
      return { client: itsClient, state: await this.#tryState(address, itsClient) };
    };
    const [sources, named, configured] = await Promise.all([
      this.#redriveSources(queue, client),
      name === null ? null : look({ ...beside, name }),
      redriveTo === null ? null : look(readAddress(redriveTo)),
    ]);
    found.redriveSources = sources;
    found.named = named?.state ?? null;
    found.redriveTo = configured?.state ?? null;
    const targets =
      configured !== null
        ? [configured]
        : [...(sources ?? []).map((state) => ({ client, state })), ...(named === null ? [] : [named])];
    await this.#probe(queue, client, targets);
  }

  async #probe(
    queue: QueueState,
    client: SqsClient,
    targets: readonly { client: SqsClient; state: QueueState }[],
  ): Promise<void> {
    const { received } = this.#request;
    const thrown = received instanceof BabelqError && received.cause instanceof SqsCallError ? received.cause : null;
    const cause = thrown?.call === 'ReceiveMessage' ? thrown : null;
    const seen = new Set([queue.name]);
    const distinct = targets.filter(
      ({ state: { exists, url, name } }) => exists && url !== null && !seen.has(name) && seen.add(name),
    );
    const all = await Promise.all([
      probeDeadLetterQueue({ client, queue }, received === 'ok' ? 'ok' : cause),
      ...distinct.map(({ client: itsClient, state }) => probeTarget({ client: itsClient, queue: state })),
    ]);
    for (const one of all) this.#add(one);
  }

  /** Null where it couldn't be asked. */
  async #redriveSources(queue: QueueState, client: SqsClient): Promise<QueueState[] | null> {
    let urls: string[] | null = null;
    const probed = await tried(
      'sqs:ListDeadLetterSourceQueues',
      queue,
      async () => {
        urls = await client.deadLetterSources(queue.url ?? '');
      },
      () => 'this server has no ListDeadLetterSourceQueues',
      'allowed',
    );
    this.#add(probed);
    if (urls === null) return null;
    const some = (urls as string[]).slice(0, MOST_AROUND);
    return Promise.all(some.map((url) => this.#tryState(addressOf(url), client)));
  }

  /** One that can't be asked is told as far as it is known. */
  async #tryState(address: QueueAddress, client: SqsClient): Promise<QueueState> {
    try {
      return await this.#stateOf(address, client);
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      return { ...nothingOf(address.name), exists: error.code !== 'QueueDoesNotExist' };
    }
  }

  /** @throws SqsCallError where it isn't there, or can't be asked at all */
  async #stateOf(address: QueueAddress, client: SqsClient): Promise<QueueState> {
    const state = nothingOf(address.name);
    const url = address.url ?? (await this.#urlOf(address, client));
    if (url === null) return state;
    const region = client.region ?? address.region ?? this.#options.region ?? '';
    const arn = supposedArn(address, url, region);
    const asked = { ...state, url, arn };
    let attributes: Record<string, string> | null = null;
    try {
      attributes = await client.queueAttributes(url);
    } catch (error) {
      if (!isDenied(error)) throw error;
      this.#add(deniedBy(error, 'sqs:GetQueueAttributes', asked));
      return asked;
    }
    const read = readAttributes(attributes, address.name);
    const { fifo, retentionSeconds, redrivePolicy, redriveAllow, kmsKey } = read;
    const settings = { fifo, retentionSeconds, redrivePolicy, redriveAllow, kmsKey };
    const told = { ...asked, arn: read.arn ?? arn, told: true, ...settings };
    this.#add(allowed('sqs:GetQueueAttributes', told));
    return told;
  }

  /** Null where that may not be asked: what follows needs it. */
  async #urlOf(address: QueueAddress, client: SqsClient): Promise<string | null> {
    const account = address.account ?? undefined;
    const queue = { name: address.name, url: null, arn: null, kmsKey: null };
    try {
      const url = await client.queueUrl(address.name, account);
      this.#add(allowed('sqs:GetQueueUrl', queue));
      return url;
    } catch (error) {
      if (!isDenied(error)) throw error;
      this.#add(deniedBy(error, 'sqs:GetQueueUrl', queue));
      return null;
    }
  }

  #add({ probes, keys }: Probed): void {
    this.#probed.probes.push(...probes);
    this.#probed.keys.push(...keys);
    if (this.#request.signal.aborted) throw new Interrupted();
  }
}

/** Of a queue's URL as SQS gave it. */
function addressOf(url: string): QueueAddress {
  return { account: null, region: null, endpoint: null, name: url, ...parseQueue(url), url };
}

function nothingOf(name: string): QueueState {
  return {
    name,
    url: null,
    arn: null,
    exists: true,
    told: false,
    fifo: name.endsWith('.fifo'),
    retentionSeconds: null,
    redrivePolicy: null,
    redriveAllow: null,
    kmsKey: null,
  };
}

/** A queue that plays several parts is asked several times. */
function distinct(probes: readonly Probe[]): Probe[] {
  const seen = new Set<string>();
  return probes.filter(
    ({ permission, queue }) => !seen.has(`${permission} ${queue}`) && seen.add(`${permission} ${queue}`),
  );
}
