/** What stands for a secret that is there. */
const MASK = '***';

/** Names of variables and of a URL's parameters that hold secrets. Too many masked is better than one shown. */
const SECRET_NAME = /pass|pwd|secret|token|(?<!public_?)key|credential|auth|signature|private/i;

/** Whether a variable by this name is to be taken for a secret. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * A setting's value as it may be shown: without the password of a URL and the parameters of one that look secret, and as
 * `***` where a variable was put in whose name looks secret.
 * @param variables the names of those that were put in
 */
export function maskSecrets(value: string, variables: readonly string[]): { value: string; masked: boolean } {
  if (variables.some(isSecretName)) return { value: MASK, masked: true };
  const shown = value
    // Up to the last @: a password that should have been percent-encoded may hold slashes and more of them.
    .replace(/^([a-z][a-z\d+.-]*:\/\/[^:@]*):.*@/is, (_, before: string) => `${before}:${MASK}@`)
    .replace(/([?&;\s]|^)([^=?&;\s]+)=([^&;\s]*)/g, (pair, before: string, name: string) =>
      isSecretName(name) ? `${before}${name}=${MASK}` : pair,
    );
  return { value: shown, masked: shown !== value };
}
