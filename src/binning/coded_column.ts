/**
 * A numeric column held as the numbers of its bins: one or two bytes a row instead of eight.
 *
 * @module
 */
import type { NumericColumn } from "../data/types.ts";
import { nextDown64 } from "../util/float.ts";
import { binOf } from "./bins.ts";
import { type MakeBuffer, ownBuffer } from "../util/buffers.ts";

/** A column of bins that grows. */
export interface CodedColumn {
  readonly length: () => number;
  /** Appends the bins of `values[from … to − 1]`. */
  append(values: ArrayLike<number>, from: number, to: number): void;
  /** The column; `values` makes an array anew each time it is read. */
  column(name: string): NumericColumn;
  /** What {@linkcode codedColumn} makes the column of. */
  state(): CodedState;
}

/** A column as plain data. */
export interface CodedState {
  readonly pieces: Pieces;
  readonly numRows: number;
  readonly meaning: Meaning;
  readonly exact: Exact;
}

/** Rows in one piece. */
const PIECE = 1 << 18;

/** Rows that the first piece has room for at first. */
const FIRST_PIECE = 1 << 12;

/** Pieces of codes; all but the last hold `PIECE` rows. */
type Pieces = readonly (Uint8Array | Uint16Array)[];

/** Values of single rows, which are kept beside the bins. */
interface Exact {
  /** Ascending. */
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** What is known of a column before its values. */
export interface CodedOptions {
  /** Rows whose values are kept as they are, ascending. */
  readonly keep?: Int32Array | undefined;
  /** What the cuts were chosen for, if that matters. */
  readonly chosenFor?: string | undefined;
  /** Numbers that mean missing: no value is one, so none stands for a bin. */
  readonly missing?: readonly number[];
  /** Makes the memory of the bins, all of it 0. @default memory of this thread */
  readonly memory?: MakeBuffer;
}

/**
 * An empty column of given cuts.
 *
 * @param largest Largest value of the column, which stands for its last bin.
 */
export function createCodedColumn(
  cuts: Float64Array,
  largest: number,
  options: CodedOptions = {},
): CodedColumn {
  const { keep, chosenFor, missing = [], memory = ownBuffer } = options;
  const pieces: (Uint8Array | Uint16Array)[] = [];
  const rows = keep ?? new Int32Array(0);
  const exact = { rows, values: new Float64Array(rows.length) };
  let kept = 0;
  let used = 0;
  let room = 0;
  let total = 0;

  /** Room for more: the first piece grows, for the sake of many short columns. */
  function makeRoom(): void {
    const last = pieces.at(-1);
    room = last === undefined ? FIRST_PIECE : Math.min(PIECE, 2 * room);
    const piece = newPiece(cuts, room, memory);
    if (last === undefined || last.length === PIECE) {
      pieces.push(piece);
      used = 0;
    } else {
      piece.set(last);
      pieces[0] = piece;
    }
  }

  function state(): CodedState {
    return { pieces, numRows: total, meaning: { cuts, largest, chosenFor, missing }, exact };
  }

  return {
    length: () => total,
    append(values, from, to) {
      for (; kept < rows.length && rows[kept] < total + to - from; kept++) {
        exact.values[kept] = values[from + rows[kept] - total];
      }
      for (let i = from; i < to; i++) {
        if (used === room) makeRoom();
        pieces[pieces.length - 1][used++] = binOf(cuts, values[i]);
        total++;
      }
    },
    column: (name) => codedColumn(name, state()),
    state,
  };
}

/** What bins stand for. */
interface Meaning {
  readonly cuts: Float64Array;
  readonly largest: number;
  readonly chosenFor: string | undefined;
  readonly missing: readonly number[];
}

function newPiece(
  cuts: Float64Array,
  size: number,
  memory: MakeBuffer,
): Uint8Array | Uint16Array {
  return cuts.length + 2 <= 256 ? new Uint8Array(memory(size)) : new Uint16Array(memory(2 * size));
}

/** A column of bins. */
export function codedColumn(
  name: string,
  { pieces, numRows, meaning, exact }: CodedState,
): NumericColumn {
  const { cuts, largest, chosenFor, missing } = meaning;
  const numBins = cuts.length + 1;
  const pieceOf = (p: number) => pieces[p].subarray(0, Math.min(PIECE, numRows - p * PIECE));
  const presentUpTo = (cut: number) => {
    while (missing.includes(cut)) cut = nextDown64(cut);
    return cut;
  };
  return {
    kind: "numeric",
    name,
    get values() {
      // A cut is the largest value of its bin, so it stands for the bin's rows, unless it means missing.
      const shown = Float64Array.from(
        { length: numBins + 1 },
        (_, bin) => bin < cuts.length ? presentUpTo(cuts[bin]) : bin === numBins ? NaN : largest,
      );
      const values = new Float64Array(numRows);
      pieces.forEach((_, p) => {
        const codes = pieceOf(p);
        for (let i = 0; i < codes.length; i++) values[p * PIECE + i] = shown[codes[i]];
      });
      return values;
    },
    binned: {
      numRows,
      cuts,
      ...(chosenFor !== undefined && { chosenFor }),
      hasMissing: pieces.some((_, p) => pieceOf(p).includes(numBins)),
      writeCodes(out) {
        pieces.forEach((_, p) => out.set(pieceOf(p), p * PIECE));
      },
      exact(row) {
        const at = placeOf(exact.rows, row);
        return exact.rows[at] === row ? exact.values[at] : undefined;
      },
      select(as, rows) {
        const picked: (Uint8Array | Uint16Array)[] = [];
        for (let from = 0; from < rows.length; from += PIECE) {
          const end = Math.min(PIECE, rows.length - from);
          const piece = newPiece(cuts, end, ownBuffer);
          for (let i = 0; i < end; i++) {
            const row = rows[from + i];
            piece[i] = pieces[Math.floor(row / PIECE)][row % PIECE];
          }
          picked.push(piece);
        }
        return codedColumn(as, {
          pieces: picked,
          numRows: rows.length,
          meaning,
          exact: selectExact(exact, rows),
        });
      },
    },
  };
}

/** The kept values of those rows that are selected, by their new numbers. */
function selectExact({ rows, values }: Exact, selected: Int32Array): Exact {
  const places: number[] = [];
  const found: number[] = [];
  const keep = (place: number, at: number) => {
    places.push(place);
    found.push(values[at]);
  };
  let ascending = true;
  for (let i = 1; i < selected.length && ascending; i++) {
    ascending = selected[i - 1] < selected[i];
  }
  if (ascending) {
    for (let at = 0; at < rows.length; at++) {
      const place = placeOf(selected, rows[at]);
      if (selected[place] === rows[at]) keep(place, at);
    }
  } else if (rows.length > 0) {
    for (let place = 0; place < selected.length; place++) {
      const at = placeOf(rows, selected[place]);
      if (rows[at] === selected[place]) keep(place, at);
    }
  }
  return { rows: Int32Array.from(places), values: Float64Array.from(found) };
}

/** Place of the first of ascending rows that is not below `row`. */
function placeOf(rows: Int32Array, row: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle] < row) low = middle + 1;
    else high = middle;
  }
  return low;
}
