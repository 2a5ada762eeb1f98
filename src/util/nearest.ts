/**
 * The known word nearest to a mistyped one.
 *
 * @module
 */

/** Letters and digits in lower case: `max_depth`, `max-depth` and `maxDepth` are the same word. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Edits (insert, delete, replace, swap neighbours) from one word to another. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    before = last;
    last = row;
  }
  return last[b.length];
}

/**
 * The candidate with the fewest edits, the first of equals; undefined where none is close (more
 * than two edits and more than 40 % of the word).
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  let best: string | undefined;
  let fewest = Infinity;
  for (const candidate of candidates) {
    const edits = editDistance(wanted, plain(candidate));
    if (edits < fewest) {
      fewest = edits;
      best = candidate;
    }
  }
  return fewest <= Math.max(2, 0.4 * wanted.length) && fewest < wanted.length ? best : undefined;
}
