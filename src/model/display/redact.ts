import type { WholeFailure } from '../failure.ts';
import { valuesAt } from '../json/path.ts';
import { scanJson } from '../json/scan.ts';
import { parseMemberPath } from '../member-path.ts';

/** What stands for a value that was blanked. */
const BLANKED = '"[redacted]"';

/**
 * A JSON body with the members at `paths` (`data.email`, `data.card.*`) blanked, whatever their values, duplicates
 * included; no other byte changes. A body that isn't JSON comes back as it is, not marked. Throws `usage` for a path that
 * can't be read.
 */
export function redactBody(body: string, paths: readonly string[]): { body: string; redacted: boolean } {
  const parsed = paths.map((path) => parseMemberPath(path, 'redact'));
  if (parsed.length === 0 || scanJson(body) === undefined) return { body, redacted: false };
  // Outer values first: what lies within one that is blanked is gone with it.
  const spans = parsed.flatMap((path) => valuesAt(body, path)).sort((a, b) => a.start - b.start || b.end - a.end);
  const out: string[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    if (start < at) continue;
    out.push(body.slice(at, start), BLANKED);
    at = end;
  }
  out.push(body.slice(at));
  return { body: out.join(''), redacted: spans.length > 0 };
}

/** What a failure shows of its body beside it, and where in an app's record that stands. */
const COPIES = [
  ['error', ['dead_letter', 'error']],
  ['exception', ['dead_letter', 'exception']],
] as const;

/**
 * The failure with its body redacted, and marked where that blanked anything. An error or an exception is blanked where the
 * paths name its own place in the record; its text is looked at for nothing. Size and fingerprint stay those of what is stored.
 */
export function redactFailure<T extends WholeFailure>(failure: T, paths: readonly string[]): T {
  if (failure.body === null || paths.length === 0) return failure;
  const { body, redacted } = redactBody(failure.body, paths);
  if (!redacted) return failure;
  const shown: T = { ...failure, body, redacted };
  if (failure.origin === 'jadpo') return shown;
  const parsed = paths.map((path) => parseMemberPath(path, 'redact'));
  for (const [member, at] of COPIES) {
    const isNamed = parsed.some(
      (path) => path.length <= at.length && path.every((name, n) => name === '*' || name === at[n]),
    );
    if (isNamed && shown[member] !== null) shown[member] = JSON.parse(BLANKED) as string;
  }
  return shown;
}
