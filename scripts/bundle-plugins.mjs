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
    build.onResolve({ filter: /^[a-z]/ }, ({ path }) =>
      isBuiltin(path)
        ? { path: path.startsWith('node:') ? path : `node:${path}`, namespace: 'builtin', sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const load = `process.getBuiltinModule('${path}')`;
      // `node:events` and some others are functions, called or extended as such.
      if (typeof process.getBuiltinModule(path) === 'function') return { contents: `module.exports = ${load};` };
      // What the bundler makes of an import has the prototype of what is exported here.
      return {
        contents: `let it;
          const get = (_, key) => key === '__esModule' ? undefined : (it ??= ${load})[key];
          module.exports = Object.create(new Proxy({}, { get }));`,
      };
    });
  },
};

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
 * What is imported on use within src/ but nearly always used comes in one chunk; only what is named here stays apart.
 * Without it the bundler makes a chunk for each set of commands that share something: forty files for a listing.
 */
export function inOneChunk(root, apart) {
  const CORE = 'babelq:core';
  const dynamic = /import\('(\.[^']+\.tsx?)'\)/g;
  const names = new Map();
  const nameOf = (importer, path) => {
    const file = relative(root, resolve(dirname(importer), path));
    return apart.some((one) => file.endsWith(one)) ? undefined : (names.get(file) ?? add(file));
  };
  const add = (file) => {
    names.set(file, `m${names.size}`);
    return names.get(file);
  };
  return {
    name: 'in-one-chunk',
    setup(build) {
      build.onStart(async () => {
        names.clear();
        for (const file of await readdir(root, { recursive: true })) {
          if (!/\.tsx?$/.test(file)) continue;
          const importer = join(root, file);
          for (const [, path] of (await readFile(importer, 'utf8')).matchAll(dynamic)) nameOf(importer, path);
        }
      });
      build.onResolve({ filter: /^babelq:core$/ }, () => ({ path: CORE, namespace: 'core' }));
      build.onLoad({ filter: /.*/, namespace: 'core' }, () => ({
        contents: [...names]
          .map(([file, name]) => `export * as ${name} from ${JSON.stringify(`./${file}`)};`)
          .join('\n'),
        resolveDir: root,
      }));
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const contents = text.replace(dynamic, (whole, imported) => {
          const name = nameOf(path, imported);
          return name === undefined ? whole : `import('${CORE}').then((core) => core.${name})`;
        });
        return contents === text ? undefined : { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
      });
    },
  };
}
