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

/** The failure with its body redacted, and marked where that blanked anything. Its size stays that of the stored body. */
export function redactFailure<T extends WholeFailure>(failure: T, paths: readonly string[]): T {
  if (failure.body === null) return failure;
  const { body, redacted } = redactBody(failure.body, paths);
  return redacted ? { ...failure, body, redacted } : failure;
}
