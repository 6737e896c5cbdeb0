/** One line of a difference. */
export interface DifferentLine {
  kind: 'same' | 'taken' | 'added' | 'gap';
  text: string;
}

/** Lines around a change that are shown with it. */
const AROUND = 2;
/** So many pairs of lines are compared; a change that is larger is shown as one block. */
const MOST_PAIRS = 4_000_000;

/** What differs between two texts, line by line, with a little of what stands around it. Empty where nothing does. */
export function difference(before: string, after: string): DifferentLine[] {
  if (before === after) return [];
  const [old, now] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const lines: DifferentLine[] = [
    ...old.slice(0, start).map(same),
    ...changes(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map(same),
  ];
  return withoutTheRest(lines);
}

function changes(old: readonly string[], now: readonly string[]): DifferentLine[] {
  if (old.length * now.length > MOST_PAIRS) return [...old.map(taken), ...now.map(added)];
  // How long the longest common part of what is left is, from each pair of lines on.
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DifferentLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(same(old[i] ?? ''));
      i += 1;
      j += 1;
    } else if (j === now.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) lines.push(taken(old[i++] ?? ''));
    else lines.push(added(now[j++] ?? ''));
  }
  return lines;
}

function withoutTheRest(lines: readonly DifferentLine[]): DifferentLine[] {
  const shown = new Set<number>();
  lines.forEach(({ kind }, at) => {
    if (kind === 'same') return;
    for (let near = at - AROUND; near <= at + AROUND; near++) shown.add(near);
  });
  return lines.flatMap((line, at): DifferentLine[] => {
    if (shown.has(at)) return [line];
    return at > 0 && shown.has(at - 1) ? [{ kind: 'gap', text: '' }] : [];
  });
}

function same(text: string): DifferentLine {
  return { kind: 'same', text };
}

function taken(text: string): DifferentLine {
  return { kind: 'taken', text };
}

function added(text: string): DifferentLine {
  return { kind: 'added', text };
}
