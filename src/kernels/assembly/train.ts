// The wasm kernels; see ../types.ts. All addresses are bytes of one imported memory.

export {
  codesSeen,
  gather8,
  levels16,
  levels8,
  meetsOther,
  mergeCodes,
  numberPairs,
  spreadRows,
  usualCode,
  twoCodes32,
  twoCodes64,
} from "./train/codes";
export { chooseRows } from "./train/draw";
export { countLabels, labelSigns } from "./train/labels";
export { lookWhile } from "./train/wait";
export { gradientStats, listRows, logistic, quantise, softmax, squared, weigh } from "./train/gradient";
export {
  addLeaves,
  fillLeaf,
  leafSums,
  partition16,
  partition8,
  partitionAll8,
  route,
  splitLeaf16,
  splitLeaf8,
} from "./train/rows";
export { splitBlock } from "./train/split_block";
export { plantRoot, queueLevel, splitLevel } from "./train/grow";
export { evaluateGroup, evaluateGroups, fillStripes } from "./train/evaluate";
export { count16, count8, wide16, wide8 } from "./train/histogram";
export { addCells, clearCells, subtractCells } from "./train/histogram_cells";
export { packed16, packed8 } from "./train/histogram_packed";
export { mapValues16, mapValues8, rowsOf16, widen } from "./train/binning";
export { quantileCodes } from "./train/quantile_codes";
export { quantilePairs } from "./train/quantiles";
export { leafSumsSigned, quantiseSigned, softmaxSigned, spreadSigned } from "./train/signed";
export { logisticSigned } from "./train/signed_logistic";
export { addRoots, takeRoots } from "./train/roots";
export { rowsOf8 } from "./train/row_major";
export { scanThresholds } from "./train/scan";
export { leftLevels, scanLevels } from "./train/levels";
export { scanFeatures } from "./train/scan_features";
export { wholeCodes32, wholeCodes64 } from "./train/whole_codes";
