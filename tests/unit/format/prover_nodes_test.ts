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
