// What makes babelq start fast: each file that Node resolves and each of its own modules that is read as a whole costs
// a millisecond or so, and the first word of a listing is waited for.
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Node's own modules, each loaded when a member of it is first asked for. An ES import reads all members of one before
 * anything runs, getters too: `node:crypto` costs 5 ms so, `node:http` 30.
 */
export const builtinsOnUse = {
  name: 'builtins-on-use',
  setup(build) {
    // A wrapper for each importer: one that many share would be a file of its own.
    build.onResolve({ filter: /^[a-z]/ }, ({ path, importer }) =>
      isBuiltin(path)
        ? {
            path: path.startsWith('node:') ? path : `node:${path}`,
            suffix: `?for=${relative('.', importer)}`,
            namespace: 'builtin',
            sideEffects: false,
          }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const load = `process.getBuiltinModule('${path}')`;
      // `node:events` and some others are functions, called or extended as such.
      if (typeof process.getBuiltinModule(path) === 'function') return { contents: `module.exports = ${load};` };
      return { contents: `module.exports = builtinOnUse('${path}');` };
    });
  },
};

/** What the wrappers call, at the head of every file. What the bundler makes of an import has the prototype of what it is given. */
export const BUILTIN_ON_USE = `const builtinOnUse=name=>{let it;return Object.create(new Proxy({},{get:(_,key)=>key==="__esModule"?void 0:(it??=process.getBuiltinModule(name))[key]}))};`;

/** Loads the module when it is first called: only its default export, a function, is there. */
export function onFirstCall(name) {
  return {
    name: `${name}-on-first-call`,
    setup(build) {
      const filter = new RegExp(`^${name}$`);
      build.onResolve({ filter }, ({ namespace, pluginData }) =>
        namespace === 'on-first-call' || pluginData === 'itself'
          ? undefined
          : { path: name, namespace: 'on-first-call' },
      );
      build.onLoad({ filter, namespace: 'on-first-call' }, () => ({
        contents: `let it; export default (...given) => (it ??= require(${JSON.stringify(name)}).default)(...given);`,
        resolveDir: resolve('.'),
      }));
    },
  };
}

/**
 * better-sqlite3's JavaScript in the bundle, one file for thirteen; its binary comes from the installed package. What is
 * installed in another version (an override) is used whole: its binary need not fit this JavaScript.
 */
export const sqliteInBundle = {
  name: 'sqlite-in-bundle',
  setup(build) {
    const bundled = resolve('node_modules/better-sqlite3');
    build.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: 'module', namespace: 'sqlite' }));
    build.onResolve({ filter: /^installed-sqlite$/ }, () => ({ path: 'folder', namespace: 'sqlite' }));
    build.onLoad({ filter: /^folder$/, namespace: 'sqlite' }, () => ({ contents: INSTALLED_SQLITE }));
    build.onLoad({ filter: /^module$/, namespace: 'sqlite' }, async () => {
      const { version } = JSON.parse(await readFile(join(bundled, 'package.json'), 'utf8'));
      return {
        contents: `const { folder } = require('installed-sqlite');
const { version } = JSON.parse(require('node:fs').readFileSync(folder + '/package.json', 'utf8'));
module.exports = version === '${version}' ? require('${bundled}/lib/index.js') : require(folder);`,
        resolveDir: resolve('.'),
      };
    });
    build.onLoad({ filter: /better-sqlite3.lib.binding\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        '__dirname',
        `path.join(require('installed-sqlite').folder, 'lib')`,
      ),
    }));
  },
};

/** Where the package lies: looked for as Node does, whose own resolver loads more for it than the rest of it takes. */
const INSTALLED_SQLITE = `import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
const inFolder = (above) => {
  const folder = join(above, 'node_modules/better-sqlite3');
  if (existsSync(folder)) return folder;
  return dirname(above) === above ? dirname(require.resolve('better-sqlite3/package.json')) : inFolder(dirname(above));
};
export const folder = inFolder(import.meta.dirname);`;

/**
 * What is imported on use within src/ comes in few chunks: one of each name, and a file that no name's pattern fits stays
 * apart. Without it the bundler makes a chunk for each set of commands that share something: forty files for a listing.
 * @param {string} root the folder of the sources
 * @param {Record<string, RegExp>} chunks the files of each, by their path from the root; the first that fits counts
 */
export function inFewChunks(root, chunks) {
  const dynamic = /import\('(\.[^']+\.tsx?)'\)/g;
  const members = new Map(Object.keys(chunks).map((chunk) => [chunk, new Map()]));
  // What several need would be a file for each set of them: so all import the first, which is there before them anyway.
  const [first] = Object.keys(chunks);
  const apart = new Set();
  const placeOf = (importer, path) => {
    const file = relative(root, resolve(dirname(importer), path));
    const [chunk] = Object.entries(chunks).find(([, fits]) => fits.test(file)) ?? [];
    const names = members.get(chunk);
    if (names === undefined) {
      apart.add(file);
      return undefined;
    }
    if (!names.has(file)) names.set(file, `m${names.size}`);
    return { chunk, name: names.get(file) };
  };
  return {
    name: 'in-few-chunks',
    setup(build) {
      build.onStart(async () => {
        for (const names of members.values()) names.clear();
        for (const file of await readdir(root, { recursive: true })) {
          if (!/\.tsx?$/.test(file)) continue;
          const importer = join(root, file);
          for (const [, path] of (await readFile(importer, 'utf8')).matchAll(dynamic)) placeOf(importer, path);
        }
      });
      build.onResolve({ filter: /^babelq:/ }, ({ path }) => ({ path, namespace: 'chunk' }));
      build.onLoad({ filter: /.*/, namespace: 'chunk' }, ({ path }) => ({
        contents: [
          ...[...members.get(path.slice('babelq:'.length))].map(
            ([file, name]) => `export * as ${name} from ${JSON.stringify(`./${file}`)};`,
          ),
          ...(path === `babelq:${first}` ? [] : [`import 'babelq:${first}';`]),
        ].join('\n'),
        resolveDir: root,
      }));
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        let contents = text.replace(dynamic, (whole, imported) => {
          const place = placeOf(path, imported);
          return place === undefined ? whole : `import('babelq:${place.chunk}').then((chunk) => chunk.${place.name})`;
        });
        if (apart.has(relative(root, path))) contents = `import 'babelq:${first}';${contents}`;
        return contents === text ? undefined : { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}
