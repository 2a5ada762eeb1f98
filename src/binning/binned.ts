/**
 * Rows as bins, in the memory of a training run: row by row for histograms and routing, column by
 * column for partition. Features of up to 256 codes take one byte, the others two.
 *
 * @module
 */
import { CELLS8, STRIDE8 } from "../kernels/types.ts";
import type { FeatureBins } from "./bins.ts";
import { type Bundle, bundleCodes } from "./bundles.ts";
import type { Joint } from "./joints.ts";

/** Where a feature is; plain data, known to all threads. */
export interface FeaturePlace {
  readonly categorical: boolean;
  /** Codes take two bytes. */
  readonly wide: boolean;
  /** Number among the slots of one byte, or among the features of two. */
  readonly position: number;
  /** First cell in a histogram, of a bundled feature that of its bundle. */
  readonly cell: number;
  /** Value bins; the code of missing. */
  readonly numBins: number;
  /** Of a bundled feature: its usual bin, and the cell of each bin after `cell`. */
  readonly bundled?: { readonly usual: number; readonly codes: readonly number[] };
  /** Of a feature that shares a byte by combinations: its bin, missing last, in each code. */
  readonly joint?: readonly number[];
}

/** A byte of a row: a feature, or several that share it. */
export interface Slot {
  readonly features: readonly number[];
  /** First cell; cells that are used. */
  readonly cell: number;
  readonly numCodes: number;
}

/** Which feature is where. */
export interface BinLayout {
  readonly places: readonly FeaturePlace[];
  /** Slots of one byte and features of two bytes, by position. */
  readonly slots8: readonly Slot[];
  readonly order16: readonly number[];
  /**
   * The same bins with a byte for each feature, for rows in which others may meet than in training;
   * absent where each has one.
   */
  readonly apart?: BinLayout;
  /** One-byte slots, padded to a multiple of 4. */
  readonly features8: number;
  /** Bytes of a row of each width; short rows of one-byte features are padded to a power of two. */
  readonly stride8: number;
  readonly stride16: number;
  /** Cells of a histogram: those of the one-byte features (padding too), and all. */
  readonly cells8: number;
  readonly numCells: number;
  /** Leading one-byte slots with categories, padded to 4: the ones whose rows are counted. */
  readonly counted8: number;
  /**
   * Whether the cells that one-byte features use are so few that each feature's are cleared, added
   * and subtracted by themselves.
   */
  readonly sparse8: boolean;
  /** Whether every feature {@linkcode isNumericAlone}. */
  readonly numericAlone: boolean;
}

/** Whether a feature is numeric and has cells of its own. */
export function isNumericAlone({ categorical, bundled, joint }: FeaturePlace): boolean {
  return !categorical && bundled === undefined && joint === undefined;
}

/** Whether a feature of one byte is a category or shares its cells. */
export function hasLevels({ categorical, bundled, joint, wide }: FeaturePlace): boolean {
  return !wide && (categorical || bundled !== undefined || joint !== undefined);
}

/** Bins of the rows of one dataset. */
export interface BinnedRows {
  readonly numRows: number;
  /** Addresses of the row-major codes. */
  readonly rows8: number;
  readonly rows16: number;
  /** Address of each feature's codes; 0 when only rows were asked for. */
  readonly columns: readonly number[];
}

/** Gives every feature a place: categorical ones first, so that counting touches few. */
export function layoutBins(
  bins: readonly FeatureBins[],
  bundles: readonly Bundle[] = [],
  joints: readonly Joint[] = [],
): BinLayout {
  const isWide = (b: FeatureBins) => b.numBins + 1 > CELLS8;
  const all = bins.map((_, feature) => feature);
  const shared = new Set([...bundles, ...joints].flatMap(({ features }) => features));
  const isCategorical = (f: number) => bins[f].kind === "categorical";
  const alone = all.filter((f) => !shared.has(f));
  const categoricalFirst = [
    ...alone.filter(isCategorical),
    ...alone.filter((f) => !isCategorical(f)),
  ];
  // Joints with categories, too, are among the slots whose rows are counted.
  const jointsFirst = [
    ...joints.filter(({ features }) => features.some(isCategorical)),
    ...joints.filter(({ features }) => !features.some(isCategorical)),
  ];
  const single8 = categoricalFirst.filter((f) => !isWide(bins[f]));
  const order16 = categoricalFirst.filter((f) => isWide(bins[f]));
  const numCounted = jointsFirst.length + single8.filter(isCategorical).length;
  const numCodes = [
    ...jointsFirst.map((joint) => joint.numCodes),
    ...single8.map((f) => bins[f].numBins + 1),
    ...bundles.map((bundle) => bundle.numCodes),
  ];
  const pad4 = (count: number) => (count + 3) & ~3;
  const cells8 = pad4(numCodes.length) * STRIDE8;
  let cell = cells8;
  const places: FeaturePlace[] = new Array(bins.length);
  const slots8: Slot[] = [
    ...jointsFirst.map(({ features }) => features),
    ...single8.map((f) => [f]),
    ...bundles.map(({ features }) => features),
  ]
    .map((features, p) => ({
      features,
      cell: p * STRIDE8,
      numCodes: numCodes[p],
    }));
  jointsFirst.forEach((joint, p) => {
    joint.features.forEach((f, i) => {
      places[f] = {
        ...place(bins[f], false, p, p * STRIDE8),
        joint: joint.bins[i],
      };
    });
  });
  single8.forEach((f, i) => {
    const p = jointsFirst.length + i;
    places[f] = place(bins[f], false, p, p * STRIDE8);
  });
  bundles.forEach(({ features, usual, first }, b) => {
    const p = jointsFirst.length + single8.length + b;
    features.forEach((f, i) => {
      const codes = Array.from(bundleCodes(bins[f], usual[i], first[i]));
      places[f] = {
        ...place(bins[f], false, p, p * STRIDE8),
        bundled: {
          usual: usual[i],
          codes: codes.slice(0, bins[f].numBins + (bins[f].hasMissing ? 1 : 0)),
        },
      };
    });
  });
  order16.forEach((f, position) => {
    places[f] = place(bins[f], true, position, cell);
    cell += (bins[f].numBins + 4) & ~3; // the missing code too, padded
  });
  return {
    places,
    slots8,
    order16,
    features8: pad4(slots8.length),
    stride8: strideOf(pad4(slots8.length)),
    stride16: 2 * order16.length,
    cells8,
    numCells: cell,
    counted8: pad4(numCounted),
    sparse8: 2 * numCodes.reduce((sum, codes) => sum + codes, 0) < cells8,
    numericAlone: places.every(isNumericAlone),
    ...(shared.size > 0 && { apart: layoutBins(bins) }),
  };
}

/** Bytes of a row: short ones lie on one line of the cache each. */
function strideOf(features8: number): number {
  const parts = [4, 8, 16, 32];
  return parts.find((bytes) => features8 <= bytes && features8 > 0) ?? features8;
}

function place(
  bins: FeatureBins,
  wide: boolean,
  position: number,
  cell: number,
): FeaturePlace {
  const categorical = bins.kind === "categorical";
  return { categorical, wide, position, cell, numBins: bins.numBins };
}
