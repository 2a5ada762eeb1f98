/**
 * Features of which at most one is away from its usual value in any row, as the 0/1 features of one
 * category are, can share a byte of a row and the cells of a histogram: the sums of a feature's usual
 * bin are those of the node less its other bins. Sums are exact, so the splits are those of features
 * apart. Exclusive feature bundling: Ke et al., NIPS 2017, here without conflicts.
 *
 * @module
 */
import { CELLS8 } from "../kernels/types.ts";
import type { FeatureBins } from "./bins.ts";

/** Features that share a byte. */
export interface Bundle {
  readonly features: readonly number[];
  /** The bin of each that most rows have; it has no code of its own. */
  readonly usual: readonly number[];
  /** First code of each; code 0 stands for all usual bins. */
  readonly first: readonly number[];
  readonly numCodes: number;
}

/** Rows that are looked at to see whether a feature has a usual value. */
const SAMPLE = 1024;
/** Bundles that a feature is tried with. */
const OPEN = 8;

/** Codes of a feature besides that of its usual bin. */
function otherCodes(bins: FeatureBins): number {
  return bins.numBins - 1 + (bins.hasMissing ? 1 : 0);
}

/** Code in its bundle of each bin of a feature, missing last. */
export function bundleCodes(bins: FeatureBins, usual: number, first: number): Uint8Array {
  return Uint8Array.from(
    { length: bins.numBins + 1 },
    (_, bin) => bin === usual ? 0 : bin < usual ? first + bin : first + bin - 1,
  );
}

/** The bin of at least half of some rows, or −1. */
function usualBin(codes: Uint8Array, numBins: number): number {
  const counts = new Uint32Array(numBins + 1);
  const stride = Math.ceil(codes.length / SAMPLE);
  let seen = 0;
  for (let row = 0; row < codes.length; row += stride, seen++) counts[codes[row]]++;
  const most = counts.indexOf(Math.max(...counts));
  return 2 * counts[most] >= seen ? most : -1;
}

/** Whether a feature is away from its usual bin in a row where another of the bundle is. */
function meets(codes: Uint8Array, usual: number, merged: Uint8Array): boolean {
  for (let row = 0; row < codes.length; row++) {
    if (codes[row] !== usual && merged[row] !== 0) return true;
  }
  return false;
}

/** Adds a feature's codes to those of its bundle. */
function addCodes(to: Uint8Array, codes: Uint8Array, table: Uint8Array): void {
  for (let row = 0; row < codes.length; row++) to[row] |= table[codes[row]];
}

/**
 * Finds bundles of two features or more, by all rows.
 *
 * @param codesOf Codes of the rows of a feature of one byte.
 * @returns Each bundle with its codes in every row.
 */
export function findBundles(
  bins: readonly FeatureBins[],
  codesOf: (feature: number) => Uint8Array,
): { readonly bundle: Bundle; readonly codes: Uint8Array }[] {
  const open: {
    features: number[];
    usual: number[];
    first: number[];
    numCodes: number;
    codes: Uint8Array;
  }[] = [];
  bins.forEach((one, feature) => {
    if (one.kind !== "numeric" || one.numBins + 1 > CELLS8 || otherCodes(one) === 0) return;
    const codes = codesOf(feature);
    const usual = usualBin(codes, one.numBins);
    if (usual < 0) return;
    let found = open.slice(-OPEN).find((bundle) =>
      bundle.numCodes + otherCodes(one) <= CELLS8 && !meets(codes, usual, bundle.codes)
    );
    if (found === undefined) {
      found = {
        features: [],
        usual: [],
        first: [],
        numCodes: 1,
        codes: new Uint8Array(codes.length),
      };
      open.push(found);
    }
    addCodes(found.codes, codes, bundleCodes(one, usual, found.numCodes));
    found.features.push(feature);
    found.usual.push(usual);
    found.first.push(found.numCodes);
    found.numCodes += otherCodes(one);
  });
  return open.filter(({ features }) => features.length > 1).map(({ codes, ...bundle }) => ({
    bundle,
    codes,
  }));
}
