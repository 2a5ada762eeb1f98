/**
 * The link and the label in standard ONNX operators (opset 15).
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import { isProbability } from "../../model/postprocess.ts";
import type { Ensemble } from "../../model/types.ts";
import { OnnxType } from "./graph.ts";
import {
  attributeInt,
  type GraphParts,
  node,
  tensorValue,
  textTensor,
  valueInfo,
} from "./writer.ts";

/** Appends what follows `raw` and returns the other outputs. */
export function onnxLink(
  graph: GraphParts,
  ensemble: Ensemble,
  schema: Schema,
  type: number,
): readonly Uint8Array[] {
  const { postprocess, numOutputs } = ensemble;
  const op = (
    name: string,
    inputs: readonly string[],
    output: string,
    attributes: Uint8Array[] = [],
  ) => graph.nodes.push(node(name, "", inputs, [output], attributes));
  const constant = (name: string, value: number) =>
    graph.initializers.push(tensorValue(name, [1], type, [value]));
  const scale = postprocess.scale ?? 1;
  let raw = "raw";
  if (scale !== 1) {
    constant("scale", scale);
    op("Mul", [raw, "scale"], "scaled");
    raw = "scaled";
  }
  const divideBySum = (from: string, to: string) => {
    graph.initializers.push(tensorValue("axis", [1], OnnxType.int64, [1]));
    op("ReduceSum", [from, "axis"], "total", [attributeInt("keepdims", 1)]);
    op("Div", [from, "total"], to);
  };
  /**
   * In float64 and by exp(): float32 sigmoids are alike from raw scores of ±18 on, and ONNX Runtime's
   * Sigmoid of float64 is 1 − a number near 1 below zero, so that small shares are lost.
   */
  const shareOneVsAll = () => {
    const isDouble = type === OnnxType.double;
    const cast = (from: string, to: string, as: number) =>
      op("Cast", [from], to, [attributeInt("to", as)]);
    graph.initializers.push(tensorValue("one64", [1], OnnxType.double, [1]));
    if (!isDouble) cast(raw, "raw64", OnnxType.double);
    op("Neg", [isDouble ? raw : "raw64"], "minus64");
    op("Exp", ["minus64"], "odds64");
    op("Add", ["one64", "odds64"], "above64");
    const last = isDouble ? "value" : "value64";
    op("Div", ["one64", "above64"], postprocess.normalise ? "each64" : last);
    if (postprocess.normalise) divideBySum("each64", last);
    if (!isDouble) cast("value64", "value", type);
  };
  switch (postprocess.name) {
    case "exp":
      op("Exp", [raw], "value");
      break;
    case "sigmoid":
      op("Sigmoid", [raw], "value");
      break;
    case "softmax":
      op("Softmax", [raw], "value", [attributeInt("axis", 1)]);
      break;
    case "oneVsAll":
      shareOneVsAll();
      break;
    case "proportions":
      divideBySum(raw, "value");
      break;
    case "hinge":
      constant("zero", 0);
      op("Greater", [raw, "zero"], "positive");
      op("Cast", ["positive"], "value", [attributeInt("to", type)]);
      break;
    case "signedSquare":
      op("Abs", [raw], "size");
      op("Mul", [raw, "size"], "value");
      break;
    case "log1pExp":
      if (type === OnnxType.float) op("Softplus", [raw], "value");
      else {
        // ONNX Runtime has it for float32 only: max(x, 0) + ln(1 + exp(−|x|)).
        constant("one64", 1);
        op("Relu", [raw], "positivePart");
        op("Abs", [raw], "size");
        op("Neg", ["size"], "minusSize");
        op("Exp", ["minusSize"], "small");
        op("Add", ["small", "one64"], "above1");
        op("Log", ["above1"], "rest");
        op("Add", ["positivePart", "rest"], "value");
      }
      break;
    default:
      op("Identity", [raw], "value");
  }
  const outputs = [valueInfo("value", type, numOutputs)];
  if (schema.classes.length === 0) return outputs;

  const isOne = numOutputs === 1 && schema.classes.length === 2;
  const isNarrow = postprocess.name === "oneVsAll" && type !== OnnxType.double && !isOne;
  let chosen = isNarrow ? "value64" : "value";
  if (!isProbability(postprocess.name) && !(isOne && postprocess.name === "hinge")) {
    // No shares of classes: the largest raw score, or its sign, tells the class.
    chosen = "raw";
    if (isOne) {
      op("Neg", ["raw"], "minusRaw");
      op("Concat", ["minusRaw", "raw"], "sides", [attributeInt("axis", 1)]);
      chosen = "sides";
    }
  } else if (isOne) {
    constant("one", 1);
    op("Sub", ["one", "value"], "other");
    op("Concat", ["other", "value"], "probabilities", [attributeInt("axis", 1)]);
    outputs.push(valueInfo("probabilities", type, 2));
    chosen = "probabilities";
  } else {
    if (schema.classes.length > 1) op("Identity", ["value"], "probabilities");
    else {
      // The only class has all, whatever the score says.
      constant("one", 1);
      op("Sub", ["value", "value"], "nothing");
      op("Add", ["nothing", "one"], "probabilities");
    }
    outputs.push(valueInfo("probabilities", type, numOutputs));
  }
  op("ArgMax", [chosen], "index", [attributeInt("axis", 1), attributeInt("keepdims", 0)]);
  // Integers that float64, and so `int64` here, holds as they are written.
  const isInteger = schema.classes.every((label) =>
    Number.isSafeInteger(Number(label)) && String(Number(label)) === label
  );
  graph.initializers.push(
    isInteger
      ? tensorValue("classes", [schema.classes.length], OnnxType.int64, schema.classes.map(Number))
      : textTensor("classes", schema.classes),
  );
  op("Gather", ["classes", "index"], "label", [attributeInt("axis", 0)]);
  outputs.push(valueInfo("label", isInteger ? OnnxType.int64 : 8));
  return outputs;
}
