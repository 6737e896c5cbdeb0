import { readFile } from 'node:fs/promises';
import type { AgentOptions } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { BabelqError } from '../../model/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that name a proxy; in small letters they outweigh, as everywhere. */
const PROXIES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/** Whether this Node's agents can go through a proxy: 22.21 and up, 24.5 and up. */
function knowsProxies(version: string = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}

/** The variable that names a proxy which this Node can't use; null where there is none, or it can. */
export function unusableProxy(env: Environment, version?: string): string | null {
  return knowsProxies(version) ? null : (PROXIES.find((name) => env[name]) ?? null);
}

/**
 * What agents are made with, as the environment says: through the proxy of HTTPS_PROXY or HTTP_PROXY but for the hosts of
 * NO_PROXY, and with AWS_CA_BUNDLE instead of Node's own certificates, as the AWS CLI takes it. Node itself heeds
 * NODE_EXTRA_CA_CERTS.
 * @param isPlain the server is reached without TLS
 * @throws BabelqError `config` where the bundle can't be read
 */
export async function agentOptions(env: Environment, isPlain: boolean): Promise<AgentOptions> {
  const bundle = isPlain ? undefined : env.AWS_CA_BUNDLE;
  const isProxied = PROXIES.some((name) => env[name]) && knowsProxies();
  return {
    ...(bundle ? { secureContext: await contextOf(bundle) } : {}),
    ...(isProxied ? { proxyEnv: { ...env } } : {}),
  };
}

/** Once for all connections: to read a hundred certificates for each would take longer than the connection. */
async function contextOf(path: string): Promise<SecureContext> {
  try {
    return createSecureContext({ ca: await readFile(path) });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new BabelqError('config', `The certificates of AWS_CA_BUNDLE can't be read: ${path} (${code ?? message}).`, {
      hint: 'It must name a file of certificates in PEM, or not be set.',
      cause,
    });
  }
}
