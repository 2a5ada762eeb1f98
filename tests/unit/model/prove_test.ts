/** The proof of form Z in TypeScript, which judges what the loader's kernel refuses or cannot run. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Packed } from "../../../src/model/packed.ts";
import { proveNodes, proveValues } from "../../../src/model/prove.ts";
import { createRng } from "../../../src/util/rng.ts";
import { randomParts } from "../../support/models/random.ts";
import { packedOf } from "../../support/laws/row_scorer.ts";

const fail = (array: string, index: number, problem: string) =>
  new Error(`${array}[${index}]: ${problem}`);

/** Whether inner nodes j … j + n − 1 are one tree: by its words, each subtree on its own. */
function isTree({ size, feat2, cut, dictSize }: Packed, j: number, n: number): boolean {
  if (n === 0) return true;
  const s = size[j];
  if (s < 1 || s > n) return false;
  if (feat2[j] >= 2 * dictSize.length || cut[j] >= dictSize[feat2[j] >> 1]) return false;
  return isTree({ size, feat2, cut, dictSize } as Packed, j + 1, s - 1) &&
    isTree({ size, feat2, cut, dictSize } as Packed, j + s, n - s);
}

function isForest(packed: Packed): boolean {
  let j = 0;
  for (const n of packed.treeNodes) {
    if (j + n > packed.size.length || !isTree(packed, j, n)) return false;
    j += n;
  }
  return j === packed.size.length;
}

function isProved(packed: Packed): boolean {
  try {
    proveNodes(packed, fail);
    return true;
  } catch {
    return false;
  }
}

Deno.test("proveNodes() takes trees and nothing else", () => {
  const rng = createRng(5);
  const count = { whole: 0, broken: 0 };
  for (let seed = 0; seed < 3000; seed++) {
    const whole = packedOf(randomParts({ seed: seed % 30, trees: 3, depth: 4, categorical: 1 }));
    assert(isProved(whole));
    const packed = {
      ...whole,
      treeNodes: Uint32Array.from(whole.treeNodes),
      size: Uint32Array.from(whole.size),
      feat2: Uint32Array.from(whole.feat2),
      cut: Uint32Array.from(whole.cut),
    };
    const array = packed[(["size", "size", "feat2", "cut", "treeNodes"] as const)[rng.nextInt(5)]];
    // Mostly by one: the edge of what is allowed.
    const at = rng.nextInt(array.length);
    array[at] += [1, -1, 1, -1, 2, -3, 100][rng.nextInt(7)];
    const expected = isForest(packed);
    assertEquals(isProved(packed), expected, `${seed}`);
    count[expected ? "whole" : "broken"]++;
  }
  assert(count.whole > 200 && count.broken > 1000, JSON.stringify(count));
});

Deno.test("proveValues() names thresholds that do not ascend and leaves that are no number", () => {
  const whole = packedOf(randomParts({ seed: 1, trees: 3, numeric: 2 }));
  assert(whole.dictSize[0] > 2);
  const cases: readonly [string, (cuts: Float64Array, leaves: Float64Array) => void][] = [
    ["cuts[1]", (cuts) => cuts[1] = cuts[0]],
    ["cuts[1]", (cuts) => cuts[1] = NaN],
    ["cuts[0]", (cuts) => cuts[0] = NaN],
    ["leaves[2]", (_, leaves) => leaves[2] = NaN],
    ["leaves[0]", (_, leaves) => leaves[0] = -Infinity],
  ];
  for (const [place, edit] of cases) {
    const cuts = Float64Array.from(whole.cuts);
    const leaves = Float64Array.from(whole.leaves);
    edit(cuts, leaves);
    assertThrows(() => proveValues({ ...whole, cuts, leaves }, 1, fail), Error, place);
  }
  proveValues(whole, 1, fail);
  const two = { ...whole, leaves: whole.leaves.subarray(0, 2) };
  const leafIndex = new Uint8Array(whole.leaves.length).fill(1);
  proveValues({ ...two, leafIndex }, 1, fail);
  leafIndex[3] = 2;
  assertThrows(() => proveValues({ ...two, leafIndex }, 1, fail), Error, "leafIndex[3]");
});
