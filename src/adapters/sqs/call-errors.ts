import { type CallTrouble, SqsCallError } from './client.ts';

/** The members of the SDK's and Node's errors that tell what happened. */
interface Thrown {
  name?: string;
  message?: string;
  code?: string;
  syscall?: string;
  $fault?: string;
  $metadata?: { httpStatusCode?: number };
  $retryable?: { throttling?: boolean };
}

const THROTTLING =
  /^(?:RequestThrottled|RequestThrottledException|Throttling|ThrottlingException|ThrottledException|TooManyRequestsException|RequestLimitExceeded|LimitExceededException|BandwidthLimitExceeded|SlowDown|KmsThrottled|KMS\.ThrottlingException)$/;
/** Thrown before any request was made. */
const BEFORE_REQUEST = /^(?:CredentialsProviderError|TokenProviderError|ProviderError)$/;
const NAME_LOOKUP = new Set(['ENOTFOUND', 'EAI_AGAIN']);
/** The certificate wasn't accepted, so nothing was sent. */
const CERTIFICATE = /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|ERR_TLS_CERT)/;
/** The connection time-out of the SDK's HTTP handler has no code, only its words. */
const NO_CONNECTION = /did not establish a connection/;

/** Whether a server's certificate wasn't accepted. */
export function isCertificateTrouble(code: string): boolean {
  return CERTIFICATE.test(code);
}

/** Tells what a call that threw in the SDK came to: only what surely didn't happen is anything but `no_answer`. */
export function toCallError(call: string, thrown: unknown): SqsCallError {
  if (thrown instanceof SqsCallError) return thrown;
  const error: Thrown = thrown instanceof Error ? (thrown as Thrown) : { message: String(thrown) };
  return new SqsCallError(call, troubleOf(error, thrown), codeOf(error), oneLine(error.message ?? ''), thrown);
}

function troubleOf(error: Thrown, thrown: unknown): CallTrouble {
  const { name = '', code = '', message = '' } = error;
  const status = error.$metadata?.httpStatusCode;
  if (BEFORE_REQUEST.test(name) || isRegionMissing(error)) return 'refused';
  if (status === 429 || error.$retryable?.throttling === true || THROTTLING.test(name)) return 'throttled';
  // 408 and 5xx: the server took the request and may have done it. An answer of 2xx that couldn't be read: it did it.
  if (status !== undefined) return status >= 300 && status < 500 && status !== 408 ? 'refused' : 'no_answer';
  if (error.syscall === 'connect' || NAME_LOOKUP.has(code) || isCertificateTrouble(code)) return 'unreachable';
  // Node tries a host's addresses one after the other, and throws what came of each together.
  if (thrown instanceof AggregateError && code !== '') return 'unreachable';
  return NO_CONNECTION.test(message) ? 'unreachable' : 'no_answer';
}

function codeOf(error: Thrown): string {
  if (isRegionMissing(error)) return 'RegionMissing';
  const name = error.name ?? '';
  if (error.code !== undefined && (name === '' || name === 'Error' || name === 'TimeoutError')) return error.code;
  const code = name.replace(/^AWS\.SimpleQueueService\./, '');
  if (code === 'NonExistentQueue') return 'QueueDoesNotExist';
  const status = error.$metadata?.httpStatusCode;
  if (error.$fault === undefined && status !== undefined) return `HTTP ${status}`;
  return code === '' || code === 'Unknown' || code === 'UnknownError' ? `HTTP ${status ?? '?'}` : code;
}

function isRegionMissing({ message = '' }: Thrown): boolean {
  // Not accepted: AWS_REGION is set and empty, say.
  return message === 'Region is missing' || message.startsWith('Region not accepted');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300);
}
