import { type Instance, render } from 'ink';
import { sayHeld, stillHidden } from '../model/display/held.ts';
import { EXIT } from '../model/errors.ts';
import type { Workspace } from '../model/workspace.ts';
import type { TuiOptions } from './options.ts';
import { paintFor } from './paint.ts';
import { App } from './views/app.tsx';
import { Runtime } from './work/runtime.ts';

/** Resolves with the exit code, or rejects with what went wrong, in either case after the terminal was given back. */
export function openScreens(workspace: Workspace, options: TuiOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const { stdin, stdout, stderr, signal } = options;
    let ink: Instance | null = null;
    let ended = false;

    /** The first way out that is taken is the one. Gives the terminal back at once. */
    const end = async (finish: () => Promise<void> | void): Promise<void> => {
      if (ended) return;
      ended = true;
      signal.removeEventListener('abort', onSignal);
      stdin.off('end', onHangUp);
      stdin.off('close', onHangUp);
      process.off('uncaughtException', onFailure);
      process.off('unhandledRejection', onFailure);
      ink?.unmount();
      // Its last writes, and the screen that was there before, must be out before anything is said. Where the terminal
      // is gone they never will be.
      await Promise.race([ink?.waitUntilExit().catch(() => {}), waitFor(stdout)]);
      await finish();
    };

    const settle = async () => {
      if (runtime.holdsOrBusy) stderr.write('Finishing what was begun and letting go of what is held…\n');
      await runtime.stop();
      sayStillHidden();
    };
    /** What could not be given back, the server being gone. */
    const sayStillHidden = () => {
      const still = stillHidden(workspace.sources, workspace.clock.now());
      if (still !== null) stderr.write(`${still}\n`);
    };
    const onSignal = () => {
      void end(async () => {
        await settle();
        resolve(EXIT.interrupted);
      });
    };
    const onHangUp = () => onSignal();
    const onFailure = (error: unknown) => {
      void end(async () => {
        await settle();
        reject(error);
      });
    };
    const onLeave = (code: number, atOnce: boolean) => {
      void end(() => {
        if (atOnce) {
          const held = sayHeld(workspace.sources, workspace.clock.now());
          if (held !== null) stderr.write(`${held}\n`);
          options.exitNow(code);
        } else sayStillHidden();
        resolve(code);
      });
    };

    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    const runtime = new Runtime(workspace, { ...options, size, onLeave, onFailure });
    signal.addEventListener('abort', onSignal);
    stdin.on('end', onHangUp);
    stdin.on('close', onHangUp);
    process.on('uncaughtException', onFailure);
    process.on('unhandledRejection', onFailure);
    ink = render(<App store={runtime} paint={paintFor(options.color)} />, {
      stdin,
      stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      alternateScreen: true,
      // Also where CI=true stands in the environment: whether there is a terminal was asked already.
      interactive: true,
      incrementalRendering: true,
      maxFps: 60,
    });
    // What a component throws ends Ink by itself.
    ink.waitUntilExit().catch(onFailure);
    if (signal.aborted) onSignal();
    else runtime.start();
  });
}

/** Long enough for a screen to be written, short enough for a terminal that is gone. */
function waitFor(stdout: NodeJS.WriteStream): Promise<void> {
  return new Promise((done) => {
    if (stdout.destroyed) done();
    else setTimeout(done, 500);
  });
}
