/**
 * A numeric column held as the numbers of its bins: one or two bytes a row instead of eight.
 *
 * @module
 */
import type { NumericColumn } from "../data/types.ts";

/** A column of bins that grows. */
export interface CodedColumn {
  readonly length: () => number;
  /** Appends the bins of `values[from … to − 1]`. */
  append(values: ArrayLike<number>, from: number, to: number): void;
  /** The column; `values` makes an array anew each time it is read. */
  column(name: string): NumericColumn;
}

/** Rows in one piece. */
const PIECE = 1 << 18;

/**
 * An empty column of given cuts.
 *
 * @param largest Largest value of the column, which stands for its last bin.
 */
export function createCodedColumn(cuts: Float64Array, largest: number): CodedColumn {
  const numBins = cuts.length + 1;
  const make = (length: number) => numBins < 256 ? new Uint8Array(length) : new Uint16Array(length);
  const pieces: (Uint8Array | Uint16Array)[] = [];
  let used = PIECE;
  let total = 0;

  function codeOf(value: number): number {
    if (value !== value) return numBins;
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (cuts[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    length: () => total,
    append(values, from, to) {
      for (let i = from; i < to; i++) {
        if (used === PIECE) {
          pieces.push(make(PIECE));
          used = 0;
        }
        pieces[pieces.length - 1][used++] = codeOf(values[i]);
        total++;
      }
    },
    column(name) {
      // A cut is the largest value of its bin, so it stands for the bin's rows.
      const shown = Float64Array.from(
        { length: numBins + 1 },
        (_, bin) => bin < cuts.length ? cuts[bin] : bin === numBins ? NaN : largest,
      );
      const length = total;
      return {
        kind: "numeric",
        name,
        cuts,
        get values() {
          const values = new Float64Array(length);
          pieces.forEach((piece, p) => {
            const end = Math.min(PIECE, length - p * PIECE);
            for (let i = 0; i < end; i++) values[p * PIECE + i] = shown[piece[i]];
          });
          return values;
        },
      };
    },
  };
}
