export type Severity = 'error' | 'warning';

/** What is wrong, and the exact mend. */
export interface Finding {
  /** The source's name, or `config`, `journal`, `babelq`. */
  source: string;
  /** What was checked: a word such as `retention`, or a permission's name. */
  check: string;
  severity: Severity;
  message: string;
  /** What to do, in a sentence or two. */
  mend: string;
  /** The line that does it, to be typed or pasted; null where there is none. */
  command: string | null;
  /** The same for who keeps the infrastructure in Terraform; null where it isn't Terraform's. */
  terraform: string | null;
}

/** One check, so that silence is not taken for health. */
export interface Check {
  source: string;
  check: string;
  /** The queue that it was checked on; null where that is plain. */
  about: string | null;
  state: 'ok' | 'finding' | 'unknown';
  /** What was seen, or why it can't be known. */
  message: string;
}

/** What a rule makes of the facts, before it is known whose they are. */
export type Verdict = Omit<Check, 'source' | 'state'> & ({ state: 'ok' | 'unknown' } | ({ state: 'finding' } & Wrong));
type Wrong = Pick<Finding, 'severity' | 'mend' | 'command' | 'terraform'>;

/** @param about the queue that it was checked on, where that isn't plain */
export function ok(check: string, message: string, about: string | null = null): Verdict {
  return { check, about, state: 'ok', message };
}

/** @param message why it can't be known */
export function unknown(check: string, message: string, about: string | null = null): Verdict {
  return { check, about, state: 'unknown', message };
}

/** @param how the line that mends it and the same in Terraform, where there are any */
export function wrong(
  check: string,
  severity: Severity,
  message: string,
  mend: string,
  how: { command?: string; terraform?: string; about?: string } = {},
): Verdict {
  const { command = null, terraform = null, about = null } = how;
  return { check, about, state: 'finding', severity, message, mend, command, terraform };
}
