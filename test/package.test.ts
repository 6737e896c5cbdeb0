import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(resolve(ROOT, file), 'utf8');
const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

interface Packed {
  files: { path: string; size: number; mode: number }[];
}

describe('what is published', () => {
  let files: Packed['files'];
  beforeAll(() => {
    const [packed] = JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts')) as Packed[];
    files = packed?.files ?? [];
  });

  test('holds only what runs, and what one must read', () => {
    const other = files
      .map(({ path }) => path)
      .filter((path) => !/^docs\/(?:[\w-]+\.md|images\/\w+\.svg)$/.test(path))
      .filter((path) => !/^dist\/(?:chunks\/[\w.-]+\.js|babelq\.js|main\.js|man\/babelq\.1)$/.test(path));
    expect(other.sort()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist/THIRD-PARTY-LICENSES.txt',
      'package.json',
    ]);
  });

  test('has every page and picture that its README links to', () => {
    const links = [...read('README.md').matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(([, to]) => to);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((to) => !files.some(({ path }) => path === to))).toEqual([]);
  });

  test('has the command executable, and no path of the machine it was built on', () => {
    expect(files.find(({ path }) => path === 'dist/babelq.js')?.mode).toBe(0o755);
    for (const { path } of files) expect({ path, holds: read(path).includes(ROOT) }).toEqual({ path, holds: false });
  });
});

test('every dependency that runs is in SECURITY.md with why it is there, and nothing else is', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const beside = Object.keys(dependencies).flatMap((name) => {
    const its = JSON.parse(read(`node_modules/${name}/package.json`)) as { dependencies?: Record<string, string> };
    return [name, ...Object.keys(its.dependencies ?? {})];
  });
  const bundled = [...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/(?:^|\n-{80}\n\n)(\S+) \d\S* \(/g)].map(
    ([, name]) => name,
  );
  expect(bundled.length).toBeGreaterThan(20);
  const [, section = ''] = read('SECURITY.md').split('## Dependencies');
  const told = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => {
      const [, names = '', why = ''] = line.split('|');
      expect(why.trim()).not.toBe('');
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    });
  expect(new Set(told)).toEqual(new Set([...beside, ...bundled]));
  expect(told).toHaveLength(new Set(told).size);
});

test('dependencies are pinned, and the only one that is installed beside has its binaries with it', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  for (const version of Object.values({ ...dependencies, ...devDependencies })) expect(version).toMatch(/^\d/);
  for (const system of ['linux-x64', 'linux-arm64', 'linuxmusl-x64', 'darwin-arm64', 'darwin-x64', 'win32-x64']) {
    expect(existsSync(resolve(ROOT, `node_modules/better-sqlite3/prebuilds/${system}.node`))).toBe(true);
  }
});

test('the packed tarball installs and works on each Node that it must, and is refused in one line by older ones', {
  timeout: 280_000,
}, () => {
  const said = execFileSync(process.execPath, ['scripts/try-install.mjs'], { cwd: ROOT, encoding: 'utf8' });
  const lines = said.trimEnd().split('\n').sort();
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(line).toMatch(/^Node [\d.]+: (?:installed, started|refused in one line|not tried)/);
  if (said.includes('not tried')) process.stderr.write(said);
});
