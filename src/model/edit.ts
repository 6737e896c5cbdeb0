import { quoteTyped } from './display/escape.ts';
import { readBody } from './envelope.ts';
import { BabelqError } from './errors.ts';
import type { WholeFailure } from './failure.ts';
import { operatorAt } from './filter/where.ts';
import { type Mended, setAt, unsetAt } from './json/mend.ts';
import { valueAt } from './json/path.ts';
import { scanJson } from './json/scan.ts';
import { type MemberPath, parseMemberPath, sayMemberPath } from './member-path.ts';
import { resetBody } from './reset.ts';
import { isSendable } from './size.ts';
import { versionGate } from './version-gate.ts';

/** A body as an edit leaves it. */
export interface EditedBody {
  readonly body: string;
  /** What was changed, each in plain words without a value; empty where nothing was. */
  readonly changes: readonly string[];
}

/** What a person wants changed in the body that a retry sends (after the reset). */
export interface BodyEdit {
  /** What it does, a line each, for a person to read before it is done. Not escaped. */
  readonly says: readonly string[];
  /**
   * The body changed, or why it can't be. Never throws, and done twice it is as done once: a message that comes back is
   * known by what was sent.
   */
  apply(body: string): EditedBody | { readonly why: string };
}

/** `--set` and `--unset`, as they were typed. */
export interface Mend {
  readonly set: readonly string[];
  readonly unset: readonly string[];
}

const SET_HINT = 'For example --set data.currency=EUR, --set data.total=99.90 or --set \'data.note="1042"\'.';

/**
 * Reads `--set PATH=VALUE` and `--unset PATH`. A value is read as JSON reads it: `1042`, `true`, `null`, `"1042"`, `{"a":1}`
 * are what they look like, with every digit as typed; anything else is a text (`EUR`).
 * @throws BabelqError `usage`
 */
export function mendEdit({ set, unset }: Mend): BodyEdit {
  const steps = [...set.map(setStep), ...unset.map(unsetStep)];
  return {
    says: steps.map(({ says }) => says),
    apply: (body) => {
      let text = body;
      const changes: string[] = [];
      for (const { change, make } of steps) {
        const mended = make(text);
        if ('why' in mended) return mended;
        if (mended.text !== text) changes.push(change);
        text = mended.text;
      }
      return { body: text, changes };
    },
  };
}

interface Step {
  /** What it will do, and what it did. */
  says: string;
  change: string;
  make(body: string): Mended;
}

function setStep(text: string): Step {
  const { path, value } = parseSet(text);
  const name = sayMemberPath(path);
  return {
    says: `${name} becomes ${value}${sayProjected(path)}`,
    change: `${name} set`,
    make: (body) => setOne(body, path, value),
  };
}

function unsetStep(text: string): Step {
  const path = onePath(text, '--unset');
  const name = sayMemberPath(path);
  return {
    says: `${name} is taken out${sayProjected(path)}`,
    change: `${name} removed`,
    make: (body) => unsetAt(body, path),
  };
}

/** One body in place of another, which must be the one that was looked at. */
export function replacement(before: string, after: string): BodyEdit {
  return {
    says: ['its body becomes what you saved'],
    apply: (body) => {
      if (body !== before) return { why: 'Its body is not the one that was edited: it changed meanwhile.' };
      return { body: after, changes: before === after ? [] : ['its body, by hand'] };
    },
  };
}

/** The edit of a body, and whether SQS takes what comes of it. */
export function editBody(body: string, edit: BodyEdit): EditedBody | { readonly why: string } {
  const edited = edit.apply(body);
  if ('why' in edited || edited.body === body || isSendable(edited.body)) return edited;
  return { why: 'Edited so it would be empty, or hold characters that SQS does not accept.' };
}

/** The body that a retry of a failure sends where nobody edits it; why none can be edited. */
export function bodyToEdit(failure: WholeFailure): { readonly body: string } | { readonly why: string } {
  const { origin, body, attributes } = failure;
  if (origin === 'jadpo') {
    return {
      why: "A parked message is its app's, which keeps it once per queue and body: babelq doesn't change its body.",
    };
  }
  if (body === null) return { why: 'Its body is not text.' };
  return { body: resetBody(body, readBody(body, attributes), !versionGate(attributes).passed).body };
}

/** What an edit makes of a failure, or why it can't be edited so. */
export function editFailure(failure: WholeFailure, edit: BodyEdit): EditedBody | { readonly why: string } {
  const there = bodyToEdit(failure);
  return 'why' in there ? there : editBody(there.body, edit);
}

/** What is said of a message that goes as it is, though an edit was asked for. */
export const UNEDITED = 'Not edited: the edit changes nothing in it.';

/** What was edited, as an item's detail tells it. */
export function sayEdited(changes: readonly string[]): string {
  return changes.length === 0 ? UNEDITED : `Edited: ${changes.join(', ')}.`;
}

/** Members that SDKs also write beside the body, where consumers may route by them. */
const PROJECTED: ReadonlySet<string> = new Set(['job', 'urn', 'trace_id', 'meta']);

function sayProjected([first]: MemberPath): string {
  return first !== undefined && PROJECTED.has(first) ? ' (the bq-* attributes stay as they are)' : '';
}

/** A condition finds `order_id` in `data` too; to set it there it has to be said, or the envelope would get a new member. */
function setOne(body: string, path: MemberPath, value: string): Mended {
  const isNew = path.length === 1 && valueAt(body, path) === undefined;
  if (isNew && valueAt(body, ['data'])?.kind === 'object') {
    return {
      why: `The body has no ${sayMemberPath(path)} beside its data: to set it within, write ${sayMemberPath(['data', ...path])}.`,
    };
  }
  return setAt(body, path, value);
}

function parseSet(text: string): { path: MemberPath; value: string } {
  const at = operatorAt(text);
  if (at === -1 || text[at] !== '=') {
    throw new BabelqError('usage', `--set needs a path, = and a value, not ${quoteTyped(text)}.`, { hint: SET_HINT });
  }
  const typed = text.slice(at + 1);
  const span = scanJson(typed);
  if (span === undefined && /^\s*["{[]/.test(typed)) {
    throw new BabelqError(
      'usage',
      `--set can't read the value in ${quoteTyped(text)}: it begins like JSON and isn't.`,
      {
        hint: SET_HINT,
      },
    );
  }
  const value = span === undefined ? JSON.stringify(typed) : typed.slice(span.start, span.end);
  return { path: onePath(text.slice(0, at), '--set'), value };
}

function onePath(text: string, option: string): MemberPath {
  const path = parseMemberPath(text, option);
  if (path.includes('*')) {
    throw new BabelqError('usage', `${option} takes one member, and ${quoteTyped(text)} may be many.`, {
      hint: 'Give each of them: --set data.items.0.sku=A-1 --set data.items.1.sku=A-2.',
    });
  }
  return path;
}
