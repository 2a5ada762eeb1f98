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
import type { CodeSpace } from "./code_space.ts";

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

/** A bundle that may still grow, and where its codes are. */
interface Open {
  readonly features: number[];
  readonly usual: number[];
  readonly first: number[];
  numCodes: number;
  readonly at: number;
}

/**
 * Finds bundles of two features or more, by all rows.
 *
 * @param addressOf Where the codes of the rows of a feature of one byte are.
 * @returns Each bundle, and where its codes of every row are.
 */
export function findBundles(
  { arena, kernels }: CodeSpace,
  bins: readonly FeatureBins[],
  numRows: number,
  addressOf: (feature: number) => number,
): { readonly bundle: Bundle; readonly at: number }[] {
  const { memory } = arena;
  const mark = arena.mark();
  const open: Open[] = [];
  const table = arena.alloc(CELLS8);
  const counts = arena.alloc(4 * CELLS8);
  const stride = Math.max(1, Math.ceil(numRows / SAMPLE));
  const codesAt = (at: number) => memory.u8.subarray(at, at + numRows);
  const begin = (): Open => {
    // No feature will join the one that is not tried any more.
    const past = open.at(-OPEN);
    const at = past?.features.length === 1 ? past.at : arena.alloc(numRows);
    codesAt(at).fill(0);
    return { features: [], usual: [], first: [], numCodes: 1, at };
  };
  bins.forEach((one, feature) => {
    if (one.kind !== "numeric" || one.numBins + 1 > CELLS8 || otherCodes(one) === 0) return;
    const at = addressOf(feature);
    const usual = kernels.usualCode(at, numRows, stride, counts);
    if (usual < 0) return;
    let found = open.slice(-OPEN).find((bundle) =>
      bundle.numCodes + otherCodes(one) <= CELLS8 &&
      kernels.meetsOther(at, numRows, usual, bundle.at) === 0
    );
    if (found === undefined) open.push(found = begin());
    memory.u8.set(bundleCodes(one, usual, found.numCodes), table);
    kernels.mergeCodes(found.at, at, numRows, table);
    found.features.push(feature);
    found.usual.push(usual);
    found.first.push(found.numCodes);
    found.numCodes += otherCodes(one);
  });
  const bundles = open.filter(({ features }) => features.length > 1);
  if (bundles.length === 0) arena.release(mark);
  return bundles.map(({ at, ...bundle }) => ({ bundle, at }));
}
