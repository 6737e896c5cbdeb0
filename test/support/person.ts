import { PassThrough } from 'node:stream';
import { run } from '../../src/cli/run.ts';

export interface Sat {
  stdout: string;
  stderr: string;
  code: number;
}

/**
 * Runs babelq in this process with a person before it: all three streams are a terminal.
 * @param answer what the person types when asked; null presses Ctrl+C
 */
export async function atATerminal(
  args: readonly string[],
  answer: string | null,
  { env, cwd, columns = 100 }: { env: Record<string, string>; cwd: string; columns?: number },
): Promise<Sat> {
  const listeners = new Map<string, () => void>();
  const host = {
    on: (signal: string, listener: () => void) => listeners.set(signal, listener),
    off: (signal: string) => listeners.delete(signal),
    exit: () => {},
  };
  const said = { stdout: '', stderr: '' };
  const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns });
  const [stdin, stdout, stderr] = [terminal(), terminal(), terminal()];
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
    if (!text.includes('[y/N]')) return;
    if (answer === null) listeners.get('SIGINT')?.();
    else stdin.write(answer);
  });
  const io = { stdin, stdout, stderr, env, cwd } as unknown as Parameters<typeof run>[1];
  const code = await run(args, io, host);
  return { ...said, code };
}
