import { escapeText } from '../../model/display/escape.ts';
import { BabelqError, OutcomeUnknown } from '../../model/errors.ts';
import type { Address } from './address.ts';

/** That a COMMIT was sent, and nobody can tell whether it was carried out. */
export function unknownOutcome(address: Address, cause: unknown): OutcomeUnknown {
  return new OutcomeUnknown(
    'unreachable',
    `The connection to ${whereabouts(address)} was lost before it confirmed a change.`,
    { hint: 'Whether it was made could not be asked any more: look at the rows once the server is back.', cause },
  );
}

/** PostgreSQL's code (SQLSTATE) of an error that the server told; null for any other. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return null;
  return typeof error.code === 'string' && /^[\dA-Z]{5}$/.test(error.code) ? error.code : null;
}

/** Whether the connection is gone, or the server going: another one, later, may work. */
export function isCut(error: unknown): boolean {
  const state = sqlState(error);
  if (state !== null) return state.startsWith('08') || ['57P01', '57P02', '57P03', '57P05', '25P03'].includes(state);
  const code = codeOf(error);
  return (
    /^(ECONN|EPIPE|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN)/.test(code ?? '') ||
    (error instanceof Error && /^(Connection terminated|timeout expired|Client has encountered)/.test(error.message))
  );
}

/** Whether the server is there, and only not ready yet. */
export function isStarting(error: unknown): boolean {
  return sqlState(error) === '57P03';
}

/** Whether the same transaction, made again, may succeed: somebody else's was in its way. */
export function isCollision(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlState(error) ?? '');
}

/** A pooler in between that doesn't pass session parameters on. */
export function refusesParameters(error: unknown): boolean {
  return sqlState(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter');
}

/** That the server has no TLS, as the driver puts it. */
export function hasNoTls(error: unknown): boolean {
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** What the driver or the server said, as what it means for the person. A password is in none of it. */
export function translate(error: unknown, address: Address): unknown {
  if (error instanceof BabelqError || !(error instanceof Error)) return error;
  const state = sqlState(error);
  return state === null ? fromNetwork(error, address) : fromServer(state, error, address);
}

function whereabouts({ shown }: Address): string {
  return `PostgreSQL at ${escapeText(shown)}`;
}

function fromServer(state: string, error: Error, address: Address): BabelqError {
  const server = whereabouts(address);
  const said = escapeText(error.message);
  const user = escapeText(address.user);
  const make = (code: BabelqError['code'], message: string, hint: string) =>
    new BabelqError(code, message, { hint, cause: error });
  switch (state) {
    case '28P01':
    case '28000':
      return make(
        'forbidden',
        `${server} does not let ${user} in: "${said}".`,
        'Check the user and the password of its address (PGPASSWORD and ~/.pgpass are looked at where it has none), and pg_hba.conf.',
      );
    case '3D000':
      return make(
        'no_database',
        `${server}: there is no such database.`,
        'Check the name behind the last slash of its address.',
      );
    case '42501':
      return make(
        'forbidden',
        `${server} refuses ${user} this: "${said}".`,
        'Have its owner grant it: USAGE on the schema, SELECT on the table to look, UPDATE to act.',
      );
    case '25006':
      return make(
        'read_only',
        `${server} can't be written: it is a standby, or set to read only.`,
        'Name the primary server in its address.',
      );
    case '53100':
      return make(
        'read_only',
        `${server} can't be written: its disk is full.`,
        'Free some space; nothing was changed.',
      );
    case '53300':
      return make(
        'unreachable',
        `${server} has no connection left: "${said}".`,
        'Try again later, or raise its max_connections; babelq needs one.',
      );
    case '55P03':
    case '40P01':
    case '40001':
      return make(
        'locked',
        `${server}: somebody else's transaction was in the way for too long.`,
        'Try again; nothing was changed by this one. A transaction that was left open shows in pg_stat_activity.',
      );
    case '57014':
      return make(
        'locked',
        `${server} did not answer within ${address.statementTimeoutMs / 1000} s, and was told to stop.`,
        'It may be busy: try again. Its address may give it more time: ?statement_timeout=120000 (milliseconds).',
      );
    default:
      if (isCut(error)) {
        return make('unreachable', `${server} ended the connection: "${said}".`, 'Try again once it is up.');
      }
      return make(
        'bad_table',
        `${server} refused: "${said}" (${state}).`,
        'What is there is not what was expected: check columns: and statuses: of the source against the table.',
      );
  }
}

const CERTIFICATES = /^(CERT_|DEPTH_|UNABLE_TO_|SELF_SIGNED|ERR_TLS_|ERR_SSL_|EPROTO|HOSTNAME_MISMATCH)/;

function fromNetwork(error: Error, address: Address): BabelqError {
  const server = whereabouts(address);
  const code = codeOf(error);
  const make = (message: string, hint: string) => new BabelqError('unreachable', message, { hint, cause: error });
  if (hasNoTls(error)) {
    return make(
      `${server} has no TLS, and sslmode=${address.ssl.mode} asks for it.`,
      'Turn TLS on at the server; or, only within a network that you trust, say sslmode=disable in its address.',
    );
  }
  if (CERTIFICATES.test(code ?? '')) {
    return make(
      `The certificate of ${server} is not accepted (${code}).`,
      'Give the authority that signed it: ?sslrootcert=FILE in its address (or NODE_EXTRA_CA_CERTS), and the host by the name that it is made out to.',
    );
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return make(
      `The host of ${server} has no address (${code}).`,
      'Check the host in its address, and whether this machine is in its network.',
    );
  }
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return make(`Nobody answers at ${server} (${code}).`, 'Is the server up, and is the port right?');
  }
  if (isCut(error)) {
    return make(
      error.message === 'timeout expired'
        ? `${server} did not answer within ${address.connectTimeoutMs / 1000} s.`
        : `The connection to ${server} was cut${code === null ? '' : ` (${code})`}.`,
      'Check the network between, a firewall, and whether the server is up; then try again.',
    );
  }
  if (/password|SASL|SCRAM/i.test(error.message)) {
    return new BabelqError('forbidden', `${server} asks ${escapeText(address.user)} for a password that isn't given.`, {
      hint: 'Put it into its address, PGPASSWORD or ~/.pgpass.',
      cause: error,
    });
  }
  return new BabelqError('internal', `${server}: ${escapeText(error.message)}`, { cause: error });
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
