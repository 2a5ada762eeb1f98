/**
 * Trees with linear leaves added to the scores of a set by all threads, blocks of rows at a time. What
 * a row is given depends on nothing but the row.
 *
 * @module
 */
import {
  leafOutput,
  type LeafTerms,
  type LinearColumns,
  type TreeTerms,
} from "../linear_leaves.ts";
import { forBlocks, type HistContext } from "./workspace/context.ts";
import { leavesOf } from "./workspace/layout.ts";

/** Leaves of a tree as rows see them. */
export interface LinearTree {
  readonly nodeOf: Int32Array;
  /** Constant of each node. */
  readonly value: Float64Array;
  readonly terms: TreeTerms;
}

/** Values of the features of a set as a thread sees them. */
export function columnsAt({ layout, memory }: HistContext, set: number): LinearColumns {
  const { numRows } = layout.sets[set].rows;
  const { buffer } = memory.u8;
  return layout.linear![set].map(({ at, bytes }) => {
    if (at === 0) return undefined;
    return bytes === 4
      ? new Float32Array(buffer, at, numRows)
      : new Float64Array(buffer, at, numRows);
  });
}

/**
 * The leaves of a tree in a row, by their numbers: value, number of terms (−1: no model), constant,
 * features, coefficients.
 */
export function writeLeaves({ nodeOf, value, terms }: LinearTree): Uint8Array {
  const numbers: number[] = [];
  for (const node of nodeOf) {
    const model = terms[node];
    numbers.push(value[node], model?.features.length ?? -1);
    if (model === undefined) continue;
    numbers.push(model.constant, ...model.features, ...model.coefficients);
  }
  return new Uint8Array(Float64Array.from(numbers).buffer);
}

function readLeaves(f64: Float64Array, at: number, numLeaves: number) {
  const values = new Float64Array(numLeaves);
  const terms: (LeafTerms | undefined)[] = [];
  let place = at >>> 3;
  for (let leaf = 0; leaf < numLeaves; leaf++) {
    values[leaf] = f64[place++];
    const size = f64[place++];
    terms.push(undefined);
    if (size < 0) continue;
    const constant = f64[place++];
    const features = Array.from(f64.subarray(place, place + size));
    const coefficients = Array.from(f64.subarray(place + size, place + 2 * size));
    terms[leaf] = { constant, features, coefficients };
    place += 2 * size;
  }
  return { values, terms };
}

/** Takes blocks of rows until none is left. */
export function addLinear(context: HistContext): void {
  const { layout, memory } = context;
  const args = layout.args >>> 3;
  const [set, output, factor, at, numLeaves] = memory.f64.subarray(args, args + 5);
  const { f64 } = memory;
  const { values, terms } = readLeaves(f64, at, numLeaves);
  const { raw, rows: { numRows } } = layout.sets[set];
  const first = (raw >>> 3) + output * numRows;
  const leafOf = leavesOf(memory, layout, set);
  const columns = columnsAt(context, set);
  forBlocks(context, set, (from, n) => {
    for (let row = from; row < from + n; row++) {
      const leaf = leafOf[row];
      f64[first + row] += factor * leafOutput(values[leaf], terms[leaf], columns, row);
    }
  });
}
