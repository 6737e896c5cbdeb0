import type { JsonMember } from './scan.ts';

/** Text to put in place of what stands from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made, which must not overlap. Everything else stays as it is. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

/**
 * Cuts members of one object, each with the one comma that ties it to its neighbour and the white space after that. White
 * space before the comma stays with the member that stays: it was there before the SDKs spliced their record in.
 */
export function cutMembers(text: string, members: readonly JsonMember[], cut: readonly boolean[]): Edit[] {
  const edits: Edit[] = [];
  const kept = cut.indexOf(false);
  const first = members[0];
  const heir = members[kept];
  if (cut[0] === true && first !== undefined) {
    // At the front the comma after goes; where all go, nothing is left to tie.
    const end = heir === undefined ? (members.at(-1) ?? first).end : heir.keyStart;
    edits.push({ start: first.keyStart, end, text: '' });
  }
  for (let i = Math.max(kept, 0) + 1; i < members.length && kept >= 0; i++) {
    const member = members[i];
    const before = members[i - 1];
    if (cut[i] === true && member !== undefined && before !== undefined) {
      const start = cut[i - 1] === true ? before.end : text.indexOf(',', before.end);
      edits.push({ start, end: member.end, text: '' });
    }
  }
  return edits;
}
