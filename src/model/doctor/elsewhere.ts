import type { BabelqError } from '../errors.ts';

/** Where another source's service has a queue of the same name. */
export interface SqsElsewhere {
  /** That source's name. */
  source: string;
  /** In words: `eu-west-1, account 123456789012`. */
  where: string;
  /** Its region, profile and endpoint, as its configuration has them. */
  settings: [key: string, value: string][];
}

/** Whether a source's trouble is that its queue isn't there: only then it is worth looking elsewhere. */
export function isMissingQueue(trouble: BabelqError | null): boolean {
  return trouble?.code === 'no_queue';
}
