import { shellWord } from '../display/shell-word.ts';
import type { QueueState, Reach } from './diagnosis.ts';

/** `aws sqs …` as it must be typed for a source: with its region, profile and endpoint. */
export function aws(reach: Reach, words: readonly string[]): string {
  const { region, profile, endpoint } = reach;
  return [
    'aws',
    ...words,
    ...(endpoint === null ? [] : ['--endpoint-url', endpoint]),
    ...(region === null ? [] : ['--region', region]),
    ...(profile === null ? [] : ['--profile', profile]),
  ]
    .map(shellWord)
    .join(' ');
}

/** Sets attributes of a queue. Values that are JSON themselves are written as SQS wants them, as text. */
export function setAttributes(reach: Reach, queue: QueueState, attributes: Readonly<Record<string, string>>): string {
  const url = queue.url ?? queue.name;
  return aws(reach, ['sqs', 'set-queue-attributes', '--queue-url', url, '--attributes', JSON.stringify(attributes)]);
}

/** Some lines of a queue's block in Terraform, where its other lines are left out. */
export function queueBlock(queue: Pick<QueueState, 'name'>, lines: readonly string[]): string {
  return [
    `resource "aws_sqs_queue" "${label(queue.name)}" {`,
    '  # what is there already stays',
    ...lines.map((line) => `  ${line}`),
    '}',
  ].join('\n');
}

/** The line or the policy that gives one permission on one resource to whoever was refused. */
export function grant(
  reach: Reach,
  permission: string,
  resource: string,
  principal: string | null,
): { command?: string; terraform: string } {
  const { arn, alias } = permission.startsWith('sqs:') ? { arn: queueOf(resource), alias: null } : keyOf(resource);
  const condition =
    alias === null ? {} : { Condition: { 'ForAnyValue:StringEquals': { 'kms:ResourceAliases': alias } } };
  const statement = { Effect: 'Allow', Action: permission, Resource: arn, ...condition };
  const terraform = [
    'data "aws_iam_policy_document" "babelq" {',
    '  statement {',
    `    actions   = ["${permission}"]`,
    `    resources = [${hcl(arn)}]`,
    ...(alias === null
      ? []
      : [
          '    condition {',
          '      test     = "ForAnyValue:StringEquals"',
          '      variable = "kms:ResourceAliases"',
          `      values   = [${hcl(alias)}]`,
          '    }',
        ]),
    '  }',
    '}',
  ].join('\n');
  const who = whoIs(principal);
  if (who === null) return { terraform };
  const policy = ['babelq', permission.split(':').at(-1), arn.split(/[:/]/).at(-1)]
    .join('-')
    .replace(/[^\w+=,.@-]/g, '');
  const words = [
    'iam',
    `put-${who.kind}-policy`,
    `--${who.kind}-name`,
    who.name,
    '--policy-name',
    policy.slice(0, 128),
  ];
  const document = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  // IAM has neither a region nor the queue's endpoint.
  const command = aws({ region: null, endpoint: null, profile: reach.profile }, [
    ...words,
    '--policy-document',
    document,
  ]);
  return { command, terraform };
}

/** A policy takes ARNs alone: a queue that is known by its name or URL only may lie anywhere. */
function queueOf(resource: string): string {
  return /^arn:|^\*$/.test(resource) ? resource : `arn:aws:sqs:*:*:${resource.split('/').at(-1)}`;
}

/** A policy names a key by its ARN; one that is known by its alias, by a condition. Any other resource stays as it is. */
function keyOf(resource: string): { arn: string; alias: string | null } {
  const alias = /^(?:(arn:[a-z0-9-]+:kms:[a-z0-9-]*:\d*:))?(alias\/.+)$/.exec(resource);
  if (alias !== null) return { arn: `${alias[1] ?? 'arn:aws:kms:*:*:'}key/*`, alias: alias[2] ?? null };
  return { arn: /^[0-9a-f-]{36}$|^mrk-/.test(resource) ? `arn:aws:kms:*:*:key/${resource}` : resource, alias: null };
}

/** The user or role in `arn:aws:iam::1:user/ana` or `arn:aws:sts::1:assumed-role/ops/session`. */
function whoIs(principal: string | null): { kind: 'user' | 'role'; name: string } | null {
  const found = /^arn:[a-z0-9-]+:(?:iam|sts)::\d+:(user|role|assumed-role)\/(.+)$/.exec(principal ?? '');
  if (found === null) return null;
  const [, kind, path = ''] = found;
  const parts = path.split('/');
  const name = kind === 'assumed-role' ? parts[0] : parts.at(-1);
  return name === undefined || !/^[\w+=,.@-]+$/.test(name) ? null : { kind: kind === 'user' ? 'user' : 'role', name };
}

/** A text in Terraform's quotes: what a server says must not become a template there. */
export function hcl(text: string): string {
  return JSON.stringify(text).replaceAll('${', '$${').replaceAll('%{', '%%{');
}

function label(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9])/, '_');
}
