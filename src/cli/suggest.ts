/** The known word that a mistyped one was most likely meant as; null where none is near enough to be a help. */
function nearest(typed: string, known: readonly string[]): string | null {
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const word of known) {
    const distance = editDistance(typed.toLowerCase(), word.toLowerCase());
    if (distance < least) {
      least = distance;
      best = word;
    }
  }
  const longest = Math.max(typed.length, best?.length ?? 0);
  return least < longest && least <= Math.max(1, Math.floor(longest / 3)) ? best : null;
}

/** `Did you mean redrive_to?`, else what there is. */
export function suggestion(typed: string, known: readonly string[]): string {
  const near = nearest(typed, known);
  return near === null ? `It is one of ${known.join(', ')}.` : `Did you mean ${near}?`;
}

/** Insertions, deletions, substitutions and swaps of neighbours. Both texts are cut at 100 characters. */
function editDistance(left: string, right: string): number {
  const a = left.slice(0, 100);
  const b = right.slice(0, 100);
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
