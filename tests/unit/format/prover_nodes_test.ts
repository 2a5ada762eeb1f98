/** What the loader's kernel proves of nodes, without its twin, which refuses the same. */
import { assert, assertEquals } from "@std/assert";
import { openProver } from "../../../src/format/prover.ts";
import type { Packed } from "../../../src/model/packed.ts";
import { randomParts } from "../../support/models/random.ts";
import { packedOf } from "../../support/laws/row_scorer.ts";

/** Trees whose arrays have entries of four bytes. */
type Wide = Packed & { readonly [array in "treeNodes" | "feat2" | "cut" | "size"]: Uint32Array };

/** Trees with all their arrays in a file. */
function inFile(file: Uint8Array, whole: Packed): Wide {
  let at = 0;
  const copy = <T extends Uint32Array | Float64Array>(array: T): T => {
    const View = array.constructor as new (buffer: ArrayBufferLike, at: number, n: number) => T;
    const view = new View(file.buffer, at, array.length);
    view.set(array);
    at += Math.ceil(view.byteLength / 8) * 8;
    return view;
  };
  return {
    ...whole,
    treeNodes: copy(Uint32Array.from(whole.treeNodes)),
    feat2: copy(Uint32Array.from(whole.feat2)),
    cut: copy(Uint32Array.from(whole.cut)),
    size: copy(Uint32Array.from(whole.size)),
    dictSize: copy(Uint32Array.from(whole.dictSize)),
    cuts: copy(Float64Array.from(whole.cuts)),
    leaves: copy(Float64Array.from(whole.leaves)),
  };
}

Deno.test("the kernel refuses trees that have more or fewer nodes than there are", () => {
  const whole = packedOf(randomParts({ seed: 1, trees: 30, depth: 5 }));
  const last = whole.treeNodes.length - 1;
  for (const [more, tree] of [[0, 0], [1, last], [-1, last], [2 ** 31, last], [1, 0]]) {
    const file = new Uint8Array(1 << 16);
    const packed = inFile(file, whole);
    packed.treeNodes[tree] += more;
    assertEquals(openProver(file)!.nodes(packed), more === 0, `${more} nodes more`);
  }
});

Deno.test("the kernel refuses a node that asks what there is not, whichever it is", () => {
  const whole = packedOf(randomParts({ seed: 1, trees: 7, depth: 4 }));
  for (let j = 0; j < whole.size.length; j++) {
    for (
      const [array, wrong] of [
        ["feat2", 2 * whole.dictSize.length],
        ["cut", whole.dictSize[whole.feat2[j] >>> 1]],
        ["size", 0],
        ["size", whole.size.length + 1],
      ] as const
    ) {
      const file = new Uint8Array(1 << 15);
      const packed = inFile(file, whole);
      packed[array][j] = wrong;
      assertEquals(openProver(file)!.nodes(packed), false, `${array}[${j}] is ${wrong}`);
    }
  }
});

// Beyond 128 features there is no table for vectors, though nodes of bytes may ask the first ones.
for (const numeric of [40, 180]) {
  Deno.test(`the kernel refuses a node of bytes that asks what there is not: ${numeric} features`, () => {
    const whole = packedOf(randomParts({ seed: 1, trees: 11, depth: 4, numeric }));
    assertEquals(whole.dictSize.length, numeric);
    // One feature has no entry, another one the most that there may be.
    const sizes = Uint32Array.from(whole.dictSize, (_, f) => f === 39 ? 0 : f === 7 ? 256 : 5);
    const numNodes = whole.size.length;
    assert(numNodes > 48 && numNodes % 16 > 0);
    const cuts = Float64Array.from({ length: sizes.reduce((a, b) => a + b) }, (_, i) => i);
    const provedWith = (change: (feat2: Uint8Array, cut: Uint8Array) => void) => {
      const file = new Uint8Array(1 << 15);
      const wide = inFile(file, { ...whole, dictSize: sizes, cuts });
      const bytes = new Uint8Array(file.buffer, 3 << 13, 2 * 1024);
      const [feat2, cut] = [bytes.subarray(0, numNodes), bytes.subarray(1024, 1024 + numNodes)];
      // Each node asks another feature, and the last entry of its dictionary.
      feat2.forEach((_, j) => feat2[j] = 2 * (j % 39) + j % 2);
      cut.forEach((_, j) => cut[j] = sizes[j % 39] - 1);
      change(feat2, cut);
      return openProver(file)!.nodes({ ...wide, feat2, cut });
    };
    assertEquals(provedWith(() => {}), true);
    for (let j = 0; j < numNodes; j++) {
      if (j % 39 !== 7) assertEquals(provedWith((_, cut) => cut[j]++), false, `cut[${j}]`);
      for (const f of [39, 40, 47, 48, 100, 127]) {
        const change = (feat2: Uint8Array, cut: Uint8Array) => {
          feat2[j] = 2 * f;
          cut[j] = 0;
        };
        assertEquals(provedWith(change), f > 39 && f < numeric, `feature ${f} in node ${j}`);
      }
    }
  });
}

Deno.test("the kernel refuses a leaf that is not finite, whichever it is", () => {
  const whole = packedOf(randomParts({ seed: 1, trees: 7, depth: 3 }));
  for (const Reals of [Float32Array, Float64Array]) {
    for (const more of [0, 1]) {
      const { length } = whole.leaves;
      for (let i = -1; i < length - more; i++) {
        for (const wrong of [NaN, Infinity, -Infinity]) {
          const file = new Uint8Array(1 << 15);
          const packed = inFile(file, whole);
          const leaves = new Reals(file.buffer, 1 << 14, length - more);
          leaves.set(whole.leaves.subarray(more));
          // What stands behind leaves is not theirs, but for what fills the last 8 bytes.
          file.fill(255, (1 << 14) + Math.ceil(leaves.byteLength / 8) * 8);
          if (i >= 0) leaves[i] = wrong;
          assertEquals(openProver(file)!.nodes({ ...packed, leaves }), i < 0, `${wrong} at ${i}`);
        }
      }
    }
  }
});

Deno.test("of all sizes of four nodes, the kernel takes those that are trees", () => {
  const whole = packedOf(randomParts({ seed: 1, trees: 2, depth: 3, numeric: 1 }));
  /** Whether nodes from `j` up to `end` are one tree, by the words of docs/format.md. */
  const isTree = (sizes: readonly number[], j: number, end: number): boolean =>
    j === end ||
    (sizes[j] > 0 && j + sizes[j] <= end && isTree(sizes, j + 1, j + sizes[j]) &&
      isTree(sizes, j + sizes[j], end));
  for (const treeNodes of [[4], [1, 3], [2, 2], [3, 1], [4, 0], [1, 0, 3], [1, 1, 2]]) {
    const file = new Uint8Array(1 << 15);
    const packed = inFile(file, {
      ...whole,
      treeNodes: Uint32Array.from(treeNodes),
      feat2: new Uint32Array(4),
      cut: new Uint32Array(4),
      size: new Uint32Array(4),
    });
    let taken = 0;
    for (let code = 0; code < 6 ** 4; code++) {
      const sizes = [code % 6, (code / 6 | 0) % 6, (code / 36 | 0) % 6, code / 216 | 0];
      let at = 0;
      const right = treeNodes.every((n) => isTree(sizes, at, at += n));
      packed.size.set(sizes);
      assertEquals(openProver(file)!.nodes(packed), right, `${treeNodes}: ${sizes}`);
      taken += +right;
    }
    assert(taken > 0);
  }
});
