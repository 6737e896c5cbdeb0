// Bundles the bin into dist/: one small first file that checks Node's version, and chunks that load when a command needs them.
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { BUILTIN_ON_USE, builtinsOnUse, inFewChunks, onFirstCall, sqliteInBundle } from './bundle-plugins.mjs';
import { licencesOf } from './licenses.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  metafile: true,
  entryPoints: { main: 'src/cli/main.ts' },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  // The ES builds first: what a dynamic import of CommonJS brings has no names, and can't be shaken.
  mainFields: ['module', 'main'],
  target: 'node22.14',
  // Identifiers stay: names of functions and classes are looked at at run time, and keeping them by calls costs more.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  plugins: [
    inFewChunks(resolve('src'), {
      // What looking needs, wherever it looks.
      core: /^cli\/(run|open)\.ts$|^cli\/commands\/(deliveries|inspect|groups|check|sources)\.ts$|^adapters\/(jadpo\/|journal\/(location|journal)\.ts)/,
      // The rest; screens and YAML stay apart.
      more: /^(?!tui\/screens\.tsx|cli\/config\/(load|write)\.ts)/,
    }),
    onFirstCall('string-width'),
    sqliteInBundle,
    builtinsOnUse,
  ],
  external: ['better-sqlite3/package.json', 'pg-native'],
  alias: { 'react-devtools-core': './scripts/no-devtools.mjs' },
  define: { 'process.env.NODE_ENV': '"production"', BABELQ_VERSION: JSON.stringify(version) },
  // Some bundled packages are CommonJS and call require for Node's own modules.
  banner: {
    js: `const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);${BUILTIN_ON_USE}`,
  },
  logLevel: 'warning',
});
await writeFile('dist/THIRD-PARTY-LICENSES.txt', await licencesOf(Object.keys(metafile.inputs)));
const first = await readFile('src/cli/babelq.js', 'utf8');
await writeFile('dist/babelq.js', first.replace(/\$\{BABELQ_VERSION\}/, version));
await chmod('dist/babelq.js', 0o755);
await import('./man.ts');
