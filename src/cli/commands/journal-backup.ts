import { resolve } from 'node:path';
import { bytes } from '../../model/display/bytes.ts';
import { counted, messages } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import { shellWord } from '../../model/display/shell-word.ts';
import { EXIT } from '../../model/errors.ts';
import type { Context } from '../context.ts';
import { print } from '../outputs/report.ts';

interface Options {
  replace?: boolean;
}

export async function run([file = '']: string[], options: Options, context: Context): Promise<number> {
  const { care } = await context.openJournalCare();
  const report = await care.backup(resolve(context.io.cwd, file), options.replace ?? false);
  print(
    {
      document: report,
      rows: [report],
      id: ({ file }) => file,
      csv: [],
      show: (terminal) => {
        terminal.write(
          `Copied ${counted(report.entries, 'entry', 'entries')} of ${counted(report.runs, 'run')}, with ${messages(report.messages)}, to ${escapeText(report.file)} (${bytes(report.size_bytes)}).\n`,
        );
        terminal.say(`It holds message bodies. Look into it: babelq log --journal ${shellWord(report.file)}`);
      },
    },
    context.global.output,
    context.terminal,
  );
  return EXIT.done;
}
