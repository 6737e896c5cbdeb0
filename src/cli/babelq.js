#!/usr/bin/env node
// Parses on old Nodes too, so that they get a sentence and not a syntax error. SQLite's binary needs Node-API 10, and ends
// the process without it: 22.14 has it, and 23 from 23.6 on.
if (Number(process.versions.node.split('.')[0]) < 22 || Number(process.versions.napi) < 10) {
  process.stderr.write(`babelq needs Node 22.14 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else if (process.argv.length === 3 && /^(-V|--version)$/.test(process.argv[2])) {
  // What scripts ask first, and often: not worth loading anything for.
  process.stdout.on('error', ({ code }) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`babelq: The version could not be written (${code}).\n`);
    process.exitCode = 1;
  });
  process.stdout.write(`${BABELQ_VERSION}\n`);
} else {
  keepCompiled();
  import('./main.js');
}

/** Node then compiles babelq's files only once: a tenth of a start and more. It goes on without where it can't write. */
function keepCompiled() {
  const { HOME, XDG_CACHE_HOME } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (cache) process.getBuiltinModule('node:module').enableCompileCache(`${cache}/babelq`);
}
