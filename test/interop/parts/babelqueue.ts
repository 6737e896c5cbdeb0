import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, type Part, programOf, run, scratch } from './part.ts';
import { environmentOf, pinned } from './python.ts';

const PINS = 'babelqueue.txt';
const OLD_PINS = join(import.meta.dirname, 'babelqueue-old.txt');
const VERSION = pinned(PINS, 'babelqueue');

async function pip(...args: string[]): Promise<void> {
  const python = await programOf('python3');
  await run(python, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args]);
}

async function lookUp(): Promise<void> {
  const { folder, remove } = scratch('look-up');
  await pip('download', '--no-deps', '--dest', folder, `babelqueue==${VERSION}`).finally(remove);
}

/** The older SDK alone, in a folder for PYTHONPATH. */
function oldPackages(): Promise<string> {
  return install('babelqueue-old', readFileSync(OLD_PINS, 'utf8'), {
    into: (target) => pip('install', '--no-deps', '--no-compile', '--target', target, '--requirement', OLD_PINS),
    lookUp,
  });
}

/** The SDK's source distribution, which carries BabelQueue's public conformance suite; gives the suite's folder. */
async function publicSuite(): Promise<string> {
  const source = `babelqueue==${VERSION}`;
  const suiteIn = (folder: string) => join(folder, `babelqueue-${VERSION}`, 'tests/conformance');
  const folder = await install('babelqueue-source', source, {
    into: async (target) => {
      await pip('download', '--no-deps', '--no-binary', 'babelqueue', '--dest', target, source);
      await run('tar', ['-xzf', join(target, `babelqueue-${VERSION}.tar.gz`), '-C', target]);
      if (!existsSync(suiteIn(target))) throw new Error(`${source} brings no conformance suite.`);
    },
    lookUp,
  });
  return suiteIn(folder);
}

/** BabelQueue's Python SDK, as apps use it: the newest release, and one from before ADR-0035. */
export const babelqueue: Part = {
  name: 'babelqueue',
  origin: 'PyPI',
  version: VERSION,
  async start() {
    const [programs, old, suite] = await Promise.all([environmentOf('babelqueue', PINS), oldPackages(), publicSuite()]);
    return { facts: { python: join(programs, 'python'), old, suite } };
  },
};
