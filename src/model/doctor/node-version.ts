import { ok, type Verdict, wrong } from './check.ts';

/** The oldest that babelq runs on. */
const OLDEST = [22, 14] as const;

/** @param version as `process.versions.node` has it */
export function nodeVerdict(version: string): Verdict {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const tooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (!tooOld) return ok('node', `Node ${version}`);
  return wrong(
    'node',
    'error',
    `Node ${version} is too old: babelq needs ${OLDEST.join('.')} or newer.`,
    'Install a newer Node.',
    {
      command: 'npx --package=node@24 node --version',
    },
  );
}
