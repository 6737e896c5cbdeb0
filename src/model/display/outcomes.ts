import type { LogEntry } from '../ports.ts';

/** How a message of the log ended, in words. */
export const OUTCOME_WORDS: Readonly<Record<LogEntry['outcome'], string>> = {
  done: 'done',
  failed: 'failed',
  uncertain: 'uncertain',
  under_way: 'under way',
  overtaken: 'overtaken',
};
