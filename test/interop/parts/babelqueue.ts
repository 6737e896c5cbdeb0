import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { install, type Part, programOf, run, scratch } from './part.ts';
import { environmentOf, pinned } from './python.ts';

const PINS = 'babelqueue.txt';
const OLD_PINS = 'babelqueue-old.txt';

/** The folder of an environment's packages, from its folder of programs. */
function packagesOf(programs: string): string {
  const lib = join(programs, '../lib');
  const python = readdirSync(lib).find((name) => name.startsWith('python3'));
  return join(lib, python ?? '', 'site-packages');
}

/** The SDK's source distribution, which carries BabelQueue's public conformance suite; gives the suite's folder. */
async function publicSuite(version: string): Promise<string> {
  const python = await programOf('python3');
  const name = `babelqueue==${version}`;
  const pip = (...args: string[]) => run(python, ['-m', 'pip', '--disable-pip-version-check', '--quiet', ...args]);
  const folder = await install('babelqueue-source', name, {
    into: async (target) => {
      await pip('download', '--no-deps', '--no-binary', 'babelqueue', '--dest', target, name);
      await run('tar', ['-xzf', join(target, `babelqueue-${version}.tar.gz`), '-C', target]);
      if (!existsSync(suiteIn(target, version))) throw new Error(`${name} brings no conformance suite.`);
    },
    lookUp: async () => {
      const { folder: aside, remove } = scratch('look-up');
      await pip('download', '--no-deps', '--dest', aside, name).finally(remove);
    },
  });
  return suiteIn(folder, version);
}

const suiteIn = (folder: string, version: string) => join(folder, `babelqueue-${version}`, 'tests/conformance');

/** BabelQueue's Python SDK, as apps use it: the newest release, and one from before ADR-0035. */
export const babelqueue: Part = {
  name: 'babelqueue',
  origin: 'PyPI',
  version: pinned(PINS, 'babelqueue'),
  async start() {
    const [programs, old, suite] = await Promise.all([
      environmentOf('babelqueue', PINS),
      environmentOf('babelqueue-old', OLD_PINS),
      publicSuite(pinned(PINS, 'babelqueue')),
    ]);
    return { facts: { python: join(programs, 'python'), old: packagesOf(old), suite } };
  },
};
