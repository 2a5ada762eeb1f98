/**
 * Bins that several trainings on the same rows share, as the trials of a search do on each fold.
 *
 * What is kept is only given to data whose columns are the very same arrays, whose weights are equal
 * number by number and whose parameters of binning are the same, so that a training finds what it
 * would have made itself. A fold's cuts therefore come from its own training rows only. Columns have
 * to be declared first ({@linkcode BinShare.own}): arrays that their owner may still change are not
 * shared.
 *
 * @module
 */
import { selectRows } from "../data/dataset/dataset.ts";
import type { Column, Dataset } from "../data/types.ts";
import type { FeatureBins } from "./bins.ts";
import type { Bundle } from "./bundles.ts";
import type { Joint } from "./joints.ts";
import type { LeafwiseColumn } from "./leafwise_bins.ts";

/** Bins of the histogram engine: cuts, the code of every row, and what can share a byte. */
export interface SharedBins {
  readonly bins: readonly FeatureBins[];
  readonly codes: readonly (Uint8Array | Uint16Array)[];
  readonly bundles: readonly { readonly bundle: Bundle; readonly codes: Uint8Array }[];
  readonly joints: readonly { readonly joint: Joint; readonly codes: Uint8Array }[];
}

/** What is shared, by method. */
interface Kinds {
  readonly hist: SharedBins;
  readonly lightgbm: readonly LeafwiseColumn[];
}

/** A store of bins that several trainings share, of limited size. */
export interface BinShare {
  /**
   * Declares that the columns of these data do not change any more.
   *
   * @internal
   */
  own(data: Dataset): void;
  /**
   * Bins of these data and setting, where they are kept.
   *
   * @internal
   */
  find<Kind extends keyof Kinds>(
    kind: Kind,
    data: Dataset,
    setting: string,
  ): Kinds[Kind] | undefined;
  /**
   * Keeps bins if the columns are declared and there is room; older settings make place.
   *
   * @internal
   */
  keep<Kind extends keyof Kinds>(
    kind: Kind,
    data: Dataset,
    setting: string,
    value: Kinds[Kind],
    byteLength: number,
  ): void;
  /**
   * `selectRows`; the same rows of the same columns are the same arrays, as far as there is room.
   *
   * @internal
   */
  select(data: Dataset, rows: Int32Array): Dataset;
  /** Size of the stored bins in bytes, at most 256 MiB. */
  readonly byteLength: number;
  /** How often bins were found here instead of being made. */
  readonly hits: number;
}

/** Most bytes kept: the bins of 5 folds of 400,000 rows and 100 columns, say. */
const MOST_BYTES = 256 * 2 ** 20;

interface Entry {
  readonly kind: keyof Kinds;
  readonly setting: string;
  readonly arrays: readonly object[];
  readonly weight: Float64Array | undefined;
  readonly value: Kinds[keyof Kinds];
  readonly byteLength: number;
}

interface Selection {
  readonly arrays: readonly object[];
  readonly rows: Int32Array;
  readonly features: readonly Column[];
}

/** What tells the columns of one dataset from those of another. */
function arraysOf({ features }: Dataset): object[] {
  return features.map((column) =>
    column.kind === "numeric" ? column.binned ?? column.values : column.codes
  );
}

function sameItems(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function sameWeight(a: Float64Array | undefined, b: Float64Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameItems(a, b);
}

/** Bytes of a column's values or codes. */
function columnBytes(column: Column): number {
  if (column.kind === "categorical") return column.codes.byteLength;
  return column.binned === undefined ? column.values.byteLength : 2 * column.binned.numRows;
}

/**
 * An empty store.
 *
 * @param limit Most bytes. @default 256 MiB
 */
export function createBinShare(limit = MOST_BYTES): BinShare {
  const owned = new WeakSet<object>();
  const selections: Selection[] = [];
  let entries: Entry[] = []; // least recently used first
  let byteLength = 0;
  let hits = 0;

  const own = (data: Dataset) => {
    for (const array of arraysOf(data)) owned.add(array);
  };

  /** Whether so many bytes fit, after bins of other settings have made place. */
  function makeRoom(wanted: number, setting: string): boolean {
    const spare = entries.reduce(
      (sum, entry) => sum + (entry.setting === setting ? 0 : entry.byteLength),
      0,
    );
    // Bins of the setting in use stay: folds come round in turn, and the oldest is wanted next.
    if (byteLength - spare + wanted > limit) return false;
    while (byteLength + wanted > limit) {
      const at = entries.findIndex((entry) => entry.setting !== setting);
      byteLength -= entries[at].byteLength;
      entries = entries.toSpliced(at, 1);
    }
    return true;
  }

  return {
    own,
    find(kind, data, setting) {
      const arrays = arraysOf(data);
      const at = entries.findIndex((entry) =>
        entry.kind === kind && entry.setting === setting && sameItems(entry.arrays, arrays) &&
        sameWeight(entry.weight, data.sampleWeight)
      );
      if (at < 0) return undefined;
      hits++;
      const entry = entries[at];
      entries = [...entries.toSpliced(at, 1), entry];
      return entry.value as Kinds[typeof kind];
    },
    keep(kind, data, setting, value, wanted) {
      const arrays = arraysOf(data);
      const weight = data.sampleWeight;
      const bytes = wanted + (weight?.byteLength ?? 0);
      if (!arrays.every((array) => owned.has(array)) || !makeRoom(bytes, setting)) return;
      entries.push({ kind, setting, arrays, weight, value, byteLength: bytes });
      byteLength += bytes;
    },
    select(data, rows) {
      const arrays = arraysOf(data);
      const known = selections.find((one) =>
        sameItems(one.arrays, arrays) && sameItems(one.rows, rows)
      );
      if (known !== undefined) {
        return { ...selectRows({ ...data, features: [] }, rows), features: known.features };
      }
      const selected = selectRows(data, rows);
      const { features } = selected;
      const bytes = features.reduce((sum, column) => sum + columnBytes(column), rows.byteLength);
      // Half at most: columns without bins are worth nothing.
      if (arrays.every((array) => owned.has(array)) && 2 * (byteLength + bytes) <= limit) {
        selections.push({ arrays, rows, features });
        byteLength += bytes;
        own(selected);
      }
      return selected;
    },
    get byteLength() {
      return byteLength;
    },
    get hits() {
      return hits;
    },
  };
}
