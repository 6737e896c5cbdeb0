// Installs the packed tarball as a newcomer does, on each Node that it must run on and on two that it must refuse, and does
// the least of a day's work with it: a journal opened, a message retried. Prints a line for each; exit 1 where one fails.
//   node scripts/try-install.mjs [VERSION…] [--tarball FILE]
// A Node that can't be downloaded is said and skipped; --strict makes that a failure too.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { createRequestHandler } from 'local-aws-sqs';

const run = promisify(execFile);
const SUPPORTED = ['22.14.0', '24.21.0', '26.10.0'];
const REFUSED = ['18.20.8', '20.20.2', '22.13.1'];
const REGION = 'us-east-1';

const { values, positionals } = parseArgs({
  options: { tarball: { type: 'string' }, strict: { type: 'boolean' } },
  allowPositionals: true,
});
const versions = positionals.length > 0 ? positionals : [...SUPPORTED, ...REFUSED];
const folder = await mkdtemp(join(tmpdir(), 'babelq-install-'));
let failed = 0;
try {
  const tarball = values.tarball === undefined ? await pack() : resolve(values.tarball);
  // Most of the time is waiting, for downloads.
  await Promise.all(versions.map((version) => tryOne(version, tarball)));
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function tryOne(version, tarball) {
  const node = await download(version);
  if (node === null) {
    say(version, 'not tried: this Node could not be downloaded');
    if (values.strict) failed += 1;
    return;
  }
  try {
    if (isOld(version)) await tryRefusal(version, node, tarball);
    else await tryAll(version, node, tarball);
  } catch (error) {
    failed += 1;
    say(version, `FAILED: ${error.message}${error.stderr ? `\n${error.stderr}` : ''}`);
  }
}

function say(version, text) {
  process.stdout.write(`Node ${version}: ${text}\n`);
}

function isOld(version) {
  const [major, minor] = version.split('.').map(Number);
  return major < 22 || (major === 22 && minor < 14);
}

async function pack() {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]);
  return join(folder, JSON.parse(stdout)[0].filename);
}

/** The npm package `node` brings each version; its binary is in a package of its own by system and processor. */
async function download(version) {
  const place = join(folder, `node-${version}`);
  await mkdir(place);
  try {
    await run('npm', ['install', '--prefix', place, '--no-audit', '--no-fund', `node@${version}`], {
      timeout: 120_000,
    });
    const node = join(place, 'node_modules/node/bin/node');
    const { stdout } = await run(node, ['--version']);
    return stdout.trim() === `v${version}` ? node : null;
  } catch {
    return null;
  }
}

/** npm's own program, run by that Node: the first on the PATH is taken by everything it starts. */
async function withNode(node) {
  const home = await mkdtemp(join(folder, 'home-'));
  const { npm_config_prefix: _, NODE_OPTIONS: __, ...rest } = process.env;
  return {
    cwd: home,
    env: {
      ...Object.fromEntries(
        Object.entries(rest).filter(
          ([name]) => !/^(?:AWS_|BABELQ_|XDG_|npm_(?:config_(?:local_)?prefix|lifecycle|package))/i.test(name),
        ),
      ),
      PATH: `${join(node, '..')}:${process.env.PATH}`,
      HOME: home,
    },
  };
}

async function tryAll(version, node, tarball) {
  const at = await withNode(node);
  // A folder with nothing in it.
  await writeFile(join(at.cwd, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', tarball], at);
  const bin = join(at.cwd, 'node_modules/.bin/babelq');
  expect((await quiet(bin, ['--version'], at)).stdout, /^\d+\.\d+\.\d+\n$/, 'the version');
  expect((await quiet(bin, ['--help'], at)).stdout, /retry/, 'the help');
  expect((await quiet(bin, ['log', '--json'], at)).stdout, /\{"entries":\[\]\}/, 'an empty log');
  await retryOne(bin, at);
  expect((await run('npx', ['--no', 'babelq', '--version'], at)).stdout, /^\d/, 'npx');
  const prefix = join(at.cwd, 'global');
  await run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', tarball], at);
  expect((await quiet(join(prefix, 'bin/babelq'), ['reasons'], at)).stdout, /unknown_urn/, 'the global command');
  const manual = await readdir(join(prefix, 'share/man/man1'));
  expect(manual.join(), /babelq\.1/, 'the manual page');
  say(version, 'installed, started, a message retried with the journal on disk, by npx and globally too');
}

async function tryRefusal(version, node, tarball) {
  const at = await withNode(node);
  const place = join(at.cwd, 'package');
  await mkdir(place);
  await run('tar', ['xzf', tarball, '-C', place, '--strip-components', '1']);
  for (const args of [[], ['--version'], ['deliveries']]) {
    const { stdout, stderr, code } = await end(node, [join(place, 'dist/babelq.js'), ...args], at);
    if (code !== 2 || stdout !== '' || stderr !== `babelq needs Node 22.14 or newer; this is ${version}.\n`) {
      throw new Error(`was not refused in one line: exit ${code}, ${JSON.stringify({ stdout, stderr })}`);
    }
  }
  say(version, 'refused in one line, exit 2');
}

/** A message is retried on an emulator, and the journal, a file, knows of it. */
async function retryOne(bin, at) {
  const { service, requestHandler } = createRequestHandler({
    port: 0,
    hostname: '127.0.0.1',
    region: REGION,
    accountId: '123456789012',
    emulateQueueCreationLifecycle: false,
  });
  const server = createServer((request, response) => {
    requestHandler(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.PORT = server.address().port;
  try {
    const endpoint = `http://127.0.0.1:${server.address().port}`;
    const call = async (action, body) => {
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `AmazonSQS.${action}`,
        authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${REGION}/sqs/aws4_request, SignedHeaders=host, Signature=x`,
      };
      const answer = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${action}: ${await answer.text()}`);
      return answer.json();
    };
    await call('CreateQueue', { QueueName: 'orders' });
    const { QueueUrl } = await call('CreateQueue', { QueueName: 'orders-dlq' });
    await call('SendMessage', { QueueUrl, MessageBody: '{"order_id":1042}' });
    const with_ = {
      ...at,
      env: {
        ...at.env,
        AWS_ENDPOINT_URL: endpoint,
        AWS_REGION: REGION,
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 'b',
      },
    };
    const args = ['retry', '--all', '--to', 'orders', '--sqs', 'orders-dlq', '--yes', '--json', '--quiet'];
    expect((await quiet(bin, args, with_)).stdout, /"done":1/, 'a retry');
    expect((await quiet(bin, ['log', '--json'], with_)).stdout, /"action":"retry"/, 'the log');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Nothing may be said beside the output: no warning of Node's, no notice of anybody's. */
async function quiet(command, args, at) {
  const ended = await end(command, args, at);
  if (ended.code !== 0 || ended.stderr !== '') {
    throw new Error(`babelq ${args.join(' ')}: exit ${ended.code}, stderr ${JSON.stringify(ended.stderr)}`);
  }
  return ended;
}

async function end(command, args, at) {
  const child = spawn(command, args, { ...at, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err] = [[], []];
  child.stdout.on('data', (chunk) => out.push(chunk));
  child.stderr.on('data', (chunk) => err.push(chunk));
  const [code] = await once(child, 'close');
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

function expect(text, pattern, what) {
  if (!pattern.test(text)) throw new Error(`${what} is not as expected: ${JSON.stringify(text.slice(0, 300))}`);
}
