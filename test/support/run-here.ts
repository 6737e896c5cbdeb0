import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/run.ts';

/** A stream that keeps what is written to it, and says that it is a terminal where it should be one. */
class Kept extends Writable {
  readonly isTTY: boolean;
  readonly columns = 100;
  readonly rows = 40;
  readonly #chunks: Buffer[] = [];

  constructor(tty: boolean) {
    super({ decodeStrings: true });
    this.isTTY = tty;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }
}

export interface RanHere {
  stdout: Buffer;
  stderr: Buffer;
  code: number;
}

/** Runs babelq in this process: much faster than to start it, and with streams that may be terminals. */
export async function runHere(
  args: readonly string[],
  { env, cwd, tty = false, input = '' }: { env: Record<string, string>; cwd: string; tty?: boolean; input?: string },
): Promise<RanHere> {
  const [stdout, stderr] = [new Kept(tty), new Kept(tty)];
  const stdin = Object.assign(Readable.from(input === '' ? [] : [Buffer.from(input)]), { isTTY: tty });
  const io = { stdin, stdout, stderr, env, cwd } as unknown as Parameters<typeof run>[1];
  const code = await run(args, io, { on: () => {}, off: () => {}, exit: () => {} });
  return { stdout: stdout.bytes, stderr: stderr.bytes, code };
}
