/**
 * Treeline → ONNX: one TreeEnsembleRegressor (or TreeEnsemble of opset 5, where sets of categories
 * are tested and for sums in float64) gives the raw scores, standard operators apply the link and
 * look up the label.
 *
 * Outputs: `raw` (rows × outputs), `value` after the link, and for classifiers `probabilities`
 * (rows × classes) and `label`. The one input `X` is rows × features; categories are their codes, any
 * other number is a value outside the vocabulary, NaN is missing. The order of features, the levels
 * and the link are in the model's metadata.
 *
 * `X` is float where the model rounds features to float32, else double; trees and scores are double
 * where the model adds in float64. Terms are listed in the order in which the model adds them: a runtime
 * that keeps it (ONNX Runtime on one thread) gives the same bits; the standard leaves the order open.
 *
 * @module
 */
import type { Model } from "../../model/model.ts";
import { type Ensemble, NodeKind, type Postprocess } from "../../model/types.ts";
import { VERSION } from "../../util/version.ts";
import { type ExportProblem, exportProblems, refuseProblems } from "../common/export_problems.ts";
import { onnxLink } from "./export_link.ts";
import { treeEnsemble5, treeRegressor } from "./export_trees.ts";
import { attributeInt, type GraphParts, node, tensorValue, valueInfo } from "./writer.ts";
import { OnnxType } from "./graph.ts";
import { bytesField, integerField, message } from "../wire/protobuf_writer.ts";

const AGGREGATES = ["sum", "average", "min", "max"] as const;

function problemsOf(model: Model): readonly ExportProblem[] {
  const { ensemble } = model;
  const { treeWeight, aggregate } = ensemble;
  const links: Postprocess["name"][] = [
    "identity",
    "exp",
    "sigmoid",
    "softmax",
    "oneVsAll",
    "hinge",
    "signedSquare",
    "log1pExp",
    "proportions",
    "probability",
  ];
  const problems = [...exportProblems(model, {
    subset: true,
    equal: true,
    multiway: false,
    // Trees are double where the sum is, and hold every threshold: float32 features are cast.
    float32: ensemble.profile.sum === "f32",
    float32Leaves: ensemble.profile.sum === "f32",
    aggregates: AGGREGATES,
    links,
    zeroIsMissing: false,
    missingCells: false,
  })];
  if (aggregate === "average" && treeWeight.some((weight) => weight !== treeWeight[0])) {
    problems.push({ reason: "the average is weighted" });
  }
  if (
    ensemble.profile.sum === "f32" &&
    ensemble.baseScore.some((base) => Math.fround(base) !== base)
  ) problems.push({ reason: "the base score needs more than float32" });
  if (ensemble.profile.input === "f64" && ensemble.profile.sum === "f32") {
    problems.push({ reason: "features are compared as float64 while leaves are added in float32" });
  }
  return problems;
}

/** Writes a model as ONNX. */
export function exportOnnx(model: Model): Uint8Array<ArrayBuffer> {
  refuseProblems("ONNX", problemsOf(model));
  const { ensemble, schema } = model;
  const type = givesDouble(ensemble) ? OnnxType.double : OnnxType.float;
  const inputType = ensemble.profile.input === "f64" ? OnnxType.double : OnnxType.float;
  const isTrees5 = usesTrees5(ensemble);
  const graph: GraphParts = { nodes: [], initializers: [] };
  if (inputType !== type) {
    graph.nodes.push(node("Cast", "", ["X"], ["wide"], [attributeInt("to", type)]));
  }
  addTrees(graph, model, inputType === type ? "X" : "wide", type);
  const outputs = [
    valueInfo("raw", type, ensemble.numOutputs),
    ...onnxLink(graph, ensemble, schema, type),
  ];
  const graphBytes = message(
    ...graph.nodes.map((bytes) => bytesField(1, bytes)),
    bytesField(2, "treeline"),
    ...graph.initializers.map((bytes) => bytesField(5, bytes)),
    bytesField(
      11,
      valueInfo("X", inputType, schema.features.length),
    ),
    ...outputs.map((bytes) => bytesField(12, bytes)),
  );
  const opset = (domain: string, version: number) =>
    bytesField(8, message(bytesField(1, domain), integerField(2, version)));
  const property = (key: string, value: string) =>
    bytesField(14, message(bytesField(1, key), bytesField(2, value)));
  return message(
    integerField(1, isTrees5 ? 10 : 8),
    bytesField(2, "treeline"),
    bytesField(3, VERSION),
    bytesField(7, graphBytes),
    opset("", isTrees5 ? 21 : 15),
    opset("ai.onnx.ml", isTrees5 ? 5 : 3),
    property("treeline.schema", JSON.stringify(schema)),
    property("treeline.postprocess", JSON.stringify(ensemble.postprocess)),
    property("treeline.aggregate", ensemble.aggregate),
    // A base score that comes first is a tree.
    property(
      "treeline.base",
      JSON.stringify(Array.from(ensemble.baseScore, (x) => baseIsTree(ensemble) ? 0 : x)),
    ),
  );
}

/** Whether the trees are those of opset 5 (`TreeEnsemble`): only they have sets, and scores in float64. */
function usesTrees5(ensemble: Ensemble): boolean {
  return ensemble.trees.kind.includes(NodeKind.subset) || givesDouble(ensemble);
}

/** Whether raw scores leave the file as float64: where the model adds in float64. */
export function givesDouble({ profile }: Ensemble): boolean {
  return profile.sum === "f64";
}

/** Whether the base score is written as trees of one leaf in front of the others: where it comes first. */
function baseIsTree({ profile, aggregate, baseScore }: Ensemble): boolean {
  return profile.base === "first" && aggregate === "sum" && baseScore.some((base) => base !== 0);
}

/** How what comes after the sum is written. */
interface Ends {
  /** Averages whose trees are of single outputs: a sum, divided by an operator of its own. */
  readonly isDivided: boolean;
  /** The base score is added by an operator of its own. */
  readonly isAdded: boolean;
}

/**
 * The trees of opset 5 have one output a leaf, so a tree may be written more than once: the runtime
 * would divide by all of them. They have no base values either, and ONNX Runtime drops that of an
 * output without a tree.
 */
function endsOf(ensemble: Ensemble): Ends {
  const { aggregate, baseScore, numOutputs, leafWidth, treeOutput } = ensemble;
  const isTrees5 = usesTrees5(ensemble);
  const ownTrees = leafWidth === 1 && numOutputs > 1;
  const isDivided = aggregate === "average" && (isTrees5 || ownTrees);
  if (baseIsTree(ensemble) || baseScore.every((base) => base === 0)) {
    return { isDivided, isAdded: false };
  }
  const used = new Set(treeOutput);
  const isDropped = ownTrees && baseScore.some((base, output) => base !== 0 && !used.has(output));
  return { isDivided, isAdded: isTrees5 || isDivided || isDropped };
}

/** Trees that each output has. */
function treesOfOutputs({ leafWidth, numOutputs, treeOutput }: Ensemble): readonly number[] {
  const counts = new Array<number>(numOutputs).fill(leafWidth === 1 ? 0 : treeOutput.length);
  if (leafWidth === 1) { for (const output of treeOutput) counts[output]++; }
  return counts.map((count) => Math.max(1, count));
}

/** Writes the trees and what ends their sums; the last tensor is `raw`. */
function addTrees(graph: GraphParts, model: Model, input: string, type: number): void {
  const { ensemble } = model;
  const { isDivided, isAdded } = endsOf(ensemble);
  const names = [...(isDivided ? ["sum"] : []), ...(isAdded ? ["trees"] : []), "raw"];
  const constant = (name: string, values: ArrayLike<number>) =>
    graph.initializers.push(tensorValue(name, [1, ensemble.numOutputs], type, values));
  const write = usesTrees5(ensemble) ? treeEnsemble5 : treeRegressor;
  const aggregate = isDivided ? "sum" : ensemble.aggregate;
  const ownBase = isAdded || baseIsTree(ensemble);
  graph.nodes.push(write(model, { input, output: names[0], type, aggregate, ownBase }));
  if (isDivided) {
    constant("numTrees", treesOfOutputs(ensemble));
    graph.nodes.push(node("Div", "", ["sum", "numTrees"], [names[1]], []));
  }
  if (isAdded) {
    constant("base", ensemble.baseScore);
    graph.nodes.push(node("Add", "", ["trees", "base"], ["raw"], []));
  }
}
