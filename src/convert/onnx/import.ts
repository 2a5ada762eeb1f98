/**
 * ONNX-ML tree ensembles → Treeline, with the arithmetic of ONNX Runtime: float32 (or double) sums in
 * tree order, base values last. `<`, `>=`, `>` become `<=` with neighbours of the threshold and
 * exchanged children; `==` and `!=` are tests of their own.
 *
 * Behaviour read from microsoft/onnxruntime `onnxruntime/core/providers/cpu/ml/tree_ensemble_aggregator.h`.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import type { InputFeature } from "../../data/types.ts";
import { type Ensemble, NodeKind, type Postprocess } from "../../model/types.ts";
import { nextDown32, nextDown64 } from "../../util/float.ts";
import { fieldError } from "../common/document.ts";
import {
  createForest,
  finishForest,
  type Forest,
  placeTree,
  shapeError,
} from "../common/forest.ts";
import { featureNames, type Imported, importedSchema } from "../common/imported.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";
import { type OnnxGraph, type OnnxNode, readOnnxGraph } from "./graph.ts";
import { checkScoreCasts, findInput, type OnnxInputs, PASSING } from "./input.ts";
import { classifierShape, regressorShape } from "./shape.ts";
import type { OnnxTree, OnnxTrees } from "./tree.ts";
import { readOnnxTrees } from "./trees.ts";

const TREE_OPS = new Set(["TreeEnsembleClassifier", "TreeEnsembleRegressor", "TreeEnsemble"]);

/** Reads an ONNX file that holds one tree ensemble. */
export function importOnnx(bytes: Uint8Array, limits: FullLimits): Imported {
  const graph = readOnnxGraph(bytes);
  const node = findEnsemble(graph);
  const ensemble = readOnnxTrees(node, limits);
  const input = findInput(graph, node);
  if (!isOwn(graph)) checkScoreCasts(graph, node);
  const imported = convert(graph, node, ensemble, input, limits);
  return isOwn(graph) ? restoreOwn(imported, graph) : imported;
}

/** Whether `export.ts` wrote the file: then the link is in the metadata. */
const isOwn = (graph: OnnxGraph): boolean => graph.metadata.has("treeline.postprocess");

/** Takes names, classes, link and base score from the metadata; categories stay codes. */
function restoreOwn(imported: Imported, graph: OnnxGraph): Imported {
  const parse = (key: string): unknown => {
    try {
      return JSON.parse(graph.metadata.get(key) ?? "null");
    } catch {
      return null;
    }
  };
  const schema = parse("treeline.schema") as Imported["schema"] | null;
  const postprocess = parse("treeline.postprocess") as Postprocess | null;
  const base = parse("treeline.base") as number[] | null;
  const { features } = imported.schema;
  const { numOutputs } = imported.ensemble;
  if (
    !Array.isArray(schema?.features) || schema.features.length !== features.length ||
    typeof postprocess?.name !== "string" || !Array.isArray(base) || base.length !== numOutputs ||
    !base.every(Number.isFinite) || !Array.isArray(schema.classes)
  ) throw fieldError("metadata_props", "treeline.*", "what Treeline wrote");
  return {
    ...imported,
    schema: {
      ...imported.schema,
      task: schema.task,
      classes: schema.classes,
      features: features.map((feature, i) => ({
        ...feature,
        name: String(schema.features[i].name),
      })),
    },
    ensemble: {
      ...imported.ensemble,
      // An average is written as a sum and a division.
      ...(graph.metadata.get("treeline.aggregate") === "average" && { aggregate: "average" }),
      postprocess,
      baseScore: Float64Array.from(base),
    },
  };
}

function findEnsemble(graph: OnnxGraph): OnnxNode {
  const ensembles = graph.nodes.filter((node) => TREE_OPS.has(node.op));
  const others = [...new Set(graph.nodes.map((node) => node.op))].filter((op) =>
    !PASSING.has(op) && !TREE_OPS.has(op)
  );
  if (ensembles.length === 1 && (others.length === 0 || isOwn(graph))) return ensembles[0];
  const found = ensembles.length === 1
    ? `the graph also computes with ${others.join(", ")}`
    : `the graph has ${ensembles.length} tree ensembles${
      others.length > 0 ? ` and the operators ${others.join(", ")}` : ""
    }`;
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import this ONNX model: ${found}; expected one tree ensemble, and around it only ` +
      [...PASSING].join(", "),
    { details: { ensembles: ensembles.length, operators: others } },
  );
}

function convert(
  graph: OnnxGraph,
  node: OnnxNode,
  source: OnnxTrees,
  input: OnnxInputs,
  limits: FullLimits,
): Imported {
  const isClassifier = node.op === "TreeEnsembleClassifier";
  const announced = isClassifier ? source.labels.length : Math.max(1, source.numTargets);
  checkLimit("the number of outputs", announced, limits.maxOutputs);
  const shape = isClassifier ? classifierShape(source) : regressorShape(source);
  const { numOutputs, aggregate } = shape;
  const numFeatures = checkLimit(
    "the number of features",
    Math.max(input.width, 1 + mostFeature(source)),
    limits.maxFeatures,
  );
  const outputOf = singleOutputs(source, numOutputs, aggregate);
  const leafWidth = outputOf === undefined ? numOutputs : 1;
  const { isDouble } = input;
  const round = isDouble ? (x: number) => x : Math.fround;
  const forest = createForest(leafWidth, limits);
  for (const tree of source.trees) addTree(forest, tree, leafWidth, isDouble, round);
  if (aggregate === "min" || aggregate === "max") checkEveryLeaf(source, leafWidth);
  const numTrees = source.trees.length;
  const names = featureNames(input.names, numFeatures);
  return {
    schema: importedSchema(
      names.map((name): InputFeature => ({ kind: "numeric", name, missing: "learnt" })),
      isClassifier ? "classification" : "regression",
      source.labels,
      input.names.length > 0,
    ),
    ensemble: {
      trees: finishForest(forest),
      leafWidth,
      numOutputs,
      treeOutput: Int32Array.from({ length: numTrees }, (_, t) => outputOf?.[t] ?? 0),
      treeWeight: new Float64Array(numTrees).fill(1),
      treesPerRound: 1,
      aggregate,
      baseScore: Float64Array.from(shape.base, round),
      postprocess: shape.postprocess,
      profile: {
        input: input.isRounded ? "f32" : "f64",
        sum: isDouble ? "f64" : "f32",
        base: "last",
        shownTest: "<=",
      },
    },
    format: "onnx",
    library: graph.producer === "" ? "onnx" : graph.producer,
    ...(graph.producerVersion === "" ? {} : { version: graph.producerVersion }),
    notes: {
      operator: node.op,
      opset: graph.opsets.get("ai.onnx.ml") ?? 1,
      postTransform: source.postTransform,
    },
    warnings: [...source.warnings, ...shape.warnings ?? []],
    sourceIds: forest.sourceId.slice(0, forest.numNodes),
  };
}

function mostFeature(source: OnnxTrees): number {
  let most = -1;
  for (const tree of source.trees) {
    for (let i = 0; i < tree.mode.length; i++) {
      if (tree.mode[i] !== "LEAF" && tree.feature[i] > most) most = tree.feature[i];
    }
  }
  return most;
}

/** The output of each tree when each tree has one, or nothing. Averages divide by all trees. */
function singleOutputs(
  source: OnnxTrees,
  numOutputs: number,
  aggregate: Ensemble["aggregate"],
): readonly number[] | undefined {
  if (numOutputs > 1 && aggregate === "average") return undefined;
  const outputs: number[] = [];
  for (const tree of source.trees) {
    let output = -1;
    for (let i = 0; i < tree.mode.length; i++) {
      const targets = tree.targets[i];
      for (const target of targets) {
        if (!(target.output >= 0 && target.output < numOutputs)) {
          throw shapeError(
            tree.id,
            i,
            `output ${target.output} is outside the ${numOutputs} outputs`,
          );
        }
        if (output >= 0 && target.output !== output) output = Infinity;
        else if (output < 0) output = target.output;
      }
    }
    outputs.push(Math.max(0, output));
  }
  return outputs.every(Number.isFinite) ? outputs : undefined;
}

/**
 * A leaf that is silent about an output would be skipped by MIN and MAX, not counted as zero; one that
 * names it twice would count twice, not as a sum.
 */
function checkEveryLeaf(source: OnnxTrees, leafWidth: number): void {
  for (const tree of source.trees) {
    for (let i = 0; i < tree.mode.length; i++) {
      if (tree.mode[i] !== "LEAF") continue;
      const named = new Set(tree.targets[i].map((target) => target.output));
      if (named.size === leafWidth && tree.targets[i].length === leafWidth) continue;
      throw new ConversionError(
        "E_CONVERT_UNSUPPORTED",
        `Cannot import tree ${tree.id}: ${source.aggregate} needs one weight for each output in every leaf`,
        { details: { tree: tree.id, node: i } },
      );
    }
  }
}

function addTree(
  forest: Forest,
  tree: OnnxTree,
  leafWidth: number,
  isDouble: boolean,
  round: (x: number) => number,
): void {
  const t = tree.id;
  const n = tree.mode.length;
  const nextDown = isDouble ? nextDown64 : nextDown32;
  const left = new Int32Array(n).fill(-1);
  const right = new Int32Array(n).fill(-1);
  const threshold = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const mode = tree.mode[i];
    if (mode === "LEAF") continue;
    const value = round(tree.value[i]);
    if (Number.isNaN(value)) throw shapeError(t, i, "the threshold is NaN");
    // `x < t` is `x <= below t`; nothing is below −Infinity, so there the branches trade places.
    const isStrict = mode === "LT" || mode === "GTE";
    const isNever = isStrict && value === -Infinity;
    threshold[i] = isNever ? Infinity : isStrict ? nextDown(value) : value;
    const isFlipped = (mode === "GTE" || mode === "GT" || mode === "NEQ") !== isNever;
    left[i] = isFlipped ? tree.whenFalse[i] : tree.whenTrue[i];
    right[i] = isFlipped ? tree.whenTrue[i] : tree.whenFalse[i];
  }
  const start = placeTree(forest, left, right, tree.root);
  for (let place = start; place < forest.numNodes; place++) {
    const i = forest.sourceId[place];
    const mode = tree.mode[i];
    forest.cover[place] = tree.hitrate[i];
    if (mode === "LEAF") {
      const at = place * leafWidth;
      for (let k = 0; k < leafWidth; k++) forest.leaf[at + k] = 0;
      for (const { output, weight } of tree.targets[i]) {
        const to = at + (leafWidth === 1 ? 0 : output);
        forest.leaf[to] = round(forest.leaf[to] + round(weight));
        if (!Number.isFinite(forest.leaf[to])) {
          throw shapeError(t, i, `the leaf value is ${weight}`);
        }
      }
      continue;
    }
    if (!(tree.feature[i] >= 0)) {
      throw shapeError(t, i, `feature ${tree.feature[i]} does not exist`);
    }
    forest.kind[place] = mode === "EQ" || mode === "NEQ" ? NodeKind.equal : NodeKind.threshold;
    forest.feature[place] = tree.feature[i];
    forest.threshold[place] = threshold[i];
    // NaN fails every comparison but `!=`, unless the node says that missing values count as true.
    const isTrue = tree.missingTrue[i] || mode === "NEQ";
    forest.missing[place] = left[i] === (isTrue ? tree.whenTrue[i] : tree.whenFalse[i]) ? 0 : 1;
  }
}
