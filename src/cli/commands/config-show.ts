import { escapeText } from '../../model/display/escape.ts';
import { type Column, layOut } from '../../model/display/table.ts';
import { EXIT } from '../../model/errors.ts';
import type { ResolvedSetting } from '../config/resolved.ts';
import type { Context } from '../context.ts';
import { print } from '../outputs/report.ts';
import type { Terminal } from '../terminal.ts';

export async function run(_args: string[], _options: unknown, context: Context): Promise<number> {
  const { terminal, global } = context;
  const { files, settings } = await context.configured();
  const show = (to: Terminal) => showSettings(files, settings, to);
  print(
    { document: { files, settings }, rows: settings, csv: CSV, id: ({ setting }) => setting, show },
    global.output,
    terminal,
  );
  return EXIT.done;
}

const CSV = [
  { name: 'setting', value: ({ setting }: ResolvedSetting) => setting },
  { name: 'value', value: ({ value }: ResolvedSetting) => value },
  { name: 'from', value: ({ from }: ResolvedSetting) => from },
  { name: 'place', value: ({ place }: ResolvedSetting) => place },
  { name: 'variables', value: ({ variables }: ResolvedSetting) => variables.join(' ') },
  { name: 'masked', value: ({ masked }: ResolvedSetting) => masked },
];

const COLUMNS: readonly Column[] = [
  { title: 'SETTING' },
  { title: 'VALUE', least: 10 },
  { title: 'FROM', least: 10, drop: 1 },
];

function showSettings(files: readonly string[], settings: readonly ResolvedSetting[], terminal: Terminal): void {
  const rows = settings.map((setting) => [
    { text: escapeText(setting.setting) },
    { text: escapeText(String(setting.value)) },
    { text: escapeText(origin(setting)) },
  ]);
  terminal.write(`${layOut(COLUMNS, rows, terminal.columns, terminal.paint.dim).join('\n')}\n`);
  terminal.say('');
  terminal.say(
    files.length === 0
      ? 'No configuration file was found: ./babelq.yaml and ~/.config/babelq/config.yaml are looked for.'
      : `Read: ${files.map(escapeText).join(', ')}.`,
  );
}

function origin({ from, place, variables }: ResolvedSetting): string {
  const where = place ?? (from === 'default' ? 'the default' : from);
  return variables.length === 0 ? where : `${where}, with ${variables.map((name) => `$${name}`).join(', ')}`;
}
