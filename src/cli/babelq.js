#!/usr/bin/env node
// Parses on old Nodes too, so that they get a sentence and not a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`babelq needs Node 22.13 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2])) {
  // What scripts ask first, and often: not worth loading anything for.
  process.stdout.write(`${BABELQ_VERSION}\n`);
} else {
  keepCompiled();
  import('./main.js');
}

/** Node then compiles babelq's files only once: a third of a start. It goes on without where it can't write. */
function keepCompiled() {
  const { HOME, XDG_CACHE_HOME } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (cache) process.getBuiltinModule('node:module').enableCompileCache(`${cache}/babelq`);
}
