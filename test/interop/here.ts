import { inject } from 'vitest';
import type { EmulatorName } from '../support/emulator-faults.ts';

/** An SQS-compatible server that runs here. */
export interface ServerHere {
  name: EmulatorName;
  version: string;
  endpoint: string;
  account: string;
}

export function sqsServersHere(): ServerHere[] {
  return inject('parts').flatMap(({ name, version, server }) =>
    server === null || version === null ? [] : [{ name: name as EmulatorName, version, ...server }],
  );
}

/** A fact that a part told of itself; null where it isn't here. */
export function factOf(part: string, fact: string): string | null {
  return inject('parts').find(({ name }) => name === part)?.facts[fact] ?? null;
}
