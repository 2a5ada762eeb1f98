/**
 * XGBoost's legacy binary model (0.4 to 2.x, removed in 3.1): little-endian C structures in a row.
 *
 * Layout read from dmlc/xgboost, `src/learner.cc`, `src/gbm/gbtree_model.h`, `include/xgboost/tree_model.h`
 * at 0.47, 0.90 and 1.7.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import {
  type ByteReader,
  createByteReader,
  syntaxError,
  take,
  takeLength64,
  takeText,
} from "../wire/bytes.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { linearBooster } from "./document.ts";
import type { XgboostSource, XgboostTree } from "./source.ts";

const LEARNER_BYTES = 136;
const MODEL_BYTES = 160;
const TREE_BYTES = 148;
const NODE_BYTES = 20;
const STAT_BYTES = 16;

/** Whether the bytes look like this format: "binf", or a plausible header and a known booster. */
export function isXgboostBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, LEARNER_BYTES + 64);
  let text = "";
  for (const byte of head) text += String.fromCharCode(byte);
  if (text.startsWith("binf")) return true;
  return /(gbtree|gblinear|dart)/.test(text.slice(LEARNER_BYTES));
}

/** Reads a legacy binary model. */
export function readXgboostBinary(bytes: Uint8Array, limits: FullLimits): XgboostSource {
  const reader = createByteReader(bytes, "an XGBoost binary model");
  const { view } = reader;
  if (bytes.length >= 4 && view.getUint32(0, true) === 0x666e6962) take(reader, 4); // "binf"
  const at = take(reader, LEARNER_BYTES);
  const int = (index: number): number => view.getInt32(at + 4 * index, true);
  const major = view.getUint32(at + 20, true);
  const minor = view.getUint32(at + 24, true);
  const hasVersion = major >= 1 && major < 10;
  const numFeatures = checkLimit("the number of features", int(1), limits.maxFeatures);
  const numClasses = checkLimit("the number of classes", int(2), limits.maxOutputs);
  const hasAttributes = int(3) !== 0;
  const numTargets = hasVersion ? Math.max(1, int(7)) : 1;
  checkLimit("the number of targets", numTargets, limits.maxOutputs);
  const objective = takeString(reader);
  const booster = takeString(reader);
  if (booster === "gblinear") throw linearBooster();
  if (booster !== "gbtree" && booster !== "dart") {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import the booster "${booster.slice(0, 40)}": expected "gbtree" or "dart"`,
      { details: { booster: booster.slice(0, 40) } },
    );
  }
  const model = take(reader, MODEL_BYTES);
  const numTrees = checkLimit(
    "the number of trees",
    view.getInt32(model, true),
    Math.min(limits.maxTrees, Math.floor((bytes.length - reader.offset) / TREE_BYTES)),
  );
  const numParallelTree = Math.max(1, view.getInt32(model + 4, true));
  const trees: XgboostTree[] = [];
  for (let t = 0; t < numTrees; t++) trees.push(takeTree(reader));
  const treeInfo = new Int32Array(numTrees);
  const infoAt = take(reader, 4 * numTrees);
  for (let t = 0; t < numTrees; t++) treeInfo[t] = view.getInt32(infoAt + 4 * t, true);
  let weightDrop: Float32Array | undefined;
  if (booster === "dart" && numTrees > 0) {
    const count = takeLength64(reader, true, 4);
    if (count !== numTrees) {
      throw syntaxError(reader.what, reader.offset - 8, `${count} weights for ${numTrees} trees`);
    }
    const weightsAt = take(reader, 4 * count);
    weightDrop = new Float32Array(count);
    for (let t = 0; t < count; t++) weightDrop[t] = view.getFloat32(weightsAt + 4 * t, true);
  }
  return {
    version: hasVersion ? `${major}.${minor}` : "0.x",
    format: "xgboost-binary",
    objective,
    numFeatures,
    numClasses,
    numTargets,
    baseScore: [view.getFloat32(at, true)],
    baseIsMargin: !hasVersion,
    featureNames: [],
    featureTypes: [],
    levels: [],
    doubtfulLevels: [],
    attributes: hasAttributes ? takeAttributes(reader) : new Map(),
    numParallelTree,
    trees,
    treeInfo,
    ...(weightDrop === undefined ? {} : { weightDrop }),
  };
}

function takeString(reader: ByteReader): string {
  return takeText(reader, takeLength64(reader, true, 1));
}

function takeAttributes(reader: ByteReader): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  const count = takeLength64(reader, true, 16);
  for (let i = 0; i < count; i++) {
    const key = takeString(reader);
    attributes.set(key, takeString(reader));
  }
  return attributes;
}

function takeTree(reader: ByteReader): XgboostTree {
  const { view } = reader;
  const param = take(reader, TREE_BYTES);
  const n = view.getInt32(param + 4, true);
  const leafVector = view.getInt32(param + 20, true);
  if (n <= 0) throw syntaxError(reader.what, param + 4, `a tree has ${n} nodes`);
  const nodes = take(reader, n * NODE_BYTES);
  const stats = take(reader, n * STAT_BYTES);
  if (leafVector > 1) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot import a binary model with vector leaves: save it as JSON or UBJSON`,
      { details: { offset: param + 20 } },
    );
  }
  // Files from before 1.0 announce 0 and those after may announce 1: neither stores a vector.
  const left = new Int32Array(n);
  const right = new Int32Array(n);
  const feature = new Int32Array(n);
  const condition = new Float32Array(n);
  const defaultLeft = new Uint8Array(n);
  const cover = new Float32Array(n);
  const gain = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    const at = nodes + i * NODE_BYTES;
    const stat = stats + i * STAT_BYTES;
    left[i] = view.getInt32(at + 4, true);
    right[i] = view.getInt32(at + 8, true);
    const split = view.getUint32(at + 12, true);
    feature[i] = split & 0x7fffffff;
    defaultLeft[i] = split >>> 31;
    condition[i] = view.getFloat32(at + 16, true);
    gain[i] = view.getFloat32(stat, true);
    cover[i] = view.getFloat32(stat + 4, true);
  }
  return { left, right, feature, condition, defaultLeft, cover, gain };
}
