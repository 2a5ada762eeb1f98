/**
 * Laws of the scorer of few rows (src/model/score/rows/rows.ts): it gives the bits of the general one.
 *
 * @module
 */
import { assert } from "@std/assert";
import { createContract } from "../../../src/model/contract.ts";
import { encodeInput } from "../../../src/model/encode.ts";
import { createModel } from "../../../src/model/model.ts";
import type { Packed } from "../../../src/model/packed.ts";
import { createGeneralScorer } from "../../../src/model/score/general.ts";
import { createRows } from "../../../src/model/score/rows/rows.ts";
import type { ModelParts } from "../../../src/model/types.ts";
import { randomRows } from "../models/random.ts";

/** Form Z of a model. */
export function packedOf(parts: ModelParts): Packed {
  const { storage } = createModel(parts);
  if (storage.layout !== "packed") throw new Error("form Z holds it");
  return storage.packed;
}

/** `assertEquals` takes -0 for 0. */
function assertSame(found: Float64Array, expected: Float64Array): void {
  const at = found.findIndex((value, i) => !Object.is(value, expected[i]));
  assert(at < 0, `score ${at} is ${found[at]}, not ${expected[at]}`);
}

/** The scorer of few rows, or undefined. */
export function rowsOf(parts: ModelParts): ReturnType<typeof createRows> {
  return createRows(packedOf(parts), createModel(parts).rules);
}

/** Compares scores of all rows, alone, by two and together, with all trees and with the first ones. */
export function compareRows(parts: ModelParts, x: Float64Array): void {
  const width = parts.schema.features.length;
  const { numOutputs, treesPerRound, treeWeight } = parts.ensemble;
  const general = createGeneralScorer(parts.ensemble, parts.schema);
  const scorer = rowsOf(parts)!;
  const rows = x.length / width;
  const all = treeWeight.length;
  const few = [0, 1, 3, 15, 16, 17, 20].map((rounds) => rounds * treesPerRound);
  for (const trees of [all, ...few.filter((count) => count < all), all]) {
    const expected = new Float64Array(rows * numOutputs);
    general.score(x, rows, trees, expected);
    const found = new Float64Array(expected.length).fill(0.5);
    scorer.score(x, rows, trees, found);
    assertSame(found, expected);
    for (const some of [1, 2]) {
      found.fill(0.5);
      for (let r = 0; r < rows; r += some) {
        const to = Math.min(rows, r + some);
        const out = found.subarray(r * numOutputs, to * numOutputs);
        scorer.score(x.subarray(r * width, to * width), to - r, trees, out);
      }
      assertSame(found, expected);
    }
  }
}

/** Random rows as scorers take them. */
export function encodedRows(parts: ModelParts, rows: number): Float64Array {
  const x = new Float64Array(rows * parts.schema.features.length);
  encodeInput(createContract(parts.schema), randomRows(parts.schema, rows, 1)).fill(0, rows, x);
  if (parts.ensemble.profile.input === "f32") x.forEach((value, i) => x[i] = Math.fround(value));
  return x;
}
