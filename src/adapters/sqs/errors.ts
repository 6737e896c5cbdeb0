import { BabelqError, type ErrorCode } from '../../model/errors.ts';
import { isCertificateTrouble } from './call-errors.ts';
import { SqsCallError } from './client.ts';
import { unusableProxy } from './network.ts';

/** What a call was about, for what a person reads. */
export interface CallSubject {
  /** The queue's name. */
  queue: string;
  region: string | null;
  account: string | null;
  profile: string | null;
  /** `host:port`, null where it is AWS's own. */
  endpointHost: string | null;
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  SendMessageBatch: 'sqs:SendMessage',
  DeleteMessageBatch: 'sqs:DeleteMessage',
  ChangeMessageVisibilityBatch: 'sqs:ChangeMessageVisibility',
};
const DENIED = /^(?:AccessDenied|AccessDeniedException|AuthorizationError|UnauthorizedOperation|InvalidSecurity)$/;
const NO_CREDENTIALS = /^(?:CredentialsProviderError|TokenProviderError|ProviderError|MissingAuthenticationToken.*)$/;
const EXPIRED = /^(?:ExpiredToken|ExpiredTokenException|RequestExpired|TokenRefreshRequired)$/;
const BAD_KEY = /^(?:InvalidClientTokenId|UnrecognizedClientException|InvalidAccessKeyId|AuthFailure)$/;
const BAD_SIGNATURE = /^(?:SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature)$/;
const TIMED_OUT = new Set(['TimeoutError', 'ETIMEDOUT']);

/** Whether a refusal's code means that a permission is missing. */
export function isDenial(code: string): boolean {
  return DENIED.test(code) || code === 'HTTP 403';
}

/** Whether what was thrown is SQS's refusal of a call for which a permission is missing. */
export function isDenied(error: unknown): error is SqsCallError {
  return error instanceof SqsCallError && error.trouble === 'refused' && isDenial(error.code);
}

/** Says in one sentence what came of a call, and what to do. */
export function explain(error: SqsCallError, subject: CallSubject): BabelqError {
  const { queue } = subject;
  const where = placeOf(subject);
  const say = (code: ErrorCode, message: string, hint: string): BabelqError =>
    new BabelqError(code, message, { hint, cause: error });
  const { code, call } = error;
  const proxy = unusableProxy(process.env);

  switch (error.trouble) {
    case 'throttled':
      return say('throttled', `SQS throttled ${call} on ${queue}.`, 'Wait a little and try again, with fewer at once.');
    case 'unreachable':
      return say(
        'unreachable',
        `No connection to SQS for ${queue} (${where}): ${wordsOf(code, subject)}.`,
        isCertificateTrouble(code)
          ? 'Name the certificate of who signed it in NODE_EXTRA_CA_CERTS (added to the usual ones) or AWS_CA_BUNDLE (instead of them).'
          : proxy !== null
            ? `${proxy} is set, but this Node (${process.versions.node}) doesn't use it: Node 22.21, 24.5 and newer do.`
            : subject.endpointHost === null
              ? 'Check the network, the proxy (HTTPS_PROXY) and the region.'
              : `Check that the server at ${subject.endpointHost} is up, and the endpoint in the configuration or AWS_ENDPOINT_URL.`,
      );
    case 'no_answer':
      return say(
        'unreachable',
        TIMED_OUT.has(code)
          ? `SQS did not answer ${call} on ${queue} in time (${where}).`
          : `The answer to ${call} on ${queue} was lost (${where}): ${code}.`,
        'Check the network and the service, then try again.',
      );
    case 'refused':
      break;
  }

  if (code === 'QueueDoesNotExist') {
    return say('no_queue', `The queue ${queue} does not exist in ${where}.`, howToList(subject));
  }
  if (code === 'InvalidAddress') {
    return say('no_queue', `SQS does not take the address of ${queue} in ${where}.`, howToList(subject));
  }
  if (code === 'RegionMissing') {
    return say(
      'config',
      `No AWS region is known for ${queue}.`,
      "Set AWS_REGION, the source's region, or name the queue by its ARN.",
    );
  }
  if (NO_CREDENTIALS.test(code)) return noCredentials(error, subject);
  if (EXPIRED.test(code)) {
    return say('no_credentials', `The AWS credentials for ${queue} have expired.`, howToLogIn(subject));
  }
  if (BAD_KEY.test(code)) {
    return say(
      'no_credentials',
      `AWS does not know the access key used for ${queue} (${code}).`,
      'Check which credentials are in force: aws sts get-caller-identity.',
    );
  }
  if (BAD_SIGNATURE.test(code)) {
    return say(
      'no_credentials',
      `AWS refused the signature of ${call} on ${queue} (${code}).`,
      "Check the secret key, the region and this machine's clock.",
    );
  }
  if (/^K(?:MS|ms)/.test(code)) return kms(error, queue);
  if (isDenial(code)) {
    const permission = deniedPermission(error);
    return say(
      'forbidden',
      `Access to ${queue} was denied: ${permission} is missing.`,
      `Allow ${permission} on ${queue} in the IAM policy of who runs babelq, and in the queue's own policy where it is another account's.`,
    );
  }
  return say(
    'internal',
    `SQS refused ${call} on ${queue}: ${code}${error.message === '' ? '' : `, ${printable(error.message)}`}`,
    subject.endpointHost === null
      ? 'Check the queue, its region and its policy.'
      : `Check that the server at ${subject.endpointHost} speaks SQS.`,
  );
}

function noCredentials(error: SqsCallError, subject: CallSubject): BabelqError {
  const ofSso = /sso|token/i.test(`${error.code} ${error.message}`);
  const profile = subject.profile === null ? '' : ` with the profile ${subject.profile}`;
  return ofSso
    ? new BabelqError('no_credentials', `The SSO session for ${subject.queue} has expired, or was never begun.`, {
        hint: howToLogIn(subject),
        cause: error,
      })
    : new BabelqError('no_credentials', `No AWS credentials were found for ${subject.queue}${profile}.`, {
        hint:
          subject.profile === null
            ? 'Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile of the source.'
            : 'AWS_PROFILE or the profile of the source names it: see that aws configure list-profiles lists it, and that it has credentials.',
        cause: error,
      });
}

function howToLogIn({ profile }: CallSubject): string {
  return `Log in again: aws sso login${profile === null ? '' : ` --profile ${profile}`}, or renew the session that gave them.`;
}

function kms(error: SqsCallError, queue: string): BabelqError {
  const permission = error.call === 'SendMessageBatch' ? 'kms:GenerateDataKey' : 'kms:Decrypt';
  return /AccessDenied/.test(error.code)
    ? new BabelqError('forbidden', `${queue} is encrypted, and ${permission} on its key is missing.`, {
        hint: `Allow ${permission} on the queue's KMS key${permission === 'kms:Decrypt' ? '' : ' (and kms:Decrypt)'} to who runs babelq.`,
        cause: error,
      })
    : new BabelqError('forbidden', `The KMS key of ${queue} can't be used (${error.code}).`, {
        hint: 'See that the key that encrypts the queue exists and is enabled.',
        cause: error,
      });
}

/** AWS names the permission in its answer; else the call says which it needs. */
function deniedPermission(error: SqsCallError): string {
  const byCall = PERMISSIONS[error.call] ?? `sqs:${error.call}`;
  const said = /perform:? (kms|sqs):([A-Za-z]+)/.exec(error.message);
  return said?.[1] === 'kms' ? `kms:${said[2]}` : byCall;
}

/** Where a queue is, in words: `eu-central-1, account 123456789012, at localhost:4566`. */
export function placeOf({ region, account, endpointHost }: CallSubject): string {
  const parts = [
    region,
    account === null ? null : `account ${account}`,
    endpointHost === null ? null : `at ${endpointHost}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'this account and region' : parts.join(', ');
}

function howToList({ queue, region, profile }: CallSubject): string {
  const flags = [region === null ? '' : ` --region ${region}`, profile === null ? '' : ` --profile ${profile}`].join(
    '',
  );
  return `Check the name, the region and the account: aws sqs list-queues --queue-name-prefix ${queue.slice(0, 4)}${flags}`;
}

function wordsOf(code: string, { endpointHost }: CallSubject): string {
  const host = endpointHost ?? 'the service';
  if (code === 'ECONNREFUSED') return `${host} refused it`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `the name of ${host} can't be found`;
  if (TIMED_OUT.has(code)) return `${host} did not answer in time`;
  return code;
}

/** A service's words, without what a terminal would obey. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, ' ').slice(0, 200);
}
