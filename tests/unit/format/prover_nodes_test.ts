/** What the loader's kernel proves of nodes, without its twin, which refuses the same. */
import { assertEquals } from "@std/assert";
import { openProver } from "../../../src/format/prover.ts";
import type { Packed } from "../../../src/model/packed.ts";
import { randomParts } from "../../support/models.ts";
import { packedOf } from "../../support/rows.ts";

Deno.test("the kernel refuses trees that have more or fewer nodes than there are", () => {
  const whole = packedOf(randomParts({ seed: 1, trees: 30, depth: 5 }));
  const last = whole.treeNodes.length - 1;
  for (const [more, tree] of [[0, 0], [1, last], [-1, last], [2 ** 31, last], [1, 0]]) {
    const file = new Uint8Array(1 << 16);
    let at = 0;
    const copy = <T extends Uint32Array | Float64Array>(array: T): T => {
      const View = array.constructor as new (buffer: ArrayBuffer, at: number, n: number) => T;
      const view = new View(file.buffer, at, array.length);
      view.set(array);
      at += Math.ceil(view.byteLength / 8) * 8;
      return view;
    };
    const packed: Packed = {
      ...whole,
      treeNodes: copy(Uint32Array.from(whole.treeNodes)),
      feat2: copy(Uint32Array.from(whole.feat2)),
      cut: copy(Uint32Array.from(whole.cut)),
      size: copy(Uint32Array.from(whole.size)),
      dictSize: copy(Uint32Array.from(whole.dictSize)),
      cuts: copy(Float64Array.from(whole.cuts)),
      leaves: copy(Float64Array.from(whole.leaves)),
    };
    (packed.treeNodes as Uint32Array)[tree] += more;
    assertEquals(openProver(file)!.nodes(packed), more === 0, `${more} nodes more`);
  }
});
