import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { trainC45 } from "../../../src/algorithms/classic/c45.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { ModelError, ParameterError } from "../../../src/errors.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { nodeBoxes } from "../../../src/plot/boxes.ts";
import { treeDot, treeMermaid } from "../../../src/plot/tree_graph.ts";
import { treeSvg } from "../../../src/plot/tree_svg.ts";
import { rulesText, treeRules, treeText } from "../../../src/plot/tree_text.ts";
import { randomParts } from "../../support/models/random.ts";

const WEATHER = `outlook,humidity,windy,play
sunny,85,no,no
sunny,90,yes,no
overcast,86,no,yes
rainy,96,no,yes
rainy,80,no,yes
rainy,70,yes,no
overcast,65,yes,yes
sunny,95,no,no
sunny,70,no,yes
rainy,80,no,yes
sunny,70,yes,yes
overcast,90,yes,yes
overcast,75,no,yes
rainy,91,yes,no
`;
const weather = () => parseCsv(WEATHER, { target: "play" });

Deno.test("treeText() prints C4.5's golf tree as the book does", async () => {
  const text = treeText(await trainC45(weather()));
  assertEquals(
    text.replaceAll(/ \(100 %\)/g, "").replaceAll(" or missing", ""),
    `outlook = overcast: yes (4)
outlook = rainy
|   windy = no: yes (3)
|   windy = yes: no (2)
outlook = sunny
|   humidity <= 75: yes (2)
|   humidity > 75: no (3)
`,
  );
});

const stairs = () => parseCsv("x,y\n1,0\n2,0\n3,5\n4,5\n5,9\n6,9\n", { target: "y" });

Deno.test("treeRules() keeps the tighter of two bounds", async () => {
  const model = await trainCart(stairs());
  assertEquals(
    treeRules(model).map(({ conditions }) => conditions.length <= 2),
    [true, true, true],
  );
  assertStringIncludes(rulesText(model), "IF x <= 2.5 THEN 0 (2)\n");
});

Deno.test("nodeBoxes() gives every leaf its interval", async () => {
  const model = await trainCart(stairs());
  const leaves = nodeBoxes(model).filter(({ isLeaf }) => isLeaf);
  const intervals = leaves.map(({ intervals }) => intervals.get("x")!);
  intervals.sort((a, b) => a.upTo - b.upTo);
  assertEquals(intervals, [
    { above: -Infinity, upTo: 2.5 },
    { above: 2.5, upTo: 4.5 },
    { above: 4.5, upTo: Infinity },
  ]);
});

Deno.test("nodeBoxes() parts categories among the branches", async () => {
  const boxes = nodeBoxes(await trainC45(weather()));
  assertEquals(boxes[1].categories.get("outlook"), ["overcast"]);
});

Deno.test("treeDot(), treeMermaid() and treeSvg() escape names", async () => {
  const data = parseCsv('"a<""x",y\n1,0\n2,0\n3,5\n4,5\n', { target: "y" });
  const model = await trainCart(data);
  assertStringIncludes(treeDot(model), 'label="a<\\"x');
  assertStringIncludes(treeMermaid(model), "a#lt;#quot;x");
  const svg = treeSvg(model);
  assertStringIncludes(svg, "a&lt;&quot;x");
  assert(!svg.includes('a<"x'));
});

/** A chain of splits, one a level. */
function chain(depth: number): Model {
  const tree = createTreeBuilder();
  let node = 0;
  for (let level = 0; level < depth; level++) {
    node = tree.splitThreshold(node, 0, level, 0) + 1;
  }
  for (let place = 0; place < tree.numNodes; place++) tree.setValue(place, [place]);
  const parts = randomParts({ seed: 1, trees: 1 });
  return createModel({ ...parts, ensemble: { ...parts.ensemble, trees: packTrees([tree]) } });
}

Deno.test("trees of a thousand levels are printed in every form, and deeper ones refused", () => {
  const [deep, deeper] = [chain(1000), chain(1001)];
  assertEquals(treeText(deep).split("\n").length, 2001);
  assertEquals(treeRules(deep).length, 1001);
  assertEquals(nodeBoxes(deep).length, 2001);
  for (const print of [treeText, treeRules, nodeBoxes, treeDot, treeMermaid, treeSvg]) {
    print(deep, 0);
    const error = assertThrows(() => print(deeper, 0), ModelError);
    assertEquals(error.code, "E_MODEL_LIMIT");
  }
});

Deno.test("printers name the trees that there are", () => {
  const message = (trees: number, tree: number) =>
    assertThrows(() => treeText(createModel(randomParts({ seed: 1, trees })), tree), ParameterError)
      .message;
  for (const wrong of [-1, 0.5, 3, NaN]) {
    assertEquals(
      message(3, wrong),
      `Cannot show tree ${wrong}: expected a whole number from 0 to 2`,
    );
  }
  assertEquals(message(0, 0), "Cannot show tree 0: the model has no trees");
});
