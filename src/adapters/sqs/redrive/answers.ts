import type { BatchAnswer } from '../client.ts';
import { sayCode } from '../say-code.ts';

/** What a batch's answer says of one entry. */
export type EntryAnswer<T> =
  | { kind: 'yes'; entry: T }
  /** Definitely not done. `again`: by the server's fault or too fast, so it may be tried once more. */
  | { kind: 'no'; code: string; why: string; again: boolean }
  /** The answer doesn't say: it may have been done. */
  | { kind: 'unknown'; why: string };

const TOO_FAST = /throttl/i;

/**
 * Holds an answer against what was asked. An entry counts as done where it is in `successful` once and not in `failed`;
 * one that is in neither, or in both, is unknown. Entries that nobody asked for say nothing about those that were.
 */
export function readAnswer<T extends { id: string }>(
  asked: readonly string[],
  answer: BatchAnswer<T>,
): Map<string, EntryAnswer<T>> {
  const read = new Map<string, EntryAnswer<T>>();
  for (const id of asked) {
    const [entry, ...more] = answer.successful.filter((one) => one.id === id);
    const failed = answer.failed.find((one) => one.id === id);
    if (entry !== undefined && failed === undefined && more.length === 0) {
      read.set(id, { kind: 'yes', entry });
    } else if (failed !== undefined && entry === undefined) {
      const again = !failed.senderFault || TOO_FAST.test(failed.code);
      read.set(id, { kind: 'no', code: failed.code, why: sayCode(failed.code, failed.message), again });
    } else {
      const where = entry === undefined ? 'left it out' : 'gave it twice';
      read.set(id, { kind: 'unknown', why: `the answer ${where}` });
    }
  }
  return read;
}
