import { JadpoApp } from './app.ts';
import { openAppDatabase } from './databases.ts';
import { messageBody } from './messages.ts';

/**
 * The app in a process of its own, started with `fork`: its database, how many messages its queue holds, and the pause
 * between two ticks in milliseconds (a real one ticks every ten seconds). It says `ticking` after the first, and what it
 * did when it gets a message.
 */
const [address = '', queued = '0', pause = '10'] = process.argv.slice(2);
const database = await openAppDatabase(address);
const app = new JadpoApp(
  database,
  // Every tenth comes twice.
  Array.from({ length: Number(queued) }, (_, n) => messageBody(`q${n % 10 === 9 ? n - 1 : n}`, n)),
);

let running = true;
process.on('message', () => {
  running = false;
});

while (running) {
  try {
    await app.tick();
  } catch (error) {
    app.report.errors.push(error instanceof Error ? error.message : String(error));
  }
  if (app.report.ticks === 1) process.send?.('ticking');
  await new Promise((resolve) => setTimeout(resolve, Number(pause)));
}
await database.close();
process.send?.(app.report, () => process.exit(0));
