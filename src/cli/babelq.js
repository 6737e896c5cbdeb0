#!/usr/bin/env node
// Parses on old Nodes too, so that they get a sentence and not a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`babelq needs Node 22.13 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  import('./main.js');
}
