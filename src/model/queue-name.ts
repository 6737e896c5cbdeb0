/** A queue as somebody named it: its name, and where that says so its account and region. */
export interface QueueReference {
  readonly name: string;
  readonly region: string | null;
  readonly account: string | null;
}

const NAME = /^(?=.{1,80}$)[A-Za-z0-9_-]+(?:\.fifo)?$/;
const ARN = /^arn:[a-z0-9-]+:sqs:([a-z0-9-]*):([0-9]*):([^:/]+)$/;
/** Scheme, user, host, port; path; the rest. */
const URL_PARTS = /^https?:\/\/(?:[^/?#]*@)?(\[[^\]/?#@]+\]|[^/?#@:[\]]+)(?::[0-9]*)?(\/[^?#]*)?/i;
/** `sqs.<region>.`, `sqs-fips.<region>.`, `vpce-….sqs.<region>.vpce.`, and the old `<region>.queue.` */
const REGION_IN_HOST =
  /^(?:(?:vpce-[a-z0-9-]+\.)?sqs(?:-fips)?|queue)[.-]([a-z]{2,}(?:-[a-z]+)+-[0-9]+)\.|^([a-z]{2,}(?:-[a-z]+)+-[0-9]+)\.queue\./;

/**
 * Reads a queue's name, URL or ARN; undefined where it is none of these. Only the name of it is for use where it came
 * out of a message: a URL there is somebody's text, and a signed request goes where a queue's URL says.
 * A queue's name has letters, digits, `-` and `_`, at most 80 of them, `.fifo` at the end included.
 */
export function parseQueue(text: string): QueueReference | undefined {
  const arn = ARN.exec(text);
  if (arn !== null) return named(arn[3], arn[1] || null, arn[2] || null);
  if (!/^https?:\/\//i.test(text)) return named(text, null, null);
  // Some servers' own URLs are none to the WHATWG: LocalStack says `http://sqs.us-east-1.127.0.0.1:4566/…`.
  const [, hostname, path] = URL_PARTS.exec(text) ?? [];
  if (hostname === undefined || path === undefined) return undefined;
  const [name, account] = path.split('/').filter(Boolean).reverse();
  const host = REGION_IN_HOST.exec(hostname.toLowerCase());
  const region = host?.[1] ?? host?.[2] ?? null;
  return named(name, region, account !== undefined && /^[0-9]+$/.test(account) ? account : null);
}

/** The name in a queue's name, URL or ARN; null where there is none. */
export function queueName(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : (parseQueue(text)?.name ?? null);
}

function named(name: string | undefined, region: string | null, account: string | null): QueueReference | undefined {
  return name !== undefined && NAME.test(name) ? { name, region, account } : undefined;
}
