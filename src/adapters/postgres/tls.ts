import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { BabelqError } from '../../model/errors.ts';

/**
 * libpq's words. `disable`: no TLS. `prefer`: TLS where the server has it, with nothing checked, else none. `require`: TLS or
 * nothing, but any certificate does (as libpq, it checks like verify-ca where sslrootcert is given). `verify-ca`: a certificate
 * of a trusted authority, for whatever name. `verify-full`: for this host. Only the last one keeps others from reading along.
 * Trusted are the authorities in sslrootcert, else Node's own (with NODE_EXTRA_CA_CERTS), where libpq would want the file.
 */
export const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

/**
 * What `node:tls` needs for a mode; null for no TLS.
 * @throws BabelqError `config` for a file that can't be read
 */
export function tlsOptions(
  { mode, rootCert, cert, key }: { mode: SslMode; rootCert: string | null; cert: string | null; key: string | null },
  host: string,
): ConnectionOptions | null {
  // A socket in the file system needs none.
  if (mode === 'disable' || host.startsWith('/')) return null;
  const ownRoots = rootCert !== null && rootCert !== 'system';
  const checked = mode === 'verify-ca' || mode === 'verify-full' || (mode === 'require' && ownRoots);
  const named = mode === 'verify-full' || rootCert === 'system';
  return {
    rejectUnauthorized: checked || named,
    ...(ownRoots && { ca: file(rootCert, 'sslrootcert') }),
    ...(cert !== null && { cert: file(cert, 'sslcert') }),
    ...(key !== null && { key: file(key, 'sslkey') }),
    ...(isIP(host) === 0 && { servername: host }),
    // Without it the name is checked by Node itself.
    ...(!named && { checkServerIdentity: () => undefined }),
  };
}

function file(path: string, parameter: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new BabelqError('config', `The file of ${parameter} can't be read (${code}).`, {
      hint: `Give ${parameter}= the path of a PEM file that this user may read.`,
    });
  }
}
