import { describe, expect, it } from 'vitest';
import { type CallTrouble, SqsCallError } from '../../../src/adapters/sqs/client.ts';
import { type CallSubject, explain } from '../../../src/adapters/sqs/errors.ts';

const AWS: CallSubject = {
  queue: 'orders-dlq',
  region: 'eu-central-1',
  account: '123456789012',
  profile: 'ops',
  endpointHost: null,
};
const LOCAL: CallSubject = { ...AWS, account: null, profile: null, endpointHost: 'localhost:4566' };

interface Case {
  call?: string;
  trouble?: CallTrouble;
  code: string;
  message?: string;
  on?: CallSubject;
  /** The code it leads to, and what the sentence and the hint must tell. */
  is: string;
  says: RegExp;
  hints: RegExp;
}

const CASES: Case[] = [
  {
    code: 'QueueDoesNotExist',
    is: 'no_queue',
    says: /^The queue orders-dlq does not exist in eu-central-1, account 123456789012\.$/,
    hints: /aws sqs list-queues --queue-name-prefix orde --region eu-central-1 --profile ops/,
  },
  { code: 'CredentialsProviderError', is: 'no_credentials', says: /orders-dlq.*profile ops/, hints: /AWS_PROFILE/ },
  {
    code: 'CredentialsProviderError',
    message: 'The SSO session associated with this profile has expired.',
    is: 'no_credentials',
    says: /SSO session/,
    hints: /aws sso login --profile ops/,
  },
  { code: 'ExpiredToken', is: 'no_credentials', says: /have expired/, hints: /aws sso login/ },
  { code: 'InvalidClientTokenId', is: 'no_credentials', says: /access key/, hints: /get-caller-identity/ },
  { code: 'SignatureDoesNotMatch', is: 'no_credentials', says: /signature/, hints: /region.*clock/ },
  { code: 'AccessDenied', is: 'forbidden', says: /sqs:ReceiveMessage is missing/, hints: /Allow sqs:ReceiveMessage/ },
  {
    call: 'ChangeMessageVisibilityBatch',
    code: 'AccessDeniedException',
    is: 'forbidden',
    says: /sqs:ChangeMessageVisibility is missing/,
    hints: /IAM policy/,
  },
  {
    code: 'AccessDenied',
    message: 'User: arn:aws:iam::1:user/x is not authorized to perform: kms:Decrypt on resource: key',
    is: 'forbidden',
    says: /kms:Decrypt is missing/,
    hints: /kms:Decrypt/,
  },
  { code: 'KmsAccessDenied', is: 'forbidden', says: /encrypted.*kms:Decrypt/, hints: /KMS key/ },
  {
    call: 'SendMessageBatch',
    code: 'KMS.AccessDeniedException',
    is: 'forbidden',
    says: /kms:GenerateDataKey/,
    hints: /kms:Decrypt/,
  },
  { code: 'KmsDisabled', is: 'forbidden', says: /KMS key.*KmsDisabled/, hints: /enabled/ },
  { code: 'RegionMissing', is: 'config', says: /region/, hints: /AWS_REGION/ },
  { trouble: 'throttled', code: 'RequestThrottled', is: 'throttled', says: /throttled/, hints: /Wait/ },
  {
    trouble: 'unreachable',
    code: 'ECONNREFUSED',
    on: LOCAL,
    is: 'unreachable',
    says: /localhost:4566 refused/,
    hints: /is up.*AWS_ENDPOINT_URL/,
  },
  { trouble: 'unreachable', code: 'ENOTFOUND', is: 'unreachable', says: /can't be found/, hints: /region/ },
  { trouble: 'no_answer', code: 'ETIMEDOUT', is: 'unreachable', says: /in time/, hints: /network/ },
  { trouble: 'no_answer', code: 'ECONNRESET', is: 'unreachable', says: /lost.*ECONNRESET/, hints: /network/ },
  { code: 'InvalidAddress', is: 'no_queue', says: /address of orders-dlq/, hints: /list-queues/ },
  { code: 'HTTP 404', on: LOCAL, is: 'internal', says: /HTTP 404/, hints: /localhost:4566 speaks SQS/ },
];

describe('what a person reads when a call to SQS fails', () => {
  it.each(CASES)(
    '$code of $call',
    ({ call = 'ReceiveMessage', trouble = 'refused', code, message = '', ...expected }) => {
      const error = explain(new SqsCallError(call, trouble, code, message), expected.on ?? AWS);
      expect(error.code).toBe(expected.is);
      expect(error.message).toMatch(expected.says);
      expect(error.hint).toMatch(expected.hints);
    },
  );

  it('keeps what a terminal would obey out of a service’s own words', () => {
    const error = explain(new SqsCallError('ReceiveMessage', 'refused', 'Odd', 'a\u001b[2Jb\u202ec\u0007'), AWS);
    expect(error.message).toMatch(/Odd, a \[2Jb c/);
  });
});
