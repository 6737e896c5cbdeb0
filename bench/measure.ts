/** Runs a command to its end, and says how long it took and how much memory it needed at most. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Measured {
  seconds: number;
  /** Peak resident memory of the process, MB. */
  peakMb: number;
  stdout: string;
}

const PEAK = pathToFileURL(resolve(import.meta.dirname, 'peak.ts')).href;

/** @throws Error where it exits with anything but 0 */
export async function measure(
  command: string,
  args: readonly string[],
  environment: Record<string, string>,
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
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  try {
    const code = await new Promise<number | null>((done, fail) => {
      child.on('error', fail);
      child.on('close', done);
    });
    const seconds = (performance.now() - start) / 1000;
    if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}: ${stderr.slice(-2000)}`);
    return { seconds, peakMb: isNode ? Number(readFileSync(peakFile, 'utf8')) / 1024 : Number.NaN, stdout };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
