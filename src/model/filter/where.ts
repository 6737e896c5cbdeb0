import { quoteTyped } from '../display/escape.ts';
import { BabelqError } from '../errors.ts';
import { parsedValuesAt } from '../json/path.ts';
import { decodeString, type JsonSpan } from '../json/scan.ts';
import { endOfQuoted, jsonString, type MemberPath, parseMemberPath, sayMemberPath } from '../member-path.ts';
import { compareDecimals, isJsonNumber } from './decimal.ts';

type Operator = '=' | '!=' | '~' | '>' | '<' | '>=' | '<=';

/** What a member is compared with. A number keeps its text, so that no digit is lost. */
interface Wanted {
  readonly kind: 'string' | 'number' | 'true' | 'false' | 'null';
  readonly text: string;
}

/** A condition on a member of the body. */
export interface Where {
  readonly path: MemberPath;
  readonly operator: Operator;
  readonly value: Wanted;
}

const HINT = 'For example data.order_id=1042, data.status!=paid, data.items.*.sku~blue or data.total>=99.90.';

/**
 * Reads `PATH=VALUE`, with `=`, `!=`, `~` (a part of it, in any case), `>`, `<`, `>=` or `<=` (numbers only).
 *
 * The value is read as JSON reads it: `1042`, `true`, `false` and `null` are what they look like, `"1042"` is a text;
 * anything else is a text without its quotes (`paid`). Throws `usage`.
 */
export function parseWhere(text: string, name: string): Where {
  const at = operatorAt(text);
  if (at === -1) {
    throw new BabelqError('usage', `${name} needs a path, a sign and a value, not ${quoteTyped(text)}.`, {
      hint: HINT,
    });
  }
  const [operator, after] = readOperator(text, at, name);
  const path = parseMemberPath(text.slice(0, at), name);
  return { path, operator, value: readWanted(text.slice(after), operator, name) };
}

/** The condition as parseWhere reads it. */
export function sayWhere(where: Where): string {
  const { path, operator, value } = where;
  const plain = !/^$|^=|[\s"]/.test(value.text) && isReadAs(value.text, operator === '~' ? null : value.kind);
  return `${sayMemberPath(path)}${operator}${plain ? value.text : JSON.stringify(value.text)}`;
}

/** Where the sign of a condition stands, outside quotes; -1 where there is none. */
export function operatorAt(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      const end = endOfQuoted(text, at);
      if (end === -1) return -1;
      at = end - 1;
    } else if ('=!~<>'.includes(text[at] ?? ' ')) return at;
  }
  return -1;
}

/**
 * Whether a body fits the condition. The path is followed from the root of the body; where nothing is there, from its
 * `data`, so that `order_id` finds the same in an envelope as in a bare event. Of members with one name the last counts,
 * as it does for the consumers. `*` in the path is every element or member: one of them must fit, also with `!=`. A body
 * that isn't JSON, or has no such member, fits no condition, `!=` included.
 *
 * `=` and `!=`: the same kind and value, numbers compared exactly and as numbers (99.90 is 99.9); a text that reads like the
 * number, `"1042"`, fits neither `=1042` nor `!=1042`. `~`: a part of the text
 * of a string, in any case, or of any other value as it is stored. The rest: numbers only.
 */
export function bodyFits(where: Where, body: string): boolean {
  const atRoot = parsedValuesAt(body, where.path);
  const found = atRoot.length > 0 ? atRoot : parsedValuesAt(body, ['data', ...where.path]);
  return found.some((span) => valueFits(where, body, span));
}

function valueFits({ operator, value }: Where, body: string, span: JsonSpan): boolean {
  switch (operator) {
    case '=':
      return same(body, span, value);
    case '!=':
      return !same(body, span, value) && !looksTheSame(body, span, value);
    case '~':
      return textOf(body, span).toLowerCase().includes(value.text.toLowerCase());
    default:
      return span.kind === 'number' && ordered(operator, compareDecimals(body.slice(span.start, span.end), value.text));
  }
}

function same(body: string, span: JsonSpan, value: Wanted): boolean {
  if (span.kind !== value.kind) return false;
  if (span.kind === 'string') return decodeString(body, span) === value.text;
  return span.kind !== 'number' || compareDecimals(body.slice(span.start, span.end), value.text) === 0;
}

/** `!=4111` is no wish for the text "4111", whatever is then done with what fits. */
function looksTheSame(body: string, span: JsonSpan, value: Wanted): boolean {
  return span.kind === 'string' && value.kind !== 'string' && decodeString(body, span) === value.text;
}

function textOf(body: string, span: JsonSpan): string {
  return span.kind === 'string' ? decodeString(body, span) : body.slice(span.start, span.end);
}

function ordered(operator: '>' | '<' | '>=' | '<=', order: number): boolean {
  if (order === 0) return operator === '>=' || operator === '<=';
  return order > 0 === (operator === '>' || operator === '>=');
}

function readOperator(text: string, at: number, name: string): [Operator, number] {
  const two = text.slice(at, at + 2);
  if (two === '!=' || two === '>=' || two === '<=') return [two, at + 2];
  if (two === '==') return ['=', at + 2]; // what programmers type; a value that begins with = is put in quotes
  const one = text[at];
  if (one === '=' || one === '~' || one === '>' || one === '<') return [one, at + 1];
  throw new BabelqError('usage', `${name} can't read the sign in ${quoteTyped(text)}.`, { hint: HINT });
}

function readWanted(text: string, operator: Operator, name: string): Wanted {
  if (text === '') {
    throw new BabelqError('usage', `${name} needs a value after ${operator}.`, {
      hint: `${HINT} An empty text is "".`,
    });
  }
  const value = wantedOf(text);
  if (value === null) {
    throw new BabelqError('usage', `${name} can't compare with ${quoteTyped(text)}.`, {
      hint: `A text that begins with ", { or [ is put in quotes as JSON writes it; an object or array is compared by its members.`,
    });
  }
  if (operator === '~') return { kind: 'string', text: value.text };
  if (operator !== '=' && operator !== '!=' && value.kind !== 'number') {
    throw new BabelqError('usage', `${name} needs a number after ${operator}, not ${quoteTyped(text)}.`, {
      hint: HINT,
    });
  }
  return value;
}

function wantedOf(text: string): Wanted | null {
  if (text.startsWith('"')) {
    const string = jsonString(text);
    return string === null ? null : { kind: 'string', text: string };
  }
  if (text.startsWith('{') || text.startsWith('[')) return null;
  if (isJsonNumber(text)) return { kind: 'number', text };
  if (text === 'true' || text === 'false' || text === 'null') return { kind: text, text };
  return { kind: 'string', text };
}

/** Whether a value without quotes is read as this kind (null: any). */
function isReadAs(text: string, kind: Wanted['kind'] | null): boolean {
  const read = wantedOf(text);
  return read !== null && (kind === null || read.kind === kind);
}
