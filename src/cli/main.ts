// Apart, so that it comes with what looking needs (scripts/bundle-plugins.mjs).
const { run } = await import('./run.ts');
const code = await run(
  process.argv.slice(2),
  {
    // Node opens stdin when it is first asked for, and most commands never do.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
  },
  process,
);
// A keep-alive socket or an open stdin must not keep a finished run alive; everything printed has been flushed.
process.exit(code);
