import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskedAddress, parseAddress } from '../../../src/adapters/postgres/address.ts';
import { BabelqError } from '../../../src/model/errors.ts';

const NOTHING = {};

describe('an address', () => {
  test('is read as libpq reads it, with its variables for what it leaves out', () => {
    const full = parseAddress(
      'postgresql://ana%40corp:p%2Fw%40d@db.example:6432/ware%20house?sslmode=verify-full&currentSchema=app&connect_timeout=3&statement_timeout=500',
      NOTHING,
    );
    expect(full).toMatchObject({
      host: 'db.example',
      port: 6432,
      user: 'ana@corp',
      password: 'p/w@d',
      database: 'ware house',
      schema: 'app',
      ssl: { mode: 'verify-full', rootCert: null },
      connectTimeoutMs: 3000,
      statementTimeoutMs: 500,
      shown: 'db.example:6432/ware house',
    });
    const env = { PGHOST: '/run/postgresql', PGPORT: '5433', PGUSER: 'ops', PGPASSWORD: 's3', PGSSLMODE: 'require' };
    expect(parseAddress('postgres://', env)).toMatchObject({
      host: '/run/postgresql',
      port: 5433,
      user: 'ops',
      password: 's3',
      database: 'ops',
      schema: null,
      ssl: { mode: 'require' },
    });
    expect(parseAddress('postgres://[::1]/d', NOTHING)).toMatchObject({ host: '::1', shown: '[::1]:5432/d' });
    expect(parseAddress('postgres://u@/d?host=/tmp&user=v', NOTHING)).toMatchObject({ host: '/tmp', user: 'v' });
    expect(parseAddress('postgres://u@h/d', NOTHING)).toMatchObject({ password: null, ssl: { mode: 'prefer' } });
  });

  test.each([
    ['postgres://u:pa/ss@h/d', "can't be read"],
    ['postgres://u:pa?ss@h/d', "can't be read"],
    ['postgres://u:9/ss@h/d', "can't be read"],
    ['postgres://u:p%zz@h/d', "can't be read"],
    ['postgres://u:p@h:port/d', "can't be read"],
    ['postgres://u:p@h:0/d', "can't be read"],
    ['postgres://u:p@a,b/d', 'several hosts'],
    ['postgres://u:p@h/d?sslmod=require', "a parameter that isn't known"],
    ['postgres://u:p@h/d?sslmode=allow', 'an sslmode'],
    ['postgres://u:p@h/d?search_path=a,b', 'several schemas'],
    ['postgres://u:p@h/d?connect_timeout=soon', "can't be read"],
  ])('%s is refused, and no part of it is repeated', (text, why) => {
    let said: unknown;
    try {
      parseAddress(text, NOTHING);
    } catch (error) {
      said = error;
    }
    expect(said).toBeInstanceOf(BabelqError);
    const { message, hint, code, cause } = said as BabelqError;
    expect(code).toBe('config');
    expect(message).toContain(why);
    expect(cause).toBeUndefined();
    expect(`${message} ${hint}`).not.toMatch(/ss@h|sslmod\b(?!e)|zz|soon/);
  });

  test('masked, it shows no password, in whatever form it was written', () => {
    expect(maskedAddress('postgres://ana:p%40ss@h:1/d?sslmode=require')).toBe(
      'postgres://ana:***@h:1/d?sslmode=require',
    );
    expect(maskedAddress('postgres://h/d?user=ana&password=p%40ss&schema=x')).toBe(
      'postgres://h/d?user=ana&password=***&schema=x',
    );
    expect(maskedAddress('postgres://ana:pa/ss@h/d')).toBe('postgres://***');
    expect(maskedAddress('postgres://ana@h/d')).toBe('postgres://ana@h/d');
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.boolean(),
        fc.boolean(),
        (secret, encode, asParameter) => {
          const marked = `Q${secret}Z`;
          const password = encode ? encodeURIComponent(marked) : marked;
          const text = asParameter ? `postgres://u@h/d?password=${password}` : `postgres://u:${password}@h/d`;
          const shown = maskedAddress(text);
          expect(shown).not.toContain(password);
          expect(shown).not.toContain(marked);
        },
      ),
    );
  });
});
