/** What stands for a secret that is there. */
export const MASK = '***';

/** Names of variables and of a URL's parameters that hold secrets. Too many masked is better than one shown. */
const SECRET_NAME = /pass|pwd|secret|token|(?<!public_?)key|credential|auth|signature|private/i;

/** Whether a variable or a parameter by this name is to be taken for a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(decoded(name));
}

/**
 * A URL, or a list of parameters, as it may be shown: the password of its user and the values of parameters that look
 * secret as `***`. One that should have been percent-encoded may hold any character: so a password ends at the last @,
 * and a parameter where the next one plainly begins.
 */
export function maskUrl(text: string): string {
  return (
    text
      .replace(/([?&;\s]|^)([^=?&;\s]+)=((?:(?![&;\s][^=?&;\s]+=).)*)/gs, (pair, before: string, name: string) =>
        isSecretName(name) ? `${before}${name}=${MASK}` : pair,
      )
      .replace(/^([a-z][a-z\d+.-]*:\/\/[^:]*):.*@/is, (_, before: string) => `${before}:${MASK}@`)
      // Where the host was forgotten, what stands for its port is the password.
      .replace(
        /^([a-z][a-z\d+.-]*:\/\/[^:@/?#[]*):(?!\d*(?:[/?#]|$)|\*\*\*@).*/is,
        (_, before: string) => `${before}:${MASK}`,
      )
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
