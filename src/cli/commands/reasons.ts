import { EXIT } from '../../model/errors.ts';
import { REASONS, type Reason } from '../../model/reasons.ts';
import type { Context } from '../context.ts';
import { print, type Report } from '../outputs/report.ts';
import { wrap } from '../outputs/wrap.ts';
import type { Terminal } from '../terminal.ts';

export async function run(_args: string[], _options: unknown, { global, terminal }: Context): Promise<number> {
  print(REPORT, global.output, terminal);
  return EXIT.done;
}

const REPORT: Report<Reason> = {
  document: { reasons: REASONS },
  rows: REASONS,
  id: ({ code }) => code,
  csv: [
    { name: 'code', value: ({ code }) => code },
    { name: 'origins', value: ({ origins }) => origins.join(' ') },
    { name: 'meaning', value: ({ meaning }) => meaning },
    { name: 'before_retry', value: ({ before_retry }) => before_retry },
  ],
  show,
};

function show(terminal: Terminal): void {
  const width = Math.min(terminal.columns ?? 100, 100);
  for (const { code, basis, meaning, before_retry } of REASONS) {
    const from = Object.entries(basis).map(([origin, how]) => `${origin}, ${how}`);
    terminal.write(`${terminal.paint.bold(code)}  ${terminal.paint.dim(`(${from.join('; ')})`)}\n`);
    for (const line of [...wrap(meaning, width - 2), ...wrap(`Before a retry: ${before_retry}`, width - 2)]) {
      terminal.write(`  ${line}\n`);
    }
    terminal.write('\n');
  }
  terminal.write('Any other code was recorded by an app, and is shown as it is.\n');
}
