/** Runs a command, and says how long it took and how much memory it needed at most. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Measured {
  /** From its start to its end, or to what was waited for. */
  seconds: number;
  /** Peak resident memory of the process, MB; NaN where it isn't Node or was ended early. */
  peakMb: number;
  /** CPU time of the process, which other programs on the machine change little; NaN likewise. */
  cpuSeconds: number;
}

export interface Command {
  command: string;
  args: readonly string[];
  environment: Record<string, string>;
}

// Not TypeScript: to strip its types would cost the measured process some 20 MB.
const PEAK = pathToFileURL(resolve(import.meta.dirname, 'peak.mjs')).href;

/**
 * @param until where given, the clock stops when it resolves, and a program that is still running then is ended
 * @param codes the exit codes that are right
 * @throws Error where it exits with another before that
 */
export async function measure(
  { command, args, environment }: Command,
  until?: Promise<unknown>,
  codes: readonly number[] = [0],
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'babelq-bench-'));
  const peakFile = join(folder, 'peak');
  const env: NodeJS.ProcessEnv = { ...process.env, ...environment, BENCH_PEAK_FILE: peakFile };
  // It costs old Nodes 80 ms a start, and nothing measured here speaks TLS.
  delete env.NODE_EXTRA_CA_CERTS;
  const isNode = command === process.execPath;
  const start = performance.now();
  const child = spawn(command, isNode ? ['--import', PEAK, ...args] : [...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    const ended = end(child, `${command} ${args.join(' ')}`, codes);
    ended.catch(() => {});
    const first = until === undefined ? await ended : await Promise.race([ended, until.then(() => null)]);
    // What it was to bring about may be seen a moment after its end.
    if (first !== null) await until;
    const seconds = (performance.now() - start) / 1000;
    if (first === null && child.exitCode === null) child.kill('SIGKILL');
    const left = first !== null && isNode ? readFileSync(peakFile, 'utf8').split(' ').map(Number) : [];
    const [peakKb = Number.NaN, cpuMicros = Number.NaN] = left;
    return { seconds, peakMb: peakKb / 1024, cpuSeconds: cpuMicros / 1e6 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function end(child: ChildProcess, what: string, codes: readonly number[]): Promise<'ended'> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-2000);
  });
  const code = await new Promise<number | null>((done, fail) => {
    child.on('error', fail);
    child.on('close', done);
  });
  if (code === null || !codes.includes(code)) throw new Error(`${what} exited with ${code}: ${stderr}`);
  return 'ended';
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
