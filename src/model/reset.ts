import type { Reading } from './envelope.ts';
import type { Attribute, Attributes } from './failure.ts';
import { applyEdits, cutMembers, type Edit } from './json/edits.ts';
import { hasKey, type JsonMember, lastMember } from './json/scan.ts';

/** Tells handlers to skip outside effects that already happened. They test that it is there, whatever its value. */
export const BYPASS_ATTRIBUTE = 'bq-replay-bypass';
const BYPASS: Attribute = { type: 'String', value: '1' };
const MOST_ATTRIBUTES = 10;
/** How long a number may be to be named among the changes. */
const NAMED = 20;

export interface ResetBody {
  readonly body: string;
  /** What was changed, each in plain words; empty where nothing was. */
  readonly changes: readonly string[];
}

/**
 * A body made ready to be handled again, as the SDKs' own redrive does it: without `dead_letter`, with `attempts` at 0.
 * Everything else stays byte for byte, since to parse and write it anew would change numbers, escapes, duplicates
 * and the order of members. `reading` is `readBody(text, …)`.
 *
 * What an app set aside loses every `dead_letter` (duplicates too) and has its `attempts` set, the last one where
 * there are several. A `raw` record becomes the string it holds. An envelope as published has only an `attempts`
 * above 0 set, and not even that where the version gate refused it: it was never decoded. Other apps' bodies, texts
 * and pointers stay as they are.
 */
export function resetBody(text: string, reading: Reading, gateFailed: boolean): ResetBody {
  switch (reading.shape) {
    case 'dead_lettered_envelope':
    case 'object_record':
      return resetRecord(text, reading);
    case 'raw_record':
      return { body: reading.raw ?? text, changes: ['the raw string becomes the body'] };
    case 'envelope': {
      const attempts = gateFailed ? undefined : lastMember(text, reading.members, 'attempts');
      if (attempts === undefined || !isAboveZero(text, attempts)) return { body: text, changes: [] };
      return { body: applyEdits(text, [zero(attempts)]), changes: [attemptsChange(text, attempts)] };
    }
    default:
      return { body: text, changes: [] };
  }
}

export interface ResetAttributes {
  readonly attributes: Attributes;
  readonly changes: readonly string[];
  /** Why the message can't be sent so, in one sentence. */
  readonly blocked: string | null;
}

/**
 * The attributes that go along: all of them. With `bypass` the replay marker is there, without it an old one is taken
 * off, or consumers would go on skipping the outside effects. Ten others leave no room for it: nothing is trimmed.
 */
export function resetAttributes(attributes: Attributes, options: { bypass: boolean }): ResetAttributes {
  const marked = Object.hasOwn(attributes, BYPASS_ATTRIBUTE);
  if (options.bypass === marked) return { attributes, changes: [], blocked: null };
  if (!options.bypass) {
    const { [BYPASS_ATTRIBUTE]: _marker, ...rest } = attributes;
    return { attributes: rest, changes: [`${BYPASS_ATTRIBUTE} removed`], blocked: null };
  }
  if (Object.keys(attributes).length >= MOST_ATTRIBUTES) {
    const blocked = `It has ten attributes already, SQS's most, so ${BYPASS_ATTRIBUTE} can't be added.`;
    return { attributes, changes: [], blocked };
  }
  return {
    attributes: { ...attributes, [BYPASS_ATTRIBUTE]: BYPASS },
    changes: [`${BYPASS_ATTRIBUTE} added`],
    blocked: null,
  };
}

function resetRecord(text: string, reading: Reading): ResetBody {
  const { members } = reading;
  const cut = members.map((member) => hasKey(text, member, 'dead_letter'));
  const attempts = lastMember(text, members, 'attempts');
  const edits: Edit[] = [];
  const changes: string[] = [];
  if (attempts !== undefined && text.slice(attempts.start, attempts.end) !== '0') {
    edits.push(zero(attempts));
    changes.push(attemptsChange(text, attempts));
  }
  if (attempts === undefined && reading.shape === 'dead_lettered_envelope') {
    // An envelope must have its counter: it takes the place of the last dead_letter.
    const last = cut.lastIndexOf(true);
    const member = members[last];
    if (member !== undefined) {
      edits.push({ start: member.keyStart, end: member.end, text: '"attempts":0' });
      changes.push('attempts set to 0');
      cut[last] = false;
    }
  }
  edits.push(...cutMembers(text, members, cut));
  changes.push('dead_letter removed');
  return { body: applyEdits(text, edits), changes };
}

function zero(attempts: JsonMember): Edit {
  return { start: attempts.start, end: attempts.end, text: '0' };
}

function attemptsChange(text: string, attempts: JsonMember): string {
  const stored = text.slice(attempts.start, attempts.end);
  return `attempts ${attempts.kind === 'number' && stored.length <= NAMED ? stored : `(${attempts.kind})`} -> 0`;
}

/** By its digits, since a number may be too small or too large for JavaScript. */
function isAboveZero(text: string, value: JsonMember): boolean {
  return value.kind === 'number' && /^[0.]*[1-9]/.test(text.slice(value.start, value.end));
}
