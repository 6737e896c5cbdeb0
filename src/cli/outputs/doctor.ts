import { counted } from '../../model/display/counts.ts';
import { escapeText } from '../../model/display/escape.ts';
import type { Check, Finding } from '../../model/doctor/check.ts';
import type { DoctorReport } from '../../model/operations/doctor.ts';
import type { Terminal } from '../terminal.ts';
import type { Report } from './report.ts';
import { wrap } from './wrap.ts';

/** Where nobody's terminal gives a width. */
const USUAL_WIDTH = 100;

/** What was examined, in every form: a table says what is well, too. */
export function doctorOutput(report: DoctorReport): Report<Finding> {
  return {
    document: report,
    rows: report.findings,
    id: ({ source, check }) => `${source}/${check}`,
    csv: [
      { name: 'source', value: ({ source }) => source },
      { name: 'check', value: ({ check }) => check },
      { name: 'severity', value: ({ severity }) => severity },
      { name: 'message', value: ({ message }) => message },
      { name: 'mend', value: ({ mend }) => mend },
      { name: 'command', value: ({ command }) => command },
      { name: 'terraform', value: ({ terraform }) => terraform },
    ],
    show: (terminal) => show(report, terminal),
  };
}

function show({ findings, checks }: DoctorReport, terminal: Terminal): void {
  const width = terminal.columns ?? USUAL_WIDTH;
  const sources = [...new Set(checks.map(({ source }) => source))];
  const blocks = sources.map((source) =>
    [
      terminal.paint.bold(escapeText(source)),
      ...findings.filter((one) => one.source === source).flatMap((one) => findingLines(one, terminal, width)),
      ...unknownLines(ofSource(checks, source, 'unknown'), terminal, width),
      ...okLines(ofSource(checks, source, 'ok'), terminal, width),
    ].join('\n'),
  );
  terminal.write(`${blocks.join('\n\n')}\n`);
  terminal.say(`\n${summary(findings, checks)}`);
}

function findingLines(finding: Finding, { paint }: Terminal, width: number): string[] {
  const { severity, check, message, mend, command, terraform } = finding;
  const isError = severity === 'error';
  const mark = isError ? paint.red('✗ error') : paint.yellow('! warning');
  return [
    `  ${mark} ${paint.bold(escapeText(check))}`,
    ...wrapped(message, width, 4),
    ...wrapped(`Mend: ${mend}`, width, 4),
    // Never broken: they are there to be copied.
    ...(command === null ? [] : [`      $ ${escapeText(command)}`]),
    ...(terraform === null ? [] : terraform.split('\n').map((line) => `      ${paint.dim(escapeText(line))}`)),
  ];
}

/** Those that can't be known for the same reason stand together. */
function unknownLines(checks: readonly Check[], { paint }: Terminal, width: number): string[] {
  const byReason = new Map<string, Map<string, string[]>>();
  for (const { check, about, message } of checks) {
    const names = byReason.get(message) ?? new Map<string, string[]>();
    names.set(check, [...(names.get(check) ?? []), ...(about === null ? [] : [about])]);
    byReason.set(message, names);
  }
  return [...byReason].flatMap(([message, names]) => {
    const said = [...names].map(([check, queues]) =>
      queues.length === 0 ? check : `${check} on ${queues.join(', ')}`,
    );
    const [first = '', ...rest] = wrapped(`unknown ${said.join('; ')}: ${message}`, width, 4);
    return [`  ${paint.cyan('?')} ${first.trimStart()}`, ...rest];
  });
}

function okLines(checks: readonly Check[], { paint }: Terminal, width: number): string[] {
  if (checks.length === 0) return [];
  const names = [...new Set(checks.map(({ check }) => check))];
  const [first = '', ...rest] = wrapped(`ok ${names.join(', ')}`, width, 4);
  return [`  ${paint.green('✓')} ${first.trimStart()}`, ...rest];
}

function ofSource(checks: readonly Check[], source: string, state: Check['state']): Check[] {
  return checks.filter((one) => one.source === source && one.state === state);
}

function wrapped(text: string, width: number, indent: number): string[] {
  return wrap(escapeText(text), Math.max(20, width - indent)).map((line) => `${' '.repeat(indent)}${line}`);
}

function summary(findings: readonly Finding[], checks: readonly Check[]): string {
  const count = (state: Check['state']) => checks.filter((one) => one.state === state).length;
  const unknown = count('unknown');
  const rest = `${counted(count('ok'), 'check')} found nothing wrong${unknown === 0 ? '' : `, and ${unknown} can't be told`}.`;
  if (findings.length === 0) return `Nothing is wrong. ${rest}`;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  const said = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  return `${said.join(' and ')}. ${rest}`;
}
