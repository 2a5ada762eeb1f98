/**
 * What happens to numbers before an ONNX tree ensemble reads them and after it has scored: which inputs
 * they come from, and what `Cast` makes of them.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { fieldError } from "../common/document.ts";
import { type OnnxGraph, type OnnxNode, OnnxType } from "./graph.ts";

/** Operators that only pass a tensor on, before or after the trees. */
export const PASSING: ReadonlySet<string> = new Set(["Identity", "Cast", "ZipMap", "Concat"]);

/** The columns that the trees read. */
export interface OnnxInputs {
  readonly names: readonly string[];
  readonly width: number;
  /** The trees are given doubles: they add in float64. */
  readonly isDouble: boolean;
  /** Numbers are float32 when they reach the trees, whatever the trees' own type. */
  readonly isRounded: boolean;
}

/** A tensor on its way to the trees, and whether something after it rounds to float32. */
interface Pending {
  readonly name: string;
  readonly isRounded: boolean;
}

/** Follows Cast, Identity and Concat back to the graph's inputs. */
export function findInput(graph: OnnxGraph, ensemble: OnnxNode): OnnxInputs {
  const producers = new Map<string, OnnxNode>();
  for (const node of graph.nodes) for (const output of node.outputs) producers.set(output, node);
  const inputs = new Map(graph.inputs.map((input) => [input.name, input]));
  const names: string[] = [];
  const rounded = new Set<boolean>();
  let width = 0;
  let isOpen = false;
  const isDouble = typeOf(ensemble.inputs[0], producers, inputs) === OnnxType.double;
  const pending: Pending[] = [{ name: ensemble.inputs[0], isRounded: !isDouble }];
  // Every tensor is passed on once: what is asked for more often than it is named goes in circles.
  let allowed = graph.inputs.length;
  for (const node of graph.nodes) allowed += 1 + node.inputs.length;
  while (pending.length > 0) {
    allowed -= 1;
    if (pending.length > allowed) {
      throw fieldError("graph.input", ensemble.inputs[0], "a graph without cycles");
    }
    const { name, isRounded } = pending.pop()!;
    const input = inputs.get(name);
    if (input !== undefined) {
      checkInput(input);
      rounded.add(isRounded || !isExact(input.type));
      if (input.width === 1 && graph.inputs.length > 1) names.push(name);
      else if (input.width < 0) isOpen = true;
      width += Math.max(0, input.width);
      continue;
    }
    const node = producers.get(name);
    if (node === undefined || !PASSING.has(node.op) || node.op === "ZipMap") {
      throw fieldError("graph.input", name, "a tensor that comes from the graph's inputs");
    }
    const to = node.op === "Cast" ? checkCast(node, "a feature") : OnnxType.double;
    const axis = node.attributes.get("axis")?.integer ?? 1;
    if (node.op === "Concat" && axis !== 1 && axis !== -1) {
      throw fieldError("Concat.axis", axis, "1: columns side by side");
    }
    for (const part of node.op === "Concat" ? [...node.inputs].reverse() : [node.inputs[0]]) {
      pending.push({ name: part, isRounded: isRounded || to === OnnxType.float });
    }
  }
  if (rounded.size > 1) {
    throw new ConversionError(
      "E_CONVERT_UNSUPPORTED",
      "Cannot import this ONNX model: some features are rounded to float32 and some are not; expected one type for all",
      { details: { inputs: graph.inputs.map((input) => input.name) } },
    );
  }
  return {
    names: names.length === width ? names : [],
    width: isOpen ? 0 : width,
    isDouble,
    isRounded: rounded.has(true),
  };
}

/** Types of inputs that hold every number a double holds, or whole numbers only. */
function isExact(type: number): boolean {
  return type === OnnxType.double || INTEGERS.has(type);
}

/** Refuses inputs whose numbers are rounded in a way of their own before anything sees them. */
function checkInput({ name, type }: OnnxGraph["inputs"][number]): void {
  if (type === OnnxType.float || isExact(type)) return;
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import this ONNX model: the input "${name}" is of element type ${type}; expected float (1), ` +
      "double (11), an integer or bool",
    { details: { name, type } },
  );
}

/** uint8, int8, uint16, int16, int32, int64, bool, uint32, uint64. */
const INTEGERS = new Set([2, 3, 4, 5, 6, 7, 9, 12, 13]);

/** The element type of a tensor before the trees. */
function typeOf(
  name: string,
  producers: ReadonlyMap<string, OnnxNode>,
  inputs: ReadonlyMap<string, OnnxGraph["inputs"][number]>,
): number {
  for (let steps = 0; steps <= producers.size; steps++) {
    const input = inputs.get(name);
    if (input !== undefined) return input.type;
    const node = producers.get(name);
    if (node?.op === "Cast") return node.attributes.get("to")?.integer ?? 0;
    if (node === undefined || node.inputs.length === 0) return 0;
    name = node.inputs[0];
  }
  return 0;
}

/** The type a Cast gives; every other than float and double changes numbers in ways of its own. */
function checkCast(node: OnnxNode, what: string): number {
  const to = node.attributes.get("to")?.integer ?? 0;
  if (to === OnnxType.float || to === OnnxType.double) return to;
  throw new ConversionError(
    "E_CONVERT_UNSUPPORTED",
    `Cannot import this ONNX model: ${what} is cast to element type ${to}; expected float (1) or double (11)`,
    { details: { to } },
  );
}

/** Refuses graphs that cast scores to something that cannot hold them. */
export function checkScoreCasts(graph: OnnxGraph, ensemble: OnnxNode): void {
  const isClassifier = ensemble.op === "TreeEnsembleClassifier";
  // A classifier's first output is the label, which may become anything.
  const scores = new Set(ensemble.outputs.slice(isClassifier ? 1 : 0));
  // Nodes come in an order in which each follows what it reads.
  for (const node of graph.nodes) {
    if (!PASSING.has(node.op) || !node.inputs.some((name) => scores.has(name))) continue;
    if (node.op === "Cast") checkCast(node, "the score");
    for (const output of node.outputs) scores.add(output);
  }
}
