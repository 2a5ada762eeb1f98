/**
 * ONNX messages: nodes, attributes, tensors, inputs and outputs. Field numbers from `onnx.proto`.
 *
 * @module
 */
import { OnnxType } from "./graph.ts";
import {
  bytesField,
  floatsField,
  integerField,
  integersField,
  type Message,
  message,
  messageOf,
} from "../wire/protobuf_writer.ts";

/** A graph under construction. */
export interface GraphParts {
  readonly nodes: Uint8Array[];
  readonly initializers: Uint8Array[];
}

/** A NodeProto. */
export function node(
  op: string,
  domain: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Uint8Array[],
): Message {
  return message(
    ...inputs.map((name) => bytesField(1, name)),
    ...outputs.map((name) => bytesField(2, name)),
    bytesField(3, `${op}_${outputs[0]}`),
    bytesField(4, op),
    ...attributes.map((bytes) => bytesField(5, bytes)),
    ...(domain === "" ? [] : [bytesField(7, domain)]),
  );
}

/** AttributeProto.type */
const KIND = { int: 2, text: 3, tensor: 4, floats: 6, ints: 7, texts: 8 } as const;

const attribute = (name: string, kind: number, ...fields: readonly Uint8Array[]): Message =>
  message(bytesField(1, name), ...fields, integerField(20, kind));

/** An integer attribute. */
export function attributeInt(name: string, value: number): Message {
  return attribute(name, KIND.int, integerField(3, value));
}

/** A text attribute. */
export function attributeText(name: string, value: string): Message {
  return attribute(name, KIND.text, bytesField(4, value));
}

/** A list of integers. */
export function attributeInts(name: string, values: ArrayLike<number>): Message {
  return attribute(name, KIND.ints, integersField(8, values));
}

/** A list of texts. */
export function attributeTexts(name: string, values: readonly string[]): Message {
  return attribute(name, KIND.texts, messageOf(values.map((value) => bytesField(9, value))));
}

/** Numbers as a tensor, or as a plain list of floats. */
export function attributeTensor(
  name: string,
  values: ArrayLike<number>,
  type: number,
  isPlain: boolean,
): Message {
  if (isPlain) return attribute(name, KIND.floats, floatsField(7, values, 4));
  return attribute(
    name,
    KIND.tensor,
    bytesField(5, tensorValue(name, [values.length], type, values)),
  );
}

/** A TensorProto of numbers. */
export function tensorValue(
  name: string,
  dims: readonly number[],
  type: number,
  values: ArrayLike<number>,
): Message {
  const data = type === OnnxType.float
    ? floatsField(4, values, 4)
    : type === OnnxType.double
    ? floatsField(10, values, 8)
    : type === OnnxType.uint8
    ? integersField(5, values)
    : integersField(7, values);
  return message(integersField(1, dims), integerField(2, type), data, bytesField(8, name));
}

/** A TensorProto of texts. */
export function textTensor(name: string, values: readonly string[]): Message {
  return message(
    integersField(1, [values.length]),
    integerField(2, 8),
    messageOf(values.map((value) => bytesField(6, value))),
    bytesField(8, name),
  );
}

/** An input or output: rows × `width`, or rows alone. */
export function valueInfo(name: string, type: number, width?: number): Message {
  const rows = bytesField(1, bytesField(2, "rows"));
  const dims = width === undefined ? [rows] : [rows, bytesField(1, integerField(1, width))];
  const tensor = message(integerField(1, type), bytesField(2, message(...dims)));
  return message(bytesField(1, name), bytesField(2, bytesField(1, tensor)));
}
