import { appendFileSync, existsSync, readFileSync } from 'node:fs';

export interface Tried {
  part: string;
  kind: 'behaviour' | 'journey' | 'other';
  name: string;
  /** As on SQS; or otherwise, as it is known of that server. */
  outcome: 'alike' | 'different';
}

export function noteTried(file: string, tried: Tried): void {
  appendFileSync(file, `${JSON.stringify(tried)}\n`);
}

/** What was tried so far; a test that ran twice counts once. */
export function triedIn(file: string): Tried[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const all = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Tried);
  return [...new Map(all.map((one) => [`${one.part} ${one.kind} ${one.name}`, one])).values()];
}

/** One line for each part: how much of what was tried on it. */
export function countsIn(file: string): Map<string, string> {
  const lines = new Map<string, string>();
  const all = triedIn(file);
  for (const part of new Set(all.map((one) => one.part))) {
    const of = (kind: Tried['kind']) => all.filter((one) => one.part === part && one.kind === kind);
    const behaviours = of('behaviour');
    const different = behaviours.filter(({ outcome }) => outcome === 'different').length;
    const said = [
      behaviours.length > 0 &&
        `${behaviours.length} behaviours, ${different} of them otherwise than on SQS, as is known`,
      of('journey').length > 0 && `${of('journey').length} journeys`,
      of('other').length > 0 && `${of('other').length} more`,
    ];
    lines.set(part, said.filter((one) => one !== false).join('; '));
  }
  return lines;
}
