import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models.ts";

const model = createModel(
  randomParts({ seed: 4, categorical: 1, outputs: 3, trees: 5, depth: 3, exotic: 0.2 }),
);
const stdin = encodeModel(model);

/** Depth by walking down from the roots, independent of the command's way up. */
function walkedDepth(): number {
  const { trees } = model.ensemble;
  const down = (node: number, end: number): number => {
    if (trees.kind[node] === 0) return 0;
    const from = trees.firstChild[node]!;
    const to = trees.kind[node] === 3 ? from + 3 : from + 2; // random multiway nodes have 3 branches
    let deepest = 0;
    for (let child = from; child < to; child++) deepest = Math.max(deepest, down(child, end));
    return deepest + 1;
  };
  return Math.max(
    ...Array.from({ length: 15 }, (_, t) => down(trees.treeStart[t]!, trees.treeStart[t + 1]!)),
  );
}

Deno.test("inspect --json gives counts, depth, bytes by section and the contract", async () => {
  const { code, stdout, stderr } = await cli(["inspect", "-", "--json"], { stdin });
  const shown = JSON.parse(stdout);
  assertEquals([code, stderr], [0, ""]);
  assertEquals([shown.trees, shown.rounds, shown.outputs], [15, 5, 3]);
  assertEquals(shown.nodes, model.ensemble.trees.kind.length);
  assertEquals(shown.leaves, model.ensemble.trees.kind.filter((kind) => kind === 0).length);
  assertEquals(shown.depth, walkedDepth());
  assertEquals(shown.byteLength, stdin.length);
  assertEquals(shown.schemaHash, model.schemaHash);
  assertEquals(shown.features.map((f: { name: string }) => f.name), ["x0", "x1", "x2", "x3", "c0"]);
});

Deno.test("inspect names every column, its rules and the classes", async () => {
  const { stdout } = await cli(["inspect", "-"], { stdin });
  assertStringIncludes(stdout, 'classification of "y"');
  assertStringIncludes(stdout, "class 0, class 1, class 2");
  assertStringIncludes(stdout, "unknown: heavier; 3 categories: k0, k1, k2");
});
