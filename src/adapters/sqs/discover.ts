import type { FindRequest, FoundPlace, FoundQueue, QueueFinder } from '../../model/discover/found.ts';
import type { Reach } from '../../model/doctor/diagnosis.ts';
import { BabelqError, Interrupted } from '../../model/errors.ts';
import { globMatches } from '../../model/filter/glob.ts';
import type { Clock } from '../../model/ports.ts';
import { queueName } from '../../model/queue-name.ts';
import { withoutDlqSuffix } from '../../model/target.ts';
import { checkedEndpoint } from './address.ts';
import { connectSqs } from './aws-client.ts';
import { type ListingClient, SqsCallError } from './client.ts';
import { configuredEndpoint } from './endpoint.ts';
import { type CallSubject, explain, isDenial, placeOf } from './errors.ts';
import { Pacing } from './pacing.ts';
import { readAttributes } from './queue-attributes.ts';

/** Calls side by side: enough for the rate over a slow connection. */
const SIDE_BY_SIDE = 16;
/** A server of one's own doesn't care about regions, but signatures name one. */
const ANY_REGION = 'us-east-1';

/**
 * Looks around in one region, with one profile, at one server. Nothing is called before `find`.
 * @throws BabelqError `config` where the endpoint is no URL
 */
export function openQueueFinder(reach: Reach, deps: { clock: Clock }): QueueFinder {
  if (reach.endpoint !== null) checkedEndpoint(reach.endpoint, '--endpoint');
  return new Finder(reach, deps.clock);
}

class Finder implements QueueFinder {
  #reach: Reach;
  readonly #clock: Clock;
  #client: ListingClient | null = null;

  constructor(reach: Reach, clock: Clock) {
    this.#reach = reach;
    this.#clock = clock;
  }

  async find(request: FindRequest): Promise<FoundPlace> {
    const place: FoundPlace = { reach: this.#reach, where: '', queues: [], untold: [], error: null };
    try {
      await this.#lookAround(place, request);
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      if (error.code === 'RegionMissing' && this.#reach.region === null && (await this.#ownServer())) {
        this.#client?.close();
        this.#client = null;
        this.#reach = { ...this.#reach, region: ANY_REGION };
        return this.find(request);
      }
      place.error =
        error.code === 'RegionMissing'
          ? noRegion(error)
          : explain(error, { ...this.#subject(null), queue: 'the account' });
    }
    place.where = placeOf(this.#subject(place.queues[0]?.arn ?? null));
    return place;
  }

  async close(): Promise<void> {
    this.#client?.close();
  }

  async #ownServer(): Promise<boolean> {
    const { endpoint, profile } = this.#reach;
    return endpoint !== null || (await configuredEndpoint(profile ?? undefined)) !== null;
  }

  async #lookAround(place: FoundPlace, request: FindRequest): Promise<void> {
    const { region, profile, endpoint } = this.#reach;
    this.#client ??= await connectSqs({
      ...(region !== null && { region }),
      ...(profile !== null && { profile }),
      ...(endpoint !== null && { endpoint }),
    });
    const client = this.#client;
    const urls = await this.#listed(client, request);
    const pacing = new Pacing(this.#clock, request.rate);
    let asked = 0;
    const tell = () => request.onProgress?.({ where: placeOf(this.#subject(null)), listed: urls.length, asked });
    await eachOf(urls, request.signal, async (url) => {
      await this.#ask(client, url, pacing, place, request.signal);
      asked += 1;
      tell();
    });
    place.queues.sort((a, b) => (a.name < b.name ? -1 : 1));
    await this.#askSources(client, pacing, place, request);
  }

  async #listed(client: ListingClient, { prefixes, globs, signal, onProgress }: FindRequest): Promise<string[]> {
    const urls = new Set<string>();
    for (const prefix of prefixes.length === 0 ? [''] : prefixes) {
      for await (const page of client.queues(prefix)) {
        for (const url of page) {
          const name = queueName(url);
          if (name !== null && (globs.length === 0 || globs.some((glob) => globMatches(glob, name)))) urls.add(url);
        }
        onProgress?.({ where: placeOf(this.#subject(null)), listed: urls.size, asked: 0 });
        if (signal.aborted) throw new Interrupted();
      }
    }
    return [...urls];
  }

  async #ask(
    client: ListingClient,
    url: string,
    pacing: Pacing,
    place: FoundPlace,
    signal: AbortSignal,
  ): Promise<void> {
    const name = queueName(url) ?? url;
    try {
      const attributes = readAttributes(await pacing.call(() => client.queueAttributes(url), signal), name);
      const { arn, fifo, visible, inFlight, delayed, retentionSeconds, redrivePolicy, redriveAllow, kmsKey } =
        attributes;
      place.queues.push({
        ...{ name, url, arn, exists: true, told: true, fifo, retentionSeconds, redrivePolicy, redriveAllow, kmsKey },
        ...{ visible, inFlight, delayed, deadLetterSources: null },
      });
    } catch (error) {
      if (!(error instanceof SqsCallError)) throw error;
      // Deleted since it was listed.
      if (error.code === 'QueueDoesNotExist') return;
      if (error.trouble !== 'refused' && error.trouble !== 'throttled') throw error;
      const denied = isDenial(error.code);
      place.untold.push({ queue: name, why: denied ? 'sqs:GetQueueAttributes is missing' : error.code });
    }
  }

  /**
   * The queues that dead-letter to a queue are seen in their own RedrivePolicy, unless those weren't listed or may not be asked, or are another account's:
   * then SQS is asked about the other end.
   */
  async #askSources(client: ListingClient, pacing: Pacing, place: FoundPlace, request: FindRequest): Promise<void> {
    const seenAll = request.prefixes.length === 0 && request.globs.length === 0 && place.untold.length === 0;
    const pointed = new Set(place.queues.flatMap(({ redrivePolicy }) => redrivePolicy?.deadLetterTargetArn ?? []));
    const asking = place.queues.filter(
      ({ arn, name, redriveAllow }) =>
        !pointed.has(arn ?? '') && (!seenAll || redriveAllow !== null || withoutDlqSuffix(name) !== null),
    );
    let known = true;
    await eachOf(asking, request.signal, async (queue: FoundQueue) => {
      if (!known) return;
      try {
        const urls = await pacing.call(() => client.deadLetterSources(queue.url ?? ''), request.signal);
        queue.deadLetterSources = urls.map((url) => queueName(url) ?? url);
      } catch (error) {
        if (!(error instanceof SqsCallError)) throw error;
        if (error.trouble !== 'refused') throw error;
        // A server that doesn't know the call, knows it for no queue.
        if (!isDenial(error.code) && error.code !== 'QueueDoesNotExist') known = false;
      }
    });
  }

  #subject(arn: string | null): CallSubject {
    return {
      queue: '',
      region: this.#client?.region ?? this.#reach.region,
      account: arn?.split(':')[4] || null,
      profile: this.#reach.profile ?? process.env.AWS_PROFILE ?? null,
      endpointHost: this.#client?.endpointHost ?? null,
    };
  }
}

function noRegion(cause: SqsCallError): BabelqError {
  return new BabelqError('config', 'No AWS region is known to look in.', {
    hint: 'Give --region eu-central-1 (as often as there are regions to look in), or set AWS_REGION.',
    cause,
  });
}

async function eachOf<T>(all: readonly T[], signal: AbortSignal, work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let one = all[next++]; one !== undefined; one = all[next++]) {
      if (signal.aborted) throw new Interrupted();
      await work(one);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, all.length) }, worker));
}
