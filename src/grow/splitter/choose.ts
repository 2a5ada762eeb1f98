/**
 * How one split is chosen among the best of each feature.
 *
 * @module
 */
import type { ChooseSplit, Split } from "./split.ts";

/** Largest gain; on ties the lower feature. */
export const chooseLargestGain: ChooseSplit = (candidates) => {
  let best: Split | undefined;
  for (const split of candidates) {
    if (
      best === undefined || split.gain > best.gain ||
      split.gain === best.gain && split.feature < best.feature
    ) best = split;
  }
  return best;
};

/** Weka's notion of "greater" for gain ratios. */
const SMALL = 1e-6;

/**
 * C4.5: largest gain ratio among splits whose gain is at least the average, less 1e-3 (as release 8
 * does). Attributes of very many levels do not count for the average.
 *
 * Quinlan, "C4.5: Programs for Machine Learning", 1993, section 2.2.
 */
export const chooseGainRatio: ChooseSplit = (candidates) => {
  let sum = 0;
  let count = 0;
  for (const split of candidates) {
    if (split.outOfAverage === true) continue;
    sum += split.gain;
    count++;
  }
  if (count === 0) return undefined;
  const average = sum / count;
  let best: Split | undefined;
  let ratio = 0;
  for (const split of candidates) {
    if (split.gain >= average - 1e-3 && split.score - ratio > SMALL) {
      best = split;
      ratio = split.score;
    }
  }
  return ratio < SMALL ? undefined : best;
};
