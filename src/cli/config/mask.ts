import { isSecretName, MASK, maskUrl } from '../../model/display/secrets.ts';

/**
 * A setting's value as it may be shown: without the password of a URL and the parameters of one that look secret, and as
 * `***` where a variable was put in whose name looks secret.
 * @param variables the names of those that were put in
 */
export function maskSecrets(value: string, variables: readonly string[]): { value: string; masked: boolean } {
  const shown = variables.some(isSecretName) ? MASK : maskUrl(value);
  return { value: shown, masked: shown !== value };
}
