import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import {
  nodeBoxes,
  rulesText,
  treeDot,
  treeMermaid,
  treeSvg,
  treeText,
} from "../../../../src/plot/mod.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";

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
  assertStringIncludes(
    stdout,
    "features compared as float64, trees added in float64, base score first",
  );
  assertStringIncludes(stdout, "unknown: heavier; 3 categories: k0, k1, k2");
});

Deno.test("inspect tells zeros that are missing and trees that break a promised order", async () => {
  const parts = randomParts({ seed: 4, categorical: 0, outputs: 1, trees: 2, depth: 2, exotic: 0 });
  const [first, ...others] = parts.schema.features;
  const told = createModel({
    ...parts,
    schema: { ...parts.schema, features: [{ ...first, zeroIsMissing: true }, ...others] as never },
    info: { ...parts.info, monotoneBroken: { trees: [2], first: "tree 2 has leaves" } },
  });
  const { stdout } = await cli(["inspect", "-"], { stdin: encodeModel(told) });
  assertStringIncludes(stdout, "not monotone  1 trees break the order; tree 2 has leaves");
  assertEquals(stdout.match(/zeros are missing/g)?.length, 1);
});

Deno.test("inspect --tree prints one tree in every form", async () => {
  const forms: { readonly [form: string]: (tree: number) => string } = {
    text: (tree) => treeText(model, tree),
    rules: (tree) => rulesText(model, tree),
    dot: (tree) => treeDot(model, tree),
    mermaid: (tree) => treeMermaid(model, tree),
    svg: (tree) => treeSvg(model, tree),
  };
  for (const [form, print] of Object.entries(forms)) {
    for (const tree of [0, 14]) {
      const { code, stdout } = await cli(["inspect", "-", "--tree", `${tree}`, "--as", form], {
        stdin,
      });
      assertEquals([code, stdout], [0, print(tree)]);
    }
  }
  assertEquals((await cli(["inspect", "-", "--tree", "3"], { stdin })).stdout, treeText(model, 3));
  const lines = (await cli(["inspect", "-", "--tree", "2", "--as", "boxes"], { stdin })).stdout;
  const boxes = lines.trimEnd().split("\n").map((line) => JSON.parse(line));
  nodeBoxes(model, 2).forEach(({ node, depth, isLeaf, intervals, categories }, i) => {
    const box = boxes[i];
    assertEquals([box.node, box.depth, box.isLeaf], [node, depth, isLeaf]);
    for (const [name, { above, upTo }] of intervals) {
      assertEquals(Number(box.box[name].above ?? -Infinity), above);
      assertEquals(Number(box.box[name].upTo ?? Infinity), upTo);
    }
    for (const [name, set] of categories) assertEquals(box.box[name], set);
  });
  const json = JSON.parse(
    (await cli(["inspect", "-", "--tree", "1", "--as", "rules", "--json"], { stdin })).stdout,
  );
  assertEquals(json, { tree: 1, as: "rules", text: rulesText(model, 1) });
});

Deno.test("inspect refuses a form without a tree and a tree that is not there", async () => {
  const form = await cli(["inspect", "-", "--as", "svg"], { stdin });
  assertEquals([form.code, form.stdout], [2, ""]);
  assertStringIncludes(form.stderr, "E_USAGE");
  for (const form of ["text", "rules", "dot", "mermaid", "svg", "boxes"]) {
    for (const tree of ["15", "0.5"]) {
      const wrong = await cli(["inspect", "-", "--tree", tree, "--as", form], { stdin });
      assertEquals([wrong.code, wrong.stdout], [2, ""]);
      assertStringIncludes(wrong.stderr, "E_PARAM_RANGE");
    }
  }
});

Deno.test("inspect says of one tree that it is one round", async () => {
  const trees = async (count: number) => {
    const given = encodeModel(createModel(randomParts({ seed: 1, trees: count, depth: 2 })));
    return (await cli(["inspect", "-"], { stdin: given })).stdout;
  };
  assertStringIncludes(await trees(1), "1 in 1 round, ");
  assertStringIncludes(await trees(2), "2 in 2 rounds, ");
});
