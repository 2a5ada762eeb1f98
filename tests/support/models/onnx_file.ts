/**
 * Small ONNX files written by hand: an ensemble of trees from lists of attributes, and what surrounds it.
 *
 * @module
 */
import {
  attributeInt,
  attributeInts,
  attributeTensor,
  attributeText,
  attributeTexts,
  node,
  valueInfo,
} from "../../../src/convert/onnx/writer.ts";
import { bytesField, integerField, message } from "../../../src/convert/wire/protobuf_writer.ts";

/** Attributes by name: numbers of `floats` are floats, others integers. */
export interface Attributes {
  readonly [name: string]: string | number | readonly string[] | readonly number[];
}

const FLOATS = new Set([
  "nodes_values",
  "nodes_splits",
  "target_weights",
  "class_weights",
  "leaf_weights",
  "base_values",
  "membership_values",
]);

/** An attribute as the operator wants it; lists of opset 5 are tensors. */
function attribute(name: string, value: Attributes[string], isVersion5: boolean): Uint8Array {
  if (typeof value === "string") return attributeText(name, value);
  if (typeof value === "number") return attributeInt(name, value);
  if (typeof value[0] === "string") return attributeTexts(name, value as readonly string[]);
  const numbers = value as readonly number[];
  if (name === "nodes_modes") return attributeTensor(name, numbers, 2, false);
  return FLOATS.has(name)
    ? attributeTensor(name, numbers, 1, !isVersion5)
    : attributeInts(name, numbers);
}

/** A NodeProto of an ensemble that reads `input`. */
export function ensembleNode(op: string, attributes: Attributes, input = "X"): Uint8Array {
  const isVersion5 = op === "TreeEnsemble";
  const list = Object.entries(attributes).map(([name, value]) =>
    attribute(name, value, isVersion5)
  );
  return node(op, "ai.onnx.ml", [input], ["Y"], list);
}

/** A ModelProto of nodes whose one input `X` has `width` columns of an element type, float by default. */
export function onnxFile(
  nodes: readonly Uint8Array[],
  width = 1,
  opset = 3,
  type = 1,
): Uint8Array {
  const graph = message(
    ...nodes.map((bytes) => bytesField(1, bytes)),
    bytesField(11, valueInfo("X", type, width)),
    bytesField(12, valueInfo("Y", 1, 1)),
  );
  const domain = message(bytesField(1, "ai.onnx.ml"), integerField(2, opset));
  return message(integerField(1, 8), bytesField(7, graph), bytesField(8, domain));
}
