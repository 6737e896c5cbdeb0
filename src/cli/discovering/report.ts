import type { DiscoveredQueue, Evidence, FoundPlace } from '../../model/discover/found.ts';
import type { Reach, Sample } from '../../model/doctor/diagnosis.ts';
import { withHint } from '../../model/errors.ts';
import type { SourceFacts } from '../../model/ports.ts';

/** A source that was found, as the JSON document has it. */
export interface DiscoveredSource {
  name: string;
  kind: 'sqs' | 'jadpo';
  /** The queue's name, or the table. */
  queue: string;
  /** The queue's URL; null for a database, whose address may hold a password. */
  url: string | null;
  region: string | null;
  profile: string | null;
  endpoint: string | null;
  evidence: (Evidence | 'table')[];
  redrive_sources: string[];
  redrive_to: string | null;
  fifo: boolean | null;
  visible: number | null;
  in_flight: number | null;
  delayed: number | null;
  retention_seconds: number | null;
  /** With --sample: of how many the times are. */
  sampled: number | null;
  oldest_sent_at: string | null;
  soonest_expires_at: string | null;
  note: string | null;
}

/** Where was looked, and what could not be seen there. */
export interface LookedPlace {
  region: string | null;
  profile: string | null;
  endpoint: string | null;
  where: string;
  queues: number;
  untold: { queue: string; why: string }[];
  error: string | null;
}

export interface DiscoverReport {
  sources: DiscoveredSource[];
  places: LookedPlace[];
  /** The configuration for them; null where nothing was found. */
  config: string | null;
  /** The file that it was written to. */
  written: string | null;
}

/** @param sample what `--sample` saw of it; null where it wasn't received from */
export function sourceOfQueue(found: DiscoveredQueue, sample: Sample | null): DiscoveredSource {
  const { name, queue, place, evidence, sources, redriveTo, note } = found;
  const { region, profile, endpoint } = place.reach;
  const trouble = sample?.trouble ?? null;
  return {
    name,
    kind: 'sqs',
    queue: queue.name,
    url: queue.url,
    region,
    profile,
    endpoint,
    evidence,
    redrive_sources: sources,
    redrive_to: redriveTo,
    fifo: queue.fifo,
    visible: queue.visible,
    in_flight: queue.inFlight,
    delayed: queue.delayed,
    retention_seconds: queue.retentionSeconds,
    sampled: sample === null || trouble !== null ? null : sample.seen,
    oldest_sent_at: sample?.oldestSentAt ?? null,
    soonest_expires_at: sample?.soonestExpiry ?? null,
    note: trouble === null ? note : `could not be sampled: ${trouble.message}`,
  };
}

/** @param name as it is unique among what was found */
export function sourceOfTable(facts: SourceFacts, name: string): DiscoveredSource {
  return {
    name,
    kind: 'jadpo',
    queue: facts.queue,
    url: null,
    region: null,
    profile: null,
    endpoint: null,
    evidence: ['table'],
    redrive_sources: [],
    redrive_to: null,
    fifo: null,
    visible: facts.visible,
    in_flight: facts.in_flight,
    delayed: facts.delayed,
    retention_seconds: null,
    sampled: null,
    oldest_sent_at: null,
    soonest_expires_at: null,
    note: null,
  };
}

/** Where was looked, as the JSON document has it. */
export function lookedAt({ reach, where, queues, untold, error }: FoundPlace): LookedPlace {
  const said = error === null ? null : withHint(error);
  return { ...reach, where, queues: queues.length + untold.length, untold, error: said };
}

/**
 * What of a place has to stand in the file: what the environment says anyway needn't.
 * @param env of this process, which later ones are taken to share
 */
export function neededOf(reach: Reach, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const { region, profile, endpoint } = reach;
  return {
    ...(region !== null && region !== env.AWS_REGION && { region }),
    ...(profile !== null && profile !== env.AWS_PROFILE && { profile }),
    ...(endpoint !== null && { endpoint }),
  };
}
