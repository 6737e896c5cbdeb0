import { LISTING_LIMIT } from '../../model/operations/list.ts';
import { limitOf } from '../../model/options/numbers.ts';
import { requireTerminal, runTui } from '../../tui/start.ts';
import { EditorFile } from '../acting/editor.ts';
import type { Context } from '../context.ts';

interface Options {
  limit?: string;
  hold?: boolean;
}

export async function run(_args: string[], options: Options, context: Context): Promise<number> {
  const { io, terminal, signal, global } = context;
  const streams = {
    stdin: io.stdin as NodeJS.ReadStream,
    stdout: io.stdout as NodeJS.WriteStream,
    stderr: io.stderr,
    env: io.env,
  };
  const limit = limitOf(options.limit, LISTING_LIMIT);
  // Before anything is opened: without a terminal there is nothing to do.
  requireTerminal(streams);
  const workspace = await context.open();
  // The screens say themselves what a signal leads to.
  return context.whileAsking(() =>
    runTui(workspace, {
      ...streams,
      color: terminal.paint.level > 0,
      allowReceive: global.allowReceive,
      limit,
      hold: options.hold ?? false,
      openEditor: (text, ending) => {
        const file = new EditorFile(text, ending);
        return { edit: () => file.edit(context), read: () => file.read(), remove: () => file.remove() };
      },
      signal,
      exitNow: (code) => process.exit(code),
    }),
  );
}
