import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FakeAws, startFakeAws } from '../support/fake-aws.ts';
import { HAS_OPENSSL, startProxy, startTlsFront, type TestProxy, type TlsFront } from '../support/proxy.ts';
import { Sandbox } from '../support/run-babelq.ts';

/** How the built bin comes by credentials and to its server, as a company's network and its logins are. */

let aws: FakeAws;
let sandbox: Sandbox;
beforeAll(async () => {
  aws = await startFakeAws();
  sandbox = new Sandbox({ AWS_EC2_METADATA_DISABLED: 'true' });
  const script = sandbox.path('credentials.mjs');
  writeFileSync(
    script,
    `console.log(JSON.stringify({ Version: 1, AccessKeyId: 'KEY-process', SecretAccessKey: 's' }));`,
  );
  writeFileSync(sandbox.path('token'), 'web-token');
  mkdirSync(sandbox.path('.aws/sso/cache'), { recursive: true });
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  for (const [session, expiresAt] of [
    ['fresh', inAnHour],
    ['stale', '2020-01-01T00:00:00Z'],
  ] as const) {
    const name = createHash('sha1').update(session).digest('hex');
    const client = { clientId: 'c', clientSecret: 's', registrationExpiresAt: inAnHour };
    const token = { accessToken: session, expiresAt, refreshToken: `${session}-refresh`, region: 'eu-central-1' };
    const startUrl = 'https://corp.awsapps.com/start';
    writeFileSync(sandbox.path(`.aws/sso/cache/${name}.json`), JSON.stringify({ startUrl, ...token, ...client }));
  }
  writeFileSync(
    sandbox.path('.aws/config'),
    `[profile keys]
aws_access_key_id = KEY-static
aws_secret_access_key = s
region = eu-central-1
[profile process]
credential_process = "${process.execPath}" "${script}"
[profile role]
role_arn = arn:aws:iam::123456789012:role/operator
source_profile = keys
[profile chained]
role_arn = arn:aws:iam::210987654321:role/inner
source_profile = role
[profile of_environment]
role_arn = arn:aws:iam::123456789012:role/sourced
credential_source = Environment
[profile web]
role_arn = arn:aws:iam::123456789012:role/web
web_identity_token_file = ${sandbox.path('token')}
[profile sso]
sso_session = fresh
sso_account_id = 123456789012
sso_role_name = reader
[profile sso_renewed]
sso_session = stale
sso_account_id = 123456789012
sso_role_name = renewer
[sso-session fresh]
sso_region = eu-central-1
sso_start_url = https://corp.awsapps.com/start
[sso-session stale]
sso_region = eu-central-1
sso_start_url = https://corp.awsapps.com/start
`,
  );
});
afterAll(async () => {
  await aws.close();
  sandbox.remove();
});

/** Asks for the counts of a queue, by a profile of the configuration's. */
async function ask(profile: string | null, env: Record<string, string>) {
  const of = profile === null ? '' : `, profile: ${profile}`;
  writeFileSync(sandbox.path('babelq.yaml'), `sources:\n  - { sqs: orders-dlq, region: eu-central-1${of} }\n`);
  aws.keys.length = 0;
  aws.calls.length = 0;
  return sandbox.run(['sources', '--json'], { env });
}

const visible = { code: 0, stderr: '', stdout: expect.stringContaining('"visible":7') };

describe('credentials', () => {
  const everywhere = () =>
    Object.fromEntries(['SQS', 'STS', 'SSO', 'SSO_OIDC'].map((name) => [`AWS_ENDPOINT_URL_${name}`, aws.endpoint]));

  test.each([
    ['keys in a profile', 'keys', 'KEY-static', []],
    ['a credential_process', 'process', 'KEY-process', []],
    ['a role of another profile', 'role', 'KEY-operator', ['AssumeRole KEY-static']],
    ['a role by a role', 'chained', 'KEY-inner', ['AssumeRole KEY-static', 'AssumeRole KEY-operator']],
    ['a role by the environment', 'of_environment', 'KEY-sourced', ['AssumeRole KEY-env']],
    ['a web identity token', 'web', 'KEY-web', ['AssumeRoleWithWebIdentity web-token']],
    ['an SSO session', 'sso', 'KEY-reader', ['GetRoleCredentials fresh']],
    [
      'an SSO session that is renewed',
      'sso_renewed',
      'KEY-renewer',
      ['CreateToken stale-refresh', 'GetRoleCredentials renewed'],
    ],
  ])('%s', async (_, profile, key, calls) => {
    const env = profile === 'of_environment' ? { AWS_ACCESS_KEY_ID: 'KEY-env', AWS_SECRET_ACCESS_KEY: 's' } : {};
    expect(await ask(profile, { ...everywhere(), ...env })).toMatchObject(visible);
    expect(new Set(aws.keys)).toEqual(new Set([key]));
    expect(aws.calls).toEqual(calls);
  });

  test('a web identity in the environment, as a cluster gives it', async () => {
    const role = { AWS_ROLE_ARN: 'arn:aws:iam::1:role/pod', AWS_WEB_IDENTITY_TOKEN_FILE: sandbox.path('token') };
    expect(await ask(null, { ...everywhere(), ...role })).toMatchObject(visible);
    expect(new Set(aws.keys)).toEqual(new Set(['KEY-pod']));
  });
});

describe('the way there', () => {
  const HOST = 'sqs.corp.invalid';
  const KEYS = { AWS_ACCESS_KEY_ID: 'KEY-env', AWS_SECRET_ACCESS_KEY: 's' };
  let proxy: TestProxy;
  let front: TlsFront | undefined;
  beforeAll(async () => {
    if (HAS_OPENSSL) front = await startTlsFront(aws.endpoint, HOST, sandbox.home);
    const plain = Number(new URL(aws.endpoint).port);
    proxy = await startProxy({ [HOST]: front?.port ?? plain, 'plain.corp.invalid': plain, 'sts.corp.invalid': plain });
  });
  afterAll(async () => {
    await proxy.close();
    await front?.close();
  });

  test('by a proxy, where HTTP_PROXY names one, credentials too', async () => {
    const env = {
      AWS_ENDPOINT_URL_SQS: 'http://plain.corp.invalid',
      AWS_ENDPOINT_URL_STS: 'http://sts.corp.invalid',
      HTTP_PROXY: proxy.url,
    };
    proxy.asked.length = 0;
    expect(await ask('role', env)).toMatchObject(visible);
    expect(new Set(proxy.asked)).toEqual(new Set(['POST http://sts.corp.invalid', 'POST http://plain.corp.invalid']));
  });

  test('past it, where NO_PROXY says so', async () => {
    const env = { ...KEYS, AWS_ENDPOINT_URL_SQS: aws.endpoint, HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
    proxy.asked.length = 0;
    expect(await ask(null, env)).toMatchObject(visible);
    expect(proxy.asked).toEqual([]);
  });

  describe.skipIf(!HAS_OPENSSL)('over TLS', () => {
    const tunnelled = () => ({
      ...KEYS,
      AWS_ENDPOINT_URL_SQS: `https://${HOST}`,
      HTTPS_PROXY: proxy.url.replace('//', '//me:hunter2@'),
    });

    test.each(['NODE_EXTRA_CA_CERTS', 'AWS_CA_BUNDLE'])(
      'with a certificate of one’s own in %s, by CONNECT',
      async (name) => {
        proxy.asked.length = 0;
        expect(await ask(null, { ...tunnelled(), [name]: front?.certificate ?? '' })).toMatchObject(visible);
        expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${HOST}:443`]));
      },
    );

    test('with a certificate that nobody knows it says how to name it, and never the proxy’s password', async () => {
      const { code, stdout, stderr } = await ask(null, tunnelled());
      expect(code).toBe(1);
      expect(stdout).toContain('NODE_EXTRA_CA_CERTS');
      expect(stdout + stderr).not.toContain('hunter2');
    });

    test('a bundle that is not there is told by its variable', async () => {
      const { code, stdout } = await ask(null, { ...tunnelled(), AWS_CA_BUNDLE: '/nosuch.pem' });
      expect(code).toBe(1);
      expect(stdout).toContain('AWS_CA_BUNDLE');
    });

    test('a proxy that is not there is told, without its password', async () => {
      const { code, stdout, stderr } = await ask(null, {
        ...tunnelled(),
        HTTPS_PROXY: 'http://me:hunter2@127.0.0.1:1',
      });
      expect(code).toBe(1);
      expect(stdout).toContain('No connection');
      expect(stdout + stderr).not.toContain('hunter2');
    });
  });
});

describe("the endpoint of the source's own profile, as AWS's CLI finds it", () => {
  const KEYS = 'aws_access_key_id = KEY-profile\naws_secret_access_key = s\n';
  let proxy: TestProxy;
  let env: Record<string, string>;
  beforeAll(async () => {
    proxy = await startProxy({});
    writeFileSync(
      sandbox.path('endpoints'),
      `[default]
endpoint_url = http://127.0.0.1:1
${KEYS}
[profile own]
endpoint_url = ${aws.endpoint}
${KEYS}
[profile of_service]
services = local
endpoint_url = http://127.0.0.1:1
${KEYS}
[profile ignoring]
ignore_configured_endpoint_urls = true
endpoint_url = ${aws.endpoint}
${KEYS}
[profile lost]
services = nowhere
${KEYS}
[profile none]
${KEYS}
[services local]
sqs =
  endpoint_url = ${aws.endpoint}
`,
    );
    // What goes to AWS itself gets no further than the proxy.
    env = { AWS_CONFIG_FILE: sandbox.path('endpoints'), HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' };
  });
  afterAll(() => proxy.close());

  test.each([['own'], ['of_service']])('%s', async (profile) => {
    expect(await ask(profile, env)).toMatchObject(visible);
    expect(new Set(aws.keys)).toEqual(new Set(['KEY-profile']));
    // AWS_PROFILE is another way to the same, and the profile of the source outweighs it.
    expect(await ask(null, { ...env, AWS_PROFILE: profile })).toMatchObject(visible);
    expect(await ask(profile, { ...env, AWS_PROFILE: 'none' })).toMatchObject(visible);
  });

  test('the environment outweighs it', async () => {
    expect(await ask('none', { ...env, AWS_ENDPOINT_URL: aws.endpoint })).toMatchObject(visible);
    const both = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_SQS: aws.endpoint };
    expect(await ask('of_service', { ...env, ...both })).toMatchObject(visible);
  });

  test.each([
    ['none', {}],
    ['ignoring', {}],
    ['own', { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'True', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }],
  ])("AWS's own is meant by %s with %j, whatever the default profile says", async (profile, more) => {
    proxy.asked.length = 0;
    const { stdout } = await ask(profile, { ...env, ...more });
    expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT sqs.eu-central-1.amazonaws.com:443']));
    expect(stdout).not.toContain('"visible":7');
    expect(aws.keys).toEqual([]);
  });

  test('a services section that is not there is told', async () => {
    const { stdout } = await ask('lost', env);
    expect(stdout).toContain("names the services section nowhere, which isn't there");
  });
});
