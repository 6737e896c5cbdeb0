import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BabelqError, Interrupted } from '../../model/errors.ts';
import type { Context } from '../context.ts';

/** A text in a private file (0600, in a folder of its own, 0700), for the person's own editor. Remove it. */
export class EditorFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #atExit = () => this.remove();

  /** @param ending what the editor may tell the kind of text by: `json` or `txt` */
  constructor(text: string, ending: 'json' | 'txt') {
    this.#folder = mkdtempSync(join(tmpdir(), 'babelq-edit-'));
    this.#path = join(this.#folder, `body.${ending}`);
    // A second Ctrl+C leaves at once, and must not leave a body behind.
    process.once('exit', this.#atExit);
    writeFileSync(this.#path, text, { mode: 0o600, flag: 'wx' });
  }

  /**
   * Opens $VISUAL, else $EDITOR, else vi, and resolves when it has ended.
   * @throws BabelqError `refused` where it can't be started or says that it failed; Interrupted
   */
  async edit({ io, signal, whileAway }: Pick<Context, 'io' | 'signal' | 'whileAway'>): Promise<void> {
    const editor = io.env.VISUAL || io.env.EDITOR || 'vi';
    // A script's own editor may need no terminal.
    if (editor === 'vi' && io.stdin.isTTY !== true) {
      throw new BabelqError('refused', 'There is no terminal for vi to work in; nothing was sent.', {
        hint: UNATTENDED,
      });
    }
    // Through a shell, since an editor may be several words (code --wait); the file's name is ours, and an argument.
    const code = await whileAway(
      () =>
        new Promise<number | null>((resolve, reject) => {
          const child = spawn('/bin/sh', ['-c', `${editor} "$@"`, editor, this.#path], {
            // What is printed on stdout is data: where that is no terminal the editor draws on stderr.
            stdio: ['inherit', io.stdout.isTTY === true ? 'inherit' : 2, 'inherit'],
            env: io.env as NodeJS.ProcessEnv,
            cwd: io.cwd,
            signal,
          });
          child.once('error', reject);
          child.once('close', resolve);
        }),
    ).catch((cause: unknown) => {
      if (signal.aborted) throw new Interrupted();
      throw new BabelqError('refused', 'The editor could not be started; nothing was sent.', { hint: HINT, cause });
    });
    if (code === 0) return;
    const why = code === 127 ? `There is no ${editor} here` : `${editor} ended with an error (${code ?? 'killed'})`;
    throw new BabelqError('refused', `${why}; nothing was sent.`, { hint: HINT });
  }

  /** What was saved; null where it isn't UTF-8. */
  read(): string | null {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(this.#path));
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  }

  remove(): void {
    process.off('exit', this.#atExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const UNATTENDED =
  'Without a terminal name what changes with --set and --unset, or a program in $EDITOR that needs none.';
const HINT = 'Set $VISUAL or $EDITOR to the editor you want, or use --set PATH=VALUE.';
