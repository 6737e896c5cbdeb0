/**
 * `npm run demo`: failures to look at, and the main job done on them. On a terminal the screens open after the tour;
 * `--serve` leaves the servers running for any `babelq …` a person types.
 */
import { createInterface } from 'node:readline/promises';
import { startApps } from './apps.ts';
import { screens, tour } from './tour.ts';
import { openWorld, type World } from './world.ts';

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== '--serve');
if (unknown !== undefined) {
  process.stderr.write(`Unknown: ${unknown}. Try: npm run demo, or npm run demo -- --serve\n`);
  process.exit(2);
}

const world = await openWorld();
let closing: Promise<void> | undefined;
const close = () => {
  closing ??= world.close();
  return closing;
};
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.on(signal, () => {
    void close().then(() => process.exit(code));
  });
}

try {
  if (args.includes('--serve')) await serve(world);
  else {
    await tour(world);
    if (process.stdin.isTTY && process.stdout.isTTY) {
      const lines = createInterface({ input: process.stdin, output: process.stdout });
      await lines.question('\nPress Enter for the screens (q leaves them). ');
      lines.close();
      await screens(world);
    } else {
      process.stdout.write(
        '\nOn a terminal, npm run demo also opens the screens; npm run demo -- --serve leaves all this running.\n',
      );
    }
  }
} finally {
  await close();
}

async function serve(served: World): Promise<void> {
  const { environment, server } = served;
  await startApps(served);
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`);
  process.stdout.write(`An SQS-compatible server listens at ${server.endpoint}. In another shell, in this folder:

${lines.join('\n')}

and then any of it, say
  npx babelq deliveries
  npx babelq retry --queue payments --dry-run
  npx babelq

Apps run behind the queues: what is retried is handled, or comes back. docs/runbooks.md has eight situations to play.

Ctrl+C ends it all.
`);
  // The server keeps the process alive until a signal ends it.
  await new Promise<never>(() => {});
}
