import { describe, expect, it } from 'vitest';
import { bodyFits, parseWhere, sayWhere } from '../../../src/model/filter/where.ts';

const ENVELOPE = JSON.stringify({
  job: 'urn:babel:orders:created',
  data: {
    order_id: 1042,
    status: 'Paid in full',
    'a.b': 1,
    items: [{ sku: 'A-1' }, { sku: 'B-2' }],
    note: null,
    code: '1042',
  },
  meta: { lang: 'php' },
  attempts: 0,
}).replace(
  '"order_id":1042',
  '"order_id":1042,"total":99.90,"big":9007199254740993,"esc":"caf\\u00e9","twice":1,"twice":2',
);

function fits(condition: string, body = ENVELOPE): boolean {
  return bodyFits(parseWhere(condition, '--where'), body);
}

describe('conditions on the body', () => {
  it.each([
    'data.order_id=1042',
    'data.order_id==1042',
    'data.order_id=1.042e3',
    'data.total=99.9',
    'data.total>=99.90',
    'data.total>99.8999',
    'data.total<100',
    'data.big=9007199254740993',
    'data.big>9007199254740992',
    'data.code="1042"',
    'data.status="Paid in full"',
    'data.status=Paid in full',
    'data.status~paid',
    'data.order_id~04',
    'data.items~B-2',
    'data.items.1.sku=B-2',
    'data.items[0].sku=A-1',
    'data.items.*.sku=B-2',
    'data.items[*].sku!=B-2',
    'items.*.*~a-',
    'data.*=1042',
    'data."a.b"=1',
    'data.note=null',
    'data.note!=1',
    'data.esc=café',
    'data.twice=2',
    'attempts=0',
    'meta.lang=php',
    'order_id=1042',
  ])('%s fits', (condition) => {
    expect(fits(condition)).toBe(true);
  });

  it.each([
    'data.order_id=1043',
    'data.order_id="1042"',
    'data.code=1042',
    'data.code!=1042',
    'data.order_id!=1042.0',
    'data.big=9007199254740992',
    'data.big<=9007199254740992',
    'data.total>99.90',
    'data.status>5',
    'data.items.2.sku=A-1',
    'data.items.*.sku=C-3',
    'data.items.*.sku.*=A-1',
    'data.items.*.price!=1',
    'data.twice=1',
    'data.missing=1',
    'data.missing!=1',
    'data.note="null"',
    'data.items.length=2',
    'data.__proto__=null',
  ])('%s does not fit', (condition) => {
    expect(fits(condition)).toBe(false);
  });

  it('see of duplicate members the last alone, also through *', () => {
    expect(fits('data.*=1', '{"data":{"a":1,"\\u0061":2}}')).toBe(false);
    expect(fits('data.*=2', '{"data":{"a":1,"\\u0061":2}}')).toBe(true);
    expect(fits('*.a=1', '{"x":{"a":1},"x":{"a":2},"y":[{"a":3}]}')).toBe(false);
  });

  it('fit no body that is not JSON, != included', () => {
    expect(
      ['', 'order_id=1042', '{"order_id":1042', '\ufeff{"order_id":1042}'].some((body) => fits('order_id!=7', body)),
    ).toBe(false);
  });

  it('look into data only where the root has nothing', () => {
    expect(fits('id=1', '{"id":1,"data":{"id":2}}')).toBe(true);
    expect(fits('id=2', '{"id":1,"data":{"id":2}}')).toBe(false);
  });

  it('read a body nested 200,000 deep', () => {
    const body = `{"data":{"x":1,"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    expect(fits('data.x=1', body)).toBe(true);
  });

  it.each([
    'order_id',
    '=5',
    'a..b=1',
    'a=',
    'a!5',
    'a>ten',
    'a>="5"',
    'a="open',
    'a={"b":1}',
    'a=[1]',
    'a[x]=1',
    'a[1=1',
    '"open=1',
    'a"b"=1',
    '',
  ])('%j is refused with a right example', (condition) => {
    expect(() => parseWhere(condition, '--where')).toThrow(
      expect.objectContaining({ code: 'usage', hint: expect.stringMatching(/data\.order_id|in quotes/) }),
    );
  });

  it.each([
    'data.order_id=1042',
    'a="1042"',
    'data."a.b"!=x',
    'a~"two words"',
    'a>=99.90',
    'a=""',
    'a="=b"',
    'a.0.b=null',
  ])('%s is said as it is read', (condition) => {
    expect(sayWhere(parseWhere(condition, '--where'))).toBe(condition);
  });
});
