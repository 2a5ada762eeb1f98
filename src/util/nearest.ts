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

/** Shortest beginning that stands for a whole word: `acc` for `accuracy`. */
const LEAST_PREFIX = 3;

/** Edits that a word of some length may be away: half of a short word is another word. */
function mostEdits(length: number): number {
  return length < 2 ? 0 : length < 5 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** The candidate with the least value, the first of equals, where it is at most `most`. */
function least(
  candidates: readonly string[],
  valueOf: (candidate: string) => number,
  most = Number.MAX_VALUE,
): string | undefined {
  let best: string | undefined;
  let value = Infinity;
  for (const candidate of candidates) {
    const its = valueOf(candidate);
    if (its < value) [best, value] = [candidate, its];
  }
  return value <= most ? best : undefined;
}

/**
 * The candidate that a word was meant to be: the shortest that begins with it (`acc`: `accuracy`),
 * else the one of the fewest edits, at most a third of the word (two from five letters on, one
 * below), else the longest that the word begins with (`outfile`: `out`). Undefined where there is
 * none: a word that is merely the least far misleads.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(word);
  const all = [...candidates];
  const begins = (whole: string, part: string) =>
    part.length >= LEAST_PREFIX && whole.startsWith(part);
  return least(all, (known) => begins(plain(known), wanted) ? plain(known).length : Infinity) ??
    least(all, (known) => editDistance(wanted, plain(known)), mostEdits(wanted.length)) ??
    least(all, (known) => begins(wanted, plain(known)) ? -plain(known).length : Infinity);
}
