import { assert, assertEquals } from "@std/assert";
import { encodeModel } from "../../../src/format/binary.ts";
import { createReader } from "../../../src/format/bytes.ts";
import { LAYOUT_H } from "../../../src/format/heap.ts";
import { readMeta } from "../../../src/format/meta.ts";
import { HEAD_WORDS, LAYOUT_Z, readPacked } from "../../../src/format/packed.ts";
import { openProver, type Prover } from "../../../src/format/prover.ts";
import { checksum, readSections } from "../../../src/format/sections.ts";
import { createModel } from "../../../src/model/model.ts";
import { createRng } from "../../../src/util/rng.ts";
import { type RandomModel, randomParts } from "../../support/models.ts";

/** Entries of one, two and four bytes; thresholds in both precisions; sets; shared leaves. */
const SHAPES: readonly (RandomModel & { readonly layout: number })[] = [
  { seed: 1, trees: 4000, depth: 2, layout: LAYOUT_H },
  { seed: 2, trees: 1500, depth: 2, numeric: 150, f32: false, layout: LAYOUT_H },
  { seed: 3, trees: 60, depth: 9, numeric: 8, layout: LAYOUT_Z },
  { seed: 4, trees: 90, depth: 8, categorical: 3, f32: false, layout: LAYOUT_Z },
  { seed: 5, trees: 2, depth: 17, numeric: 140, layout: LAYOUT_Z },
  { seed: 6, trees: 300, depth: 5, outputs: 3, leafWidth: 3, layout: LAYOUT_Z },
];

/** What becomes of the trees of a file: their arrays, or what is said of them and where. */
function outcomeOf(bytes: Uint8Array, prover?: Prover): unknown {
  try {
    const sections = readSections(bytes, false, {});
    const find = (id: string) => sections.find((section) => section.id === id)!;
    const json = JSON.parse(new TextDecoder().decode(find("META").bytes));
    const meta = readMeta(json, (problem) => new Error(problem) as never);
    const { offset, bytes: trees } = find("TREE");
    const reader = createReader(bytes, offset!, trees.byteLength);
    const { packed } = readPacked(reader, reader.u32(HEAD_WORDS), meta, prover);
    reader.end();
    return packed;
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: unknown };
    return { code, message, details };
  }
}

function fileOf({ layout, ...shape }: typeof SHAPES[number]): { bytes: Uint8Array; at: number } {
  const bytes = encodeModel(createModel(randomParts(shape)), { inBits: false, explain: false });
  const { offset } = readSections(bytes, true, {}).find(({ id }) => id === "TREE")!;
  assertEquals(new Uint32Array(bytes.buffer, offset!, 1)[0], layout);
  return { bytes, at: offset! };
}

for (const shape of SHAPES) {
  Deno.test(`the kernel proves what its twin proves, and gives its arrays: model ${shape.seed}`, () => {
    const { bytes, at } = fileOf(shape);
    const prover = openProver(bytes);
    assert(prover !== undefined, "the file is large enough and there is wasm");
    // The kernel itself says yes: without that, all below would compare the twin with itself.
    let asked = 0;
    const heard = {
      ...prover,
      nodes: (...args: Parameters<Prover["nodes"]>) => (asked += +prover.nodes(...args)) > 0,
      heaps: (...args: Parameters<Prover["heaps"]>) => (asked += +prover.heaps(...args)) > 0,
    };
    assertEquals(outcomeOf(bytes, heard), outcomeOf(bytes));
    assertEquals(asked, 1);
    const rng = createRng(shape.seed);
    let refused = 0;
    for (let i = 0; i < 150; i++) {
      const damaged = bytes.slice();
      for (let k = rng.nextInt(3); k >= 0; k--) {
        const place = at + 64 + rng.nextInt(bytes.length - at - 64);
        damaged[place] = rng.nextInt(3) === 0 ? rng.nextInt(256) : damaged[place] + rng.nextInt(3);
      }
      const expected = outcomeOf(damaged);
      assertEquals(outcomeOf(damaged, openProver(damaged)), expected);
      if ((expected as { code?: string }).code !== undefined) refused++;
    }
    assert(refused > 10 && refused < 150, `${refused} of 150 were refused`);
  });
}

Deno.test("openProver().lanes() gives the checksum of its twin", () => {
  const rng = createRng(7);
  for (const length of [16384, 16392, 65536, 100_008]) {
    const bytes = Uint8Array.from({ length }, () => rng.nextInt(256));
    assertEquals(checksum(bytes, openProver(bytes)), checksum(bytes));
    bytes[length - 1] ^= 1;
    assertEquals(checksum(bytes, openProver(bytes)), checksum(bytes));
  }
});

Deno.test("openProver() leaves small files, and those above a limit, to the twin", () => {
  assertEquals(openProver(new Uint8Array(16376)), undefined);
  assert(openProver(new Uint8Array(20_000)) !== undefined);
  assertEquals(openProver(new Uint8Array(20_000), 19_999), undefined);
});
