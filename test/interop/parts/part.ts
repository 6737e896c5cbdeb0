import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Something that was written by others and that babelq is tried with: a server, or a program. */
export interface Part {
  readonly name: string;
  /** Where it comes from. */
  readonly origin: string;
  /** The version that is asked for; null where it is the machine's own. */
  readonly version: string | null;
  /** Installs what it needs, starts it, and gives its version and what the tests need to know of it. */
  start(): Promise<StartedPart>;
}

export interface StartedPart {
  /** Only of what has no version that is asked for. */
  version?: string;
  /** Of an SQS-compatible server: where it is, and which account owns its queues. */
  server?: { endpoint: string; account: string };
  /** What else the tests need: paths, a database's address. */
  facts?: Readonly<Record<string, string>>;
  close?(): Promise<void>;
}

/** It can't be had on this machine: no toolchain, or a registry that nobody here can reach. The suite says so and goes on. */
export class NotHere extends Error {}

/** Where everything is kept that was installed. */
const CACHE = process.env.BABELQ_INTEROP_CACHE ?? resolve(import.meta.dirname, '../../../.cache/interop');

const TRIES = 3;
const INSTALL_MS = 300_000;
const READY_MS = 90_000;

/** The first of these programs that this machine has. */
export async function programOf(...names: string[]): Promise<string> {
  for (const name of names) {
    const found = await run('sh', ['-c', `command -v "$0"`, name]).catch(() => '');
    if (found.trim() !== '') return name;
  }
  throw new NotHere(`this machine has no ${names.join(' or ')}`);
}

/** Runs a program to its end and gives its stdout; its failure has the end of what it said. */
export async function run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  return await new Promise((done, failed) => {
    const options = { env: { ...process.env, ...env }, timeout: INSTALL_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error === null) done(stdout);
      else failed(new Error(`${program} ${args.join(' ')}: ${`${stdout}\n${stderr}`.trim().slice(-1000)}`));
    });
  });
}

/**
 * Installs into a folder of the cache, once for each content of `pins`. A download that fails is tried again; where all
 * fail, a small look-up tells a registry that can't be reached (NotHere) from an install that is broken.
 */
export async function install(
  name: string,
  pins: string,
  { into, lookUp }: { into(folder: string): Promise<unknown>; lookUp(): Promise<unknown> },
): Promise<string> {
  const folder = join(CACHE, `${name}-${createHash('sha256').update(pins).digest('hex').slice(0, 12)}`);
  const marker = join(folder, '.complete');
  if (existsSync(marker)) return folder;
  for (let tries = 1; ; tries += 1) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    try {
      await into(folder);
      writeFileSync(marker, '');
      return folder;
    } catch (error) {
      if (tries < TRIES) continue;
      await lookUp().catch(() => {
        throw new NotHere(`its registry can't be reached: ${(error as Error).message.slice(-200)}`);
      });
      throw error;
    }
  }
}

/** A port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

export interface Kept {
  /** What it printed so far, its end. */
  said(): string;
  close(): Promise<void>;
}

/** Starts a program that ends with this process, whatever happens to it, and waits until it is ready. */
export async function keep(
  command: readonly string[],
  ready: () => Promise<unknown>,
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Kept> {
  const { env = {}, cwd } = options;
  const keeper = join(import.meta.dirname, 'keeper.mjs');
  const child = spawn(process.execPath, [keeper, ...command], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-4000);
    });
  }
  child.stdin.on('error', () => {});
  const ended = once(child, 'exit');
  const kept: Kept = {
    said: () => said,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
  const until = Date.now() + READY_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended at once: ${said.slice(-1000)}`);
    try {
      await ready();
      return kept;
    } catch (error) {
      if (Date.now() > until) {
        await kept.close();
        throw new Error(`${command[0]} wasn't ready in time: ${(error as Error).message}\n${said.slice(-1000)}`);
      }
      await new Promise((look) => setTimeout(look, 100));
    }
  }
}

/** Resolves where a server answers at all. */
export async function answers(url: string, init?: RequestInit): Promise<Response> {
  return await fetch(url, { ...init, signal: AbortSignal.timeout(2_000) });
}

/** A folder for what a server writes while it runs. */
export function scratch(name: string): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), `babelq-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
