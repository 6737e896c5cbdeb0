import type { BabelqError } from '../errors.ts';
import type { PermissionName } from './permissions.ts';

/**
 * What sources and the journal found out about themselves without changing or receiving anything: facts only. What is
 * wrong about them is for the rules beside this file to say.
 */

/** How a source's service is reached, as the configuration says; null for what the AWS SDK's own chain finds. */
export interface Reach {
  region: string | null;
  profile: string | null;
  endpoint: string | null;
}

export interface RedriveAllow {
  permission: 'allowAll' | 'denyAll' | 'byQueue';
  /** Of `byQueue`. */
  sourceArns: string[];
}

/** A queue as its attributes tell of it; null for what isn't told. */
export interface QueueState {
  name: string;
  /** Null where the queue wasn't found. */
  url: string | null;
  arn: string | null;
  /** False where it is known not to exist. */
  exists: boolean;
  /** False where its attributes could not be asked for: they are all null then, and mean nothing. */
  told: boolean;
  fifo: boolean;
  retentionSeconds: number | null;
  redrivePolicy: { deadLetterTargetArn: string; maxReceiveCount: number } | null;
  redriveAllow: RedriveAllow | null;
  /** The KMS key's id, ARN or alias; null where SQS encrypts by a key of its own, or not at all. */
  kmsKey: string | null;
}

/** `ok`: certainly allowed. `denied`: certainly not. `unknown`: no harmless call tells; `detail` says why. */
export interface Probe {
  permission: PermissionName;
  /** The queue that it was asked about. */
  queue: string;
  /** What a policy names: the queue's ARN, or its key's. */
  resource: string | null;
  answer: 'ok' | 'denied' | 'unknown';
  detail: string | null;
  /** Who was denied, as AWS says. */
  principal: string | null;
}

/** A KMS key that can't be used though nothing is denied: disabled, deleted. */
export interface KeyTrouble {
  queue: string;
  key: string | null;
  /** KMS's own code. */
  code: string;
}

export interface SqsDiagnosis {
  kind: 'sqs';
  reach: Reach;
  /** The dead-letter queue's name. */
  name: string;
  /** The same for everyone who configures this queue by another name; null where it wasn't found. */
  place: string | null;
  /** Where it is, in words: `eu-central-1, account 123456789012`. */
  where: string;
  /** The host that answered, where it isn't AWS's: it may leave out what AWS tells. Null for AWS, and before an answer. */
  server: string | null;
  /** Why nothing more is known. */
  trouble: BabelqError | null;
  queue: QueueState | null;
  /** The queues whose RedrivePolicy points here; null where that couldn't be asked. */
  redriveSources: QueueState[] | null;
  /** The queue of the same name without its suffix; null where the name has none. */
  named: QueueState | null;
  /** What `redrive_to` of the configuration names. */
  redriveTo: QueueState | null;
  probes: Probe[];
  keys: KeyTrouble[];
  /** How far this machine's clock is ahead of the server's; null where it didn't say. */
  clockAheadMs: number | null;
}

export interface JadpoDiagnosis {
  kind: 'jadpo';
  table: string;
  trouble: BabelqError | null;
  /** What has no column of its own, by the names that `columns:` takes; the needed ones are in `trouble`. */
  unmapped: string[];
  /** Columns of the table that mean nothing to babelq. */
  unused: string[];
  /** Whether there is a column for the time of the status: without it nothing can be dismissed. */
  statusTime: boolean;
  /** The database can only be read by this user. */
  readOnly: boolean;
  pending: number;
  /** The longest that a row has been pending (ISO 8601); null where that isn't known. */
  pendingSince: string | null;
  /** What must be known of rows that can't be shown. */
  notes: string[];
}

export type SourceDiagnosis = SqsDiagnosis | JadpoDiagnosis;

export interface JournalDiagnosis {
  /** For a person: a path, or a database's URL without its password. */
  location: string;
  exists: boolean;
  /** Why it can't be used; null where it can, or where it would be made. */
  trouble: BabelqError | null;
  /** The file system that it lies on where that is a network's: `NFS`; null where it isn't, or isn't known. */
  network: string | null;
  /** It lies where the system deletes files by itself. */
  temporary: boolean;
  /** Permission bits of the file and of its folder; null where there are none to look at. */
  mode: number | null;
  folderMode: number | null;
}

/** What `--sample` saw by receiving. */
export interface Sample {
  seen: number;
  about: number | null;
  complete: boolean;
  /** Nothing was seen, and everything is hidden by somebody. */
  inFlight: number | null;
  oldestSentAt: string | null;
  soonestExpiry: string | null;
  /** How many would go nowhere, and why, in the words of the first. */
  untargeted: { count: number; why: string; id: string } | null;
  trouble: BabelqError | null;
}
