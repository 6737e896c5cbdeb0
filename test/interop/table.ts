import { BEHAVIOURS } from '../support/behaviours.ts';
import { DIFFERENT_BEHAVIOURS, EMULATOR_FAULTS, type EmulatorName } from '../support/emulator-faults.ts';
import type { Tried } from './results.ts';
import type { PartHere } from './setup.ts';

/** A journey, as far as the table tells of it. */
export interface ToldJourney {
  name: string;
  /** Where it can't be made, and why. */
  notOn?: Partial<Record<EmulatorName, string>>;
}

const ALIKE = 'yes';

/**
 * docs/servers.md. A server that ran here is told by what this run saw of it, one that can't be had here by what is known of
 * it, so that the text is the same wherever it is made.
 */
export function serversDocument(
  parts: readonly PartHere[],
  tried: readonly Tried[],
  journeys: readonly ToldJourney[],
): string {
  const servers = parts.filter(({ name }) => name in DIFFERENT_BEHAVIOURS);
  const names = servers.map(({ name }) => name as EmulatorName);
  const seen = (part: string, kind: Tried['kind'], name: string) =>
    tried.find((one) => one.part === part && one.kind === kind && one.name === name);
  const behaviour = (server: PartHere, name: string): string => {
    const known = DIFFERENT_BEHAVIOURS[server.name as EmulatorName][name];
    if (server.state !== 'running') return known ?? ALIKE;
    const outcome = seen(server.name, 'behaviour', name)?.outcome;
    if (outcome === undefined) return 'not tried';
    return outcome === 'alike' ? ALIKE : (known ?? 'otherwise');
  };
  const journey = (server: PartHere, { name, notOn }: ToldJourney): string => {
    const why = notOn?.[server.name as EmulatorName];
    if (why !== undefined) return `no: ${why}`;
    return server.state !== 'running' || seen(server.name, 'journey', name) !== undefined ? ALIKE : 'failed';
  };

  const checked = BEHAVIOURS.filter(({ long }) => !long).map(({ name }) => ({
    name,
    cells: servers.map((server) => behaviour(server, name)),
  }));
  const differing = checked.filter(({ cells }) => cells.some((cell) => cell !== ALIKE));
  const common = checked.filter(({ cells }) => cells.every((cell) => cell === ALIKE));
  return [
    '# Servers that babelq is tried on',
    '',
    'babelq is made for Amazon SQS. These servers were written by others; what babelq relies on is checked on each of them, and',
    'the journeys of the command line are made on each. `npm run test:interop` does it and compares this page with what it saw;',
    '`npm run test:interop -- -u` writes it. babelq itself knows none of these differences.',
    '',
    table(
      ['server', 'version', 'from'],
      servers.map(({ name, version, origin }) => [name, version ?? '', origin]),
    ),
    '',
    '## Where they differ from SQS',
    '',
    '`yes`: as SQS does. Otherwise: what the server does instead.',
    '',
    table(
      ['on SQS', ...names],
      differing.map(({ name, cells }) => [name, ...cells]),
    ),
    '',
    'As SQS on all of them:',
    '',
    ...common.map(({ name }) => `- ${name}`),
    '',
    ...(journeys.length === 0
      ? []
      : [
          '## Journeys of the command line',
          '',
          table(
            ['journey', ...names],
            journeys.map((one) => [one.name, ...servers.map((server) => journey(server, one))]),
          ),
          '',
        ]),
    '## What else is known of them',
    '',
    ...names
      .filter((name) => EMULATOR_FAULTS[name].length > 0)
      .flatMap((name) => [`**${name}**`, '', ...EMULATOR_FAULTS[name].map((fault) => `- ${fault}`), '']),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
