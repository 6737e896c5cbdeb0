import type { Attributes } from '../../../src/model/failure.ts';
import type { NewMessage } from './queue.ts';
import type { Random } from './random.ts';

/**
 * One message of a schedule, followed by its token, which stands in its body in every form that it can take. What a
 * redrive must make of it is known from how it was put together, not from the product's own reset.
 */
export interface Token {
  number: number;
  shape: string;
  urn: 'urn:babel:sim:even' | 'urn:babel:sim:odd' | null;
  /** The queue it failed in. */
  home: string;
  /** What lies on the dead-letter queue at the beginning. */
  dead: NewMessage;
  /** Whether SQS itself put it there. */
  native: boolean;
  failedAt: number;
  /** The body that a redrive sends, byte for byte; null where it can't be redriven. */
  reset: string | null;
  /** The body that `--set data.mended=true` makes of that; null where it can't be set. */
  mended: string | null;
  /** It has ten attributes, so that no marker can be added. */
  full: boolean;
  /** It has more bytes than a small queue takes. */
  large: boolean;
  /** What an app writes that gives up on the reset body again, at the given time (ms). */
  deadAgain: ((now: number) => string) | null;
}

const MARK = /tok-(\d+)-/;

/** Which message a body belongs to. */
export function tokenIn(body: string): number {
  const found = MARK.exec(body);
  if (found === null) throw new Error(`A body without a token: ${body.slice(0, 200)}`);
  return Number(found[1]);
}

/** Whether its envelope has an id; else it is known by its body's digest alone. */
export function hasId({ shape }: Token): boolean {
  return shape.startsWith('envelope') || shape === 'gated';
}

const SHAPES = [
  ['envelope_record', 8],
  ['envelope', 6],
  ['envelope_attempts', 2],
  ['gated', 2],
  ['raw_record', 2],
  ['object_record', 2],
  ['emptied_envelope', 1],
  ['emptied_record', 1],
  ['text', 2],
  ['other_app', 2],
] as const;

/** Odd numbers and escapes that a parse and a print would change. */
const ODD = [
  '{"n":9007199254740993,"total":99.90}',
  '{"e":1E2,"zero":-0, "huge":1e400}',
  '{"s":"caf\\u00e9 \\/ 😀","b":1,"b":2,"10":0,"2":0}',
  '{"dead_letter":{"deep":true},"attempts":7}',
];

export interface Place {
  home: string;
  fifo: boolean;
  groups: number;
  failedAt: number;
  /** Envelopes only. */
  plain: boolean;
  /** Bodies of some 300 KB, of which three fill a batch. */
  huge: boolean;
}

/** What a queue takes that is set to take little. */
export const SMALL_BYTES = 4096;
export const BYPASS = 'bq-replay-bypass';

export function makeToken(number: number, random: Random, place: Place): Token {
  const mark = `tok-${number}-`;
  const shape = place.plain ? random.pick(['envelope_record', 'envelope'] as const) : random.weighted(SHAPES);
  const urn = random.chance(0.5) ? 'urn:babel:sim:even' : 'urn:babel:sim:odd';
  const id = random.uuid();
  const extra = place.huge ? `"${'x'.repeat(300_000)}"` : random.pick(ODD);
  const space = random.pick(['', ' ', '\n  ']);
  const base = `"job":"${urn}","trace_id":"${random.uuid()}","data":{"token":"${mark}","extra":${extra}},"meta":{"id":"${id}","queue":"${place.home}","lang":"php","schema_version":1,"created_at":${place.failedAt - 5000}}`;
  const record = (reason: string, error: string, failedAt = place.failedAt) =>
    `"dead_letter":${space}{"reason":"${reason}","error":"${error}","exception":null,"failed_at":${failedAt},"original_queue":"${place.home}","attempts":3,"lang":"php"}`;
  const envelope = `{${base},"attempts":0}`;
  // Written around the reset body, as an app that decodes and encodes it would not: so that its reset is known too.
  const again = (attempts: string, end: string) => (now: number) =>
    `{${base},${attempts},${record('failed', 'again', now)}${end}}`;
  const common = { number, shape, urn: null, home: place.home, failedAt: place.failedAt };
  const made = (body: string, reset: string | null, rest: Partial<Token> = {}): Token => {
    const dead = { body, ...deliveryOf(random, place, rest.urn === undefined ? {} : projection(urn, id)) };
    const full = Object.keys(dead.attributes ?? {}).length === 10 && dead.attributes?.[BYPASS] === undefined;
    const large = dead.attributes?.padding !== undefined;
    // Every envelope is written with its data before its meta.
    const mended = reset?.includes('},"meta":') ? reset.replace('},"meta":', ',"mended":true},"meta":') : null;
    return { ...common, native: false, reset, mended, deadAgain: null, ...rest, full, large, dead };
  };
  switch (shape) {
    case 'envelope_record':
      return made(
        `{${base},${space}"attempts":3,${record('failed', 'gateway timeout')}${space}}`,
        `{${base},${space}"attempts":0${space}}`,
        {
          urn,
          deadAgain: again(`${space}"attempts":1`, space),
        },
      );
    case 'envelope':
      return made(envelope, envelope, { urn, native: true, deadAgain: again('"attempts":1', '') });
    case 'envelope_attempts':
      return made(`{${base},"attempts":${space}12}`, `{${base},"attempts":${space}0}`, {
        urn,
        native: true,
        deadAgain: again(`"attempts":${space}1`, ''),
      });
    case 'gated': {
      const body = `{${base},"attempts":4}`;
      const token = made(body, body, { urn, native: true });
      // In place of the version that the projection gave it.
      const version = { 'bq-schema-version': { type: 'Number', value: '2' } };
      return { ...token, dead: { ...token.dead, attributes: { ...token.dead.attributes, ...version } } };
    }
    case 'raw_record':
      return made(
        `{"raw":"order=${mark}\\u00e9;total=99.90",${record('poison', 'Syntax error')}}`,
        `order=${mark}é;total=99.90`,
      );
    case 'object_record':
      return made(
        `{"order":"${mark}","x":${extra},${space}${record('poison', 'no identity')}}`,
        `{"order":"${mark}","x":${extra}}`,
      );
    case 'emptied_envelope':
      return made(
        `{"job":"","trace_id":"","data":null,"meta":{"id":"","queue":"${place.home}","lang":"go","schema_version":1,"created_at":0},"attempts":0,${record('poison', `cannot decode ${mark}`)}}`,
        null,
      );
    case 'emptied_record':
      return made(`{"attempts":0,${record('unknown_urn', `cannot decode ${mark}`)}}`, null);
    case 'text':
      return made(`<order id="${mark}"/>`, `<order id="${mark}"/>`, { native: true });
    case 'other_app':
      return made(
        `{"orderId":"${mark}","job":"App\\\\Job","attempts":2}`,
        `{"orderId":"${mark}","job":"App\\\\Job","attempts":2}`,
        {
          native: true,
        },
      );
  }
}

function projection(urn: string, id: string): Attributes {
  return {
    'bq-job': { type: 'String', value: urn },
    'bq-message-id': { type: 'String', value: id },
    'bq-schema-version': { type: 'Number', value: '1' },
  };
}

function deliveryOf(random: Random, { fifo, groups }: Place, attributes: Attributes): Omit<NewMessage, 'body'> {
  const more: Record<string, { type: string; value: string }> = { ...attributes };
  if (random.chance(0.3)) more.bytes = { type: 'Binary', value: 'AAH+/w==' };
  if (random.chance(0.2)) more.retries = { type: 'Number.int', value: '7' };
  if (random.chance(0.04)) more[BYPASS] = { type: 'String', value: '1' };
  if (random.chance(0.04)) more.padding = { type: 'String', value: 'x'.repeat(SMALL_BYTES) };
  if (random.chance(0.04)) {
    for (let n = Object.keys(more).length; n < 10; n += 1) more[`more-${n}`] = { type: 'String', value: 'x' };
  }
  return {
    attributes: more,
    ...((fifo || random.chance(0.2)) && { groupId: `group-${random.between(1, groups)}` }),
    ...(fifo && { deduplicationId: random.uuid() }),
    ...(random.chance(0.2) && { traceHeader: `Root=1-${random.uuid().slice(0, 8)}` }),
  };
}
