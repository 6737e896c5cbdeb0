import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, freePort, install, keep, type Part, programOf, run, scratch } from './part.ts';

const pinsIn = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');

/** The version that a file of pins gives a package. */
export function pinned(file: string, name: string): string {
  const line = pinsIn(file)
    .split('\n')
    .find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}==`));
  if (line === undefined) throw new Error(`${file} pins no ${name}.`);
  return line.slice(name.length + 2);
}

/** A virtual environment with exactly the packages of a file of pins; gives its folder of programs. */
export async function environmentOf(name: string, file: string): Promise<string> {
  const python = await programOf('python3');
  const pins = `${await run(python, ['--version'])}${pinsIn(file)}`;
  const pip = (folder: string, ...args: string[]) =>
    run(join(folder, 'bin/python'), ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args]);
  const folder = await install(name, pins, {
    into: async (target) => {
      await run(python, ['-m', 'venv', target]);
      await pip(target, 'install', '--no-deps', '--no-compile', '--requirement', join(import.meta.dirname, file));
    },
    lookUp: async () => {
      const { folder: aside, remove } = scratch('look-up');
      await run(python, ['-m', 'pip', 'download', '--no-deps', '--quiet', '--dest', aside, 'six==1.17.0']).finally(
        remove,
      );
    },
  });
  return join(folder, 'bin');
}

const MOTO_PINS = 'moto-awscli.txt';
const LOCALSTACK_PINS = 'localstack.txt';
let motoAndCli: Promise<string> | undefined;
const motoEnvironment = () => {
  motoAndCli ??= environmentOf('moto-awscli', MOTO_PINS);
  return motoAndCli;
};

export const moto: Part = {
  name: 'moto',
  origin: 'PyPI',
  version: pinned(MOTO_PINS, 'moto'),
  async start() {
    const programs = await motoEnvironment();
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const command = [join(programs, 'python'), join(programs, 'moto_server'), '-H', '127.0.0.1', '-p', String(port)];
    const kept = await keep(command, () => answers(`${endpoint}/moto-api/`));
    return { server: { endpoint, account: '123456789012' }, close: kept.close };
  },
};

export const awscli: Part = {
  name: 'awscli',
  origin: 'PyPI',
  version: pinned(MOTO_PINS, 'awscli'),
  async start() {
    const program = join(await motoEnvironment(), 'aws');
    await run(program, ['--version']);
    return { facts: { program } };
  },
};

export const localstack: Part = {
  name: 'localstack',
  origin: 'PyPI, `localstack-core`',
  version: pinned(LOCALSTACK_PINS, 'localstack-core'),
  async start() {
    const programs = await environmentOf('localstack', LOCALSTACK_PINS);
    const port = await freePort();
    const endpoint = `http://127.0.0.1:${port}`;
    const { folder, remove } = scratch('localstack');
    const kept = await keep(
      [join(programs, 'python'), '-m', 'localstack.runtime.main'],
      async () => {
        const health = (await (await answers(`${endpoint}/_localstack/health`)).json()) as {
          services: { sqs: string };
        };
        if (health.services.sqs !== 'running') throw new Error(`its SQS is ${health.services.sqs}`);
      },
      {
        cwd: folder,
        env: {
          SERVICES: 'sqs',
          EAGER_SERVICE_LOADING: '1',
          STRICT_SERVICE_LOADING: '1',
          GATEWAY_LISTEN: `127.0.0.1:${port}`,
          LOCALSTACK_HOST: `127.0.0.1:${port}`,
          FILESYSTEM_ROOT: folder,
          OVERRIDE_IN_DOCKER: '0',
          // Nothing is asked of anybody outside.
          DNS_ADDRESS: '0',
          SKIP_SSL_CERT_DOWNLOAD: '1',
          DISABLE_EVENTS: '1',
        },
      },
    );
    const close = async () => {
      await kept.close();
      remove();
    };
    return { server: { endpoint, account: '000000000000' }, close };
  },
};
