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
