import { execFileSync, spawnSync } from 'node:child_process';
import { vi } from 'vitest';

/** Whether this machine has tmux; without it, the screens can't be tried in a real terminal. */
export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;
if (!HAS_TMUX)
  process.stderr.write('tmux is not installed: the screens are not tried in a terminal (apt-get install tmux).\n');

/** Long enough for a busy machine; what is waited for mostly comes at once. */
const PATIENCE_MS = 20_000;

let terminals = 0;

/** A real terminal with a shell in it, driven by keys and read as a person would. */
export class TmuxTerminal {
  readonly #socket: string;

  constructor(options: { columns: number; rows: number; cwd: string; env: Readonly<Record<string, string>> }) {
    terminals += 1;
    this.#socket = `babelq-test-${process.pid}-${terminals}`;
    const { columns, rows, cwd, env } = options;
    const args = ['-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', String(rows), '-c', cwd, 'sh'];
    execFileSync('tmux', ['-L', this.#socket, ...args], { env: { ...env, PS1: '$ ', LC_ALL: 'C.UTF-8' } });
    this.#tmux('set-option', '-g', 'remain-on-exit', 'on');
  }

  /** Keeps every byte that is written to the terminal from now on in a file. */
  record(path: string): void {
    this.#tmux('pipe-pane', '-o', `cat > '${path}'`);
  }

  /** Types text as it is. */
  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** Presses keys by tmux's names: `Enter`, `Escape`, `Down`, `PageUp`, `C-c`, `r`. */
  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  /** Pastes, as a terminal does: in brackets where the program asked for it. */
  paste(text: string): void {
    this.#tmux('set-buffer', text);
    this.#tmux('paste-buffer', '-p');
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** What is on the screen, a line a line. */
  screen(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** Resolves with the screen as soon as it shows the text. */
  waitFor(text: string | RegExp): Promise<string> {
    return vi.waitFor(
      () => {
        const screen = this.screen();
        const found = typeof text === 'string' ? screen.includes(text) : text.test(screen);
        if (!found) throw new Error(`The screen never showed ${text}:\n${screen}`);
        return screen;
      },
      { timeout: PATIENCE_MS, interval: 50 },
    );
  }

  /** Whether the screen that programs draw on is left, and the cursor is there again. */
  givenBack(): boolean {
    return this.#tmux('display-message', '-p', '#{alternate_on} #{cursor_flag}').trim() === '0 1';
  }

  /** What a program can name the window. */
  title(): string {
    return this.#tmux('display-message', '-p', '#{pane_title}').trim();
  }

  close(): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server']);
  }

  #tmux(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' });
  }
}
