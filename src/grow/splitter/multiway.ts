/**
 * One branch for each category: the splits of ID3 and C4.5.
 *
 * @module
 */
import { weightedEntropy, xlog2x } from "../criterion/entropy.ts";
import { type NodeView, weightOf } from "../rows/stats.ts";
import { groupByCode } from "./groups.ts";
import type { FindSplit, Split, SplitContext } from "./split.ts";

/** How multiway splits are judged. */
export interface MultiwayOptions {
  /** At least two branches must hold this weight. 0 asks for two branches that are not empty. */
  readonly minObjects: number;
  /** Levels (K ≥ share × rows) from which the average gain leaves an attribute out. */
  readonly manyLevels: number;
  /** A split must gain more than this per unit of weight; negative accepts a gain of 0. */
  readonly minGain: number;
  /** A value outside the vocabulary stops at the node instead of following the heaviest branch. */
  readonly stopUnknown: boolean;
}

/** Weka's notion of zero. */
const SMALL = 1e-6;

/**
 * A branch for each level. `gain` is information gain in bits per unit of weight, `score` the gain
 * ratio; with missing values both follow C4.5 (known share × gain, missing as one more branch of the
 * split information).
 */
export function multiwaySplitter(options: MultiwayOptions): FindSplit {
  return (view, feature, context) => {
    const column = context.frame.features[feature];
    const numLevels = column.numCodes - 1;
    const { count } = groupByCode(view, column, context.source, context.scratch, false);
    if (count < 2) return undefined;
    const channels = view.total.length;
    const { left, groupCode } = context.scratch;
    const levels = left.slice(0, count * channels);
    for (let at = levels.length - 1; at >= channels; at--) levels[at] -= levels[at - channels];
    const known = left.slice((count - 1) * channels, count * channels);
    let full = 0;
    for (let i = 0; i < count; i++) {
      const weight = weightOf(context.source, levels, i * channels);
      // Values outside the vocabulary have no branch of their own.
      if (groupCode[i] < numLevels && weight - options.minObjects > -SMALL && weight > 0) full++;
    }
    if (full < 2) return undefined;
    const judged = judge(view, context, levels, known, count);
    if (!(judged.gain > options.minGain)) return undefined;
    return {
      feature,
      kind: "multiway",
      code: -1,
      threshold: 0,
      categories: branchTable(context, groupCode, levels, numLevels, count, options.stopUnknown),
      numBranches: numLevels,
      missing: -1,
      gain: judged.gain,
      score: judged.ratio,
      outOfAverage: numLevels - options.manyLevels > -SMALL,
    } satisfies Split;
  };
}

/** Entry of a branch table for "stop here". */
const STOP = 0xffffffff;

/** Branch of each level; values outside the vocabulary stop or follow the heaviest branch. */
function branchTable(
  context: SplitContext,
  groupCode: Int32Array,
  levels: Float64Array,
  numLevels: number,
  count: number,
  stopUnknown: boolean,
): Uint32Array {
  const channels = levels.length / count;
  const table = Uint32Array.from({ length: numLevels + 1 }, (_, code) => code);
  let heaviest = 0;
  let most = -1;
  for (let i = 0; i < count; i++) {
    const weight = weightOf(context.source, levels, i * channels);
    if (groupCode[i] < numLevels && weight > most) {
      most = weight;
      heaviest = groupCode[i];
    }
  }
  table[numLevels] = stopUnknown ? STOP : heaviest;
  return table;
}

/** Gain and gain ratio of branches, with C4.5's treatment of missing values. */
function judge(
  view: NodeView,
  context: SplitContext,
  levels: Float64Array,
  known: Float64Array,
  count: number,
): { readonly gain: number; readonly ratio: number } {
  const { source } = context;
  const numClasses = known.length - 1;
  const channels = known.length;
  const all = weightOf(source, view.total);
  const knownWeight = weightOf(source, known);
  let entropy = weightedEntropy(known, 0, numClasses);
  let info = xlog2x(all) - xlog2x(all - knownWeight > SMALL ? all - knownWeight : 0);
  for (let i = 0; i < count; i++) {
    entropy -= weightedEntropy(levels, i * channels, numClasses);
    info -= xlog2x(weightOf(source, levels, i * channels));
  }
  const numerator = knownWeight / all * entropy;
  const gain = Math.abs(numerator) < SMALL ? 0 : numerator / knownWeight;
  return { gain, ratio: Math.abs(info) < SMALL ? 0 : gain / (info / all) };
}
