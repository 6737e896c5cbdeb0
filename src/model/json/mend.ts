import { sayMemberPath } from '../member-path.ts';
import { applyEdits, cutMembers } from './edits.ts';
import { elementsOf, hasKey, type JsonSpan, lastMember, membersOf, scanJson } from './scan.ts';

/** A text with one member changed, or why it can't be. */
export type Mended = { readonly text: string } | { readonly why: string };

const INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * Sets the member (or the element) at a path to a value given as JSON text, and changes no other byte. The last member of
 * a path may be new, at the end of its object; all before it must be there, or a name that was mistyped would make one.
 * Of duplicate members the last counts, and is set. Done twice it is as done once.
 */
export function setAt(text: string, path: readonly string[], value: string): Mended {
  const root = scanJson(text);
  if (root === undefined) return NOT_JSON;
  const [name, parents] = [path.at(-1) ?? '', path.slice(0, -1)];
  const container = follow(text, root, parents);
  if (container === undefined) return { why: `The body has no ${sayMemberPath(missing(text, root, parents))}.` };
  if (container.kind === 'array') {
    const element = INDEX.test(name) ? elementsOf(text, container)[Number(name)] : undefined;
    if (element === undefined) return { why: `The body has no ${sayMemberPath(path)}.` };
    return { text: applyEdits(text, [{ ...element, text: value }]) };
  }
  if (container.kind !== 'object') {
    const what = parents.length === 0 ? 'the body' : sayMemberPath(parents);
    return { why: `There is no ${sayMemberPath(path)} in it: ${what} is ${kindInWords(container)}.` };
  }
  const members = membersOf(text, container);
  const member = lastMember(text, members, name);
  if (member !== undefined) return { text: applyEdits(text, [{ ...member, text: value }]) };
  const last = members.at(-1);
  const at = last?.end ?? container.start + 1;
  const added = `${last === undefined ? '' : ','}${JSON.stringify(name)}:${value}`;
  return { text: applyEdits(text, [{ start: at, end: at, text: added }]) };
}

/**
 * Takes out the member at a path, duplicates too, with the comma and the white space that tie it to its neighbour, and
 * changes no other byte. Where it isn't there nothing changes. Elements of a list are not taken out: the others would move,
 * and done twice it would take two.
 */
export function unsetAt(text: string, path: readonly string[]): Mended {
  const root = scanJson(text);
  if (root === undefined) return NOT_JSON;
  const name = path.at(-1) ?? '';
  const container = follow(text, root, path.slice(0, -1));
  if (container?.kind === 'array')
    return { why: `${sayMemberPath(path)} is in a list: only a member can be taken out.` };
  if (container?.kind !== 'object') return { text };
  const members = membersOf(text, container);
  const cut = members.map((member) => hasKey(text, member, name));
  return { text: cut.includes(true) ? applyEdits(text, cutMembers(text, members, cut)) : text };
}

const NOT_JSON: Mended = { why: 'Its body is not JSON, so it has no members.' };

function follow(text: string, root: JsonSpan, path: readonly string[]): JsonSpan | undefined {
  let at: JsonSpan | undefined = root;
  for (const name of path) {
    if (at === undefined) return undefined;
    if (at.kind === 'object') at = lastMember(text, membersOf(text, at), name);
    else at = at.kind === 'array' && INDEX.test(name) ? elementsOf(text, at)[Number(name)] : undefined;
  }
  return at;
}

/** As much of a path as is needed to say what isn't there. */
function missing(text: string, root: JsonSpan, path: readonly string[]): readonly string[] {
  const there = path.findIndex((_, length) => follow(text, root, path.slice(0, length + 1)) === undefined);
  return path.slice(0, there + 1);
}

function kindInWords({ kind }: JsonSpan): string {
  return kind === 'string' || kind === 'number' ? `a ${kind}` : kind;
}
