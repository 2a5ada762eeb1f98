/**
 * The part of an ONNX file that tree ensembles need: nodes with their attributes, inputs with names,
 * types and widths. Field numbers from onnx/onnx `onnx/onnx.proto`.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { eachField, type Field, fieldText, pushFloats, pushIntegers } from "../wire/protobuf.ts";

/** An attribute of a node; what is absent is empty. */
export interface OnnxAttribute {
  readonly integer: number;
  readonly text: string;
  readonly integers: readonly number[];
  readonly floats: readonly number[];
  readonly texts: readonly string[];
  readonly tensor: OnnxTensor | undefined;
}

/** A tensor of numbers. */
export interface OnnxTensor {
  readonly type: number;
  readonly values: readonly number[];
}

/** A node of the graph. */
export interface OnnxNode {
  readonly op: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, OnnxAttribute>;
}

/** An input of the graph. */
export interface OnnxInput {
  readonly name: string;
  /** Element type: 1 float, 11 double, 7 int64, … */
  readonly type: number;
  /** Last dimension where it is fixed, or −1. */
  readonly width: number;
}

/** A model's graph and who made it. */
export interface OnnxGraph {
  readonly producer: string;
  readonly producerVersion: string;
  readonly opsets: ReadonlyMap<string, number>;
  readonly nodes: readonly OnnxNode[];
  readonly inputs: readonly OnnxInput[];
  /** `metadata_props` of the model. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** Element types that attributes and inputs of tree ensembles use. */
export const OnnxType = { float: 1, uint8: 2, int64: 7, double: 11 } as const;

/** Reads a ModelProto. */
export function readOnnxGraph(bytes: Uint8Array): OnnxGraph {
  let producer = "";
  let producerVersion = "";
  const opsets = new Map<string, number>();
  const metadata = new Map<string, string>();
  let graph: Uint8Array | undefined;
  eachField(bytes, "an ONNX model", (field) => {
    if (field.number === 2) producer = fieldText(field);
    else if (field.number === 3) producerVersion = fieldText(field);
    else if (field.number === 7) graph = field.bytes;
    else if (field.number === 8) {
      let domain = "";
      let version = 0;
      eachField(field.bytes, "an ONNX opset", (part) => {
        if (part.number === 1) domain = fieldText(part);
        else if (part.number === 2) version = part.integer;
      });
      opsets.set(domain, version);
    } else if (field.number === 14) {
      const pair = ["", ""];
      eachField(field.bytes, "ONNX metadata", (part) => {
        if (part.number === 1 || part.number === 2) pair[part.number - 1] = fieldText(part);
      });
      metadata.set(pair[0], pair[1]);
    }
  });
  if (graph === undefined) {
    throw new ConversionError(
      "E_CONVERT_SYNTAX",
      "Cannot read an ONNX model at byte 0: it has no graph",
      {
        details: { offset: 0 },
      },
    );
  }
  if (opsets.size === 0) {
    // They stand behind the graph in most files, and ONNX Runtime wants one.
    throw new ConversionError(
      "E_CONVERT_SYNTAX",
      `Cannot read an ONNX model at byte ${bytes.length}: it names no opset, so it may have been cut`,
      { details: { offset: bytes.length } },
    );
  }
  const nodes: OnnxNode[] = [];
  const inputs: OnnxInput[] = [];
  eachField(graph, "an ONNX graph", (field) => {
    if (field.number === 1) nodes.push(readNode(field.bytes));
    else if (field.number === 11) inputs.push(readInput(field.bytes));
  });
  return { producer, producerVersion, opsets, nodes, inputs, metadata };
}

function readNode(bytes: Uint8Array): OnnxNode {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, OnnxAttribute>();
  let op = "";
  let domain = "";
  eachField(bytes, "an ONNX node", (field) => {
    if (field.number === 1) inputs.push(fieldText(field));
    else if (field.number === 2) outputs.push(fieldText(field));
    else if (field.number === 4) op = fieldText(field);
    else if (field.number === 7) domain = fieldText(field);
    else if (field.number === 5) {
      const [name, attribute] = readAttribute(field.bytes);
      attributes.set(name, attribute);
    }
  });
  return { op, domain, inputs, outputs, attributes };
}

function readAttribute(bytes: Uint8Array): [string, OnnxAttribute] {
  const what = "an ONNX attribute";
  let name = "";
  let integer = 0;
  let text = "";
  let tensor: OnnxTensor | undefined;
  const integers: number[] = [];
  const floats: number[] = [];
  const texts: string[] = [];
  eachField(bytes, what, (field) => {
    switch (field.number) {
      case 1:
        name = fieldText(field);
        break;
      case 3:
        integer = field.integer;
        break;
      case 4:
        text = fieldText(field);
        break;
      case 5:
        tensor = readTensor(field.bytes);
        break;
      case 7:
        pushFloats(field, what, 4, floats);
        break;
      case 8:
        pushIntegers(field, what, integers);
        break;
      case 9:
        texts.push(fieldText(field));
    }
  });
  return [name, { integer, text, integers, floats, texts, tensor }];
}

function readTensor(bytes: Uint8Array): OnnxTensor {
  const what = "an ONNX tensor";
  let type = 0;
  let raw: Field | undefined;
  const values: number[] = [];
  eachField(bytes, what, (field) => {
    if (field.number === 2) type = field.integer;
    else if (field.number === 4) pushFloats(field, what, 4, values);
    else if (field.number === 5 || field.number === 7) pushIntegers(field, what, values);
    else if (field.number === 10) pushFloats(field, what, 8, values);
    else if (field.number === 9) raw = field;
  });
  if (raw !== undefined) pushRaw(raw, type, values);
  return { type, values };
}

/** `raw_data` is little-endian, of the tensor's type. */
function pushRaw(field: Field, type: number, out: number[]): void {
  const { bytes } = field;
  if (type === OnnxType.uint8) {
    for (const byte of bytes) out.push(byte);
  } else if (type === OnnxType.int64) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + 8 <= bytes.length; at += 8) out.push(Number(view.getBigInt64(at, true)));
  } else if (type === OnnxType.float || type === OnnxType.double) {
    pushFloats(field, "an ONNX tensor", type === OnnxType.float ? 4 : 8, out);
  } else {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      `Cannot read an ONNX tensor of element type ${type}: expected float, double, int64 or uint8`,
      { details: { type } },
    );
  }
}

/** ValueInfoProto: name, and through TypeProto the element type and shape. */
function readInput(bytes: Uint8Array): OnnxInput {
  let name = "";
  let type = 0;
  let width = -1;
  const inside = (field: Field, number: number, then: (inner: Field) => void) => {
    if (field.number === number) eachField(field.bytes, "an ONNX input", then);
  };
  eachField(bytes, "an ONNX input", (field) => {
    if (field.number === 1) name = fieldText(field);
    inside(field, 2, (value) =>
      inside(value, 1, (tensor) => {
        if (tensor.number === 1) type = tensor.integer;
        if (tensor.number === 2) width = lastDimension(tensor.bytes);
      }));
  });
  return { name, type, width };
}

function lastDimension(shape: Uint8Array): number {
  let width = -1;
  eachField(shape, "an ONNX shape", (field) => {
    if (field.number !== 1) return;
    width = -1;
    eachField(field.bytes, "an ONNX dimension", (part) => {
      if (part.number === 1 && part.wire === 0) width = part.integer;
    });
  });
  return width;
}
