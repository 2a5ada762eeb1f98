/**
 * The link and the label in standard ONNX operators (opset 15).
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
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
      op("Sigmoid", [raw], postprocess.normalise ? "each" : "value");
      if (postprocess.normalise) divideBySum("each", "value");
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

  let probabilities = "value";
  if (numOutputs === 1 && schema.classes.length === 2) {
    constant("one", 1);
    op("Sub", ["one", "value"], "other");
    op("Concat", ["other", "value"], "probabilities", [attributeInt("axis", 1)]);
    probabilities = "probabilities";
    outputs.push(valueInfo(probabilities, type, 2));
  } else {
    op("Identity", ["value"], "probabilities");
    outputs.push(valueInfo("probabilities", type, numOutputs));
  }
  op("ArgMax", [probabilities], "index", [attributeInt("axis", 1), attributeInt("keepdims", 0)]);
  const isInteger = schema.classes.every((label) => String(Number.parseInt(label, 10)) === label);
  graph.initializers.push(
    isInteger
      ? tensorValue("classes", [schema.classes.length], OnnxType.int64, schema.classes.map(Number))
      : textTensor("classes", schema.classes),
  );
  op("Gather", ["classes", "index"], "label", [attributeInt("axis", 0)]);
  outputs.push(valueInfo("label", isInteger ? OnnxType.int64 : 8));
  return outputs;
}
