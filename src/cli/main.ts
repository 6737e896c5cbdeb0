import { run } from './run.ts';

const code = await run(
  process.argv.slice(2),
  { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd() },
  process,
);
// A keep-alive socket or an open stdin must not keep a finished run alive; everything printed has been flushed.
process.exit(code);
