/**
 * Runs a program for as long as whoever started this lives: `node keeper.mjs PROGRAM [ARGUMENT…]`, with a pipe as
 * stdin. When that pipe closes (the suite ended, or was killed in whatever way) the program and all that it started
 * end too.
 */
import { spawn } from 'node:child_process';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code) => process.exit(code ?? 1));

const signalAll = (signal) => {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It is gone.
  }
};
const GRACE_MS = 2_000;
let ending = false;
const end = () => {
  if (ending) return;
  ending = true;
  signalAll('SIGTERM');
  setTimeout(() => {
    signalAll('SIGKILL');
    process.exit(1);
  }, GRACE_MS);
};
process.stdin.resume().on('close', end).on('error', end);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
process.on('exit', () => signalAll('SIGKILL'));
