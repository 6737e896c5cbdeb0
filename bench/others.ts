/** What people use today: programs from npm and PyPI, installed on demand into a folder that git ignores. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from './measure.ts';

const CACHE = resolve(import.meta.dirname, '../.cache/bench');

export interface Queue {
  name: string;
  dlq: string;
  target: string;
  environment: Record<string, string>;
}

export interface Other {
  readonly name: string;
  /** Brings it here. @throws Error where it can't be had */
  install(): Promise<void>;
  redrive(queue: Queue): Command;
}

const NPM = join(CACHE, 'replay-aws-dlq-1.0.1');
const PYPI = join(CACHE, 'babelqueue-1.24.0');

export const OTHERS: readonly Other[] = [
  {
    name: 'replay-aws-dlq 1.0.1 (npm)',
    install: () =>
      once(NPM, (folder) =>
        run('npm', [
          'install',
          '--prefix',
          folder,
          '--no-audit',
          '--no-fund',
          '--ignore-scripts',
          'replay-aws-dlq@1.0.1',
        ]),
      ),
    redrive: ({ dlq, target, environment }) => ({
      command: process.execPath,
      args: [join(NPM, 'node_modules/replay-aws-dlq/cli.js'), dlq, target],
      environment: { ...environment, AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE: '1' },
    }),
  },
  {
    name: 'redrive of babelqueue 1.24.0 (PyPI)',
    install: () =>
      once(PYPI, (folder) =>
        run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, 'babelqueue==1.24.0', 'boto3']),
      ),
    redrive: ({ name, dlq, environment }) => ({
      command: 'python3',
      args: [
        join(import.meta.dirname, 'babelqueue_redrive.py'),
        `${name}-dlq`,
        name,
        dlq.slice(0, dlq.lastIndexOf('/')),
      ],
      environment: { ...environment, PYTHONPATH: PYPI },
    }),
  },
];

/** Half an installation is none: it gets its name when it is whole. */
async function once(folder: string, install: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const half = `${folder}.part`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  await install(half);
  renameSync(half, folder);
}

function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) =>
      code === 0
        ? done()
        : fail(new Error(`${command} exited with ${code}: ${stderr.trim().split('\n').at(-1) ?? ''}`)),
    );
  });
}
