import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { treeDot, treeMermaid } from "../../../src/plot/tree_graph.ts";
import { treeSvg } from "../../../src/plot/tree_svg.ts";
import { randomParts } from "../../support/models/random.ts";

/** One split of a column of this name. */
function named(name: string): Model {
  const tree = createTreeBuilder();
  tree.splitThreshold(0, 0, 0.1 + 0.2, 0);
  [0, 1, 2].forEach((node) => tree.setValue(node, [node]));
  const parts = randomParts({ seed: 1, trees: 1 });
  return createModel({
    ...parts,
    schema: { ...parts.schema, features: [{ kind: "numeric", name, missing: "error" }] },
    ensemble: { ...parts.ensemble, trees: packTrees([tree]) },
  });
}

Deno.test("treeDot() escapes what Graphviz reads in a label: its own escapes, and entities", () => {
  const labels = [
    ["a & b", "a &amp; b"],
    ["&lt;&#60;", "&amp;lt;&amp;#60;"],
    ["\\N\\", "\\\\N\\\\"],
    ['"]; x [label="', '\\"]; x [label=\\"'],
    ["two\nlines\u0000", '\\"two\\\\nlines\\\\u0000\\"'],
  ];
  for (const [name, label] of labels) {
    assertEquals(
      treeDot(named(name)),
      `digraph tree {
  node [shape=box, fontname="sans-serif"];
  n0 [label="${label}\\n0"];
  n1 [label="1", style=rounded];
  n0 -> n1 [label="<= 0.30000000000000004"];
  n2 [label="2", style=rounded];
  n0 -> n2 [label="> 0.30000000000000004"];
}
`,
    );
  }
});

Deno.test("treeMermaid() escapes what Mermaid reads in a label: HTML, Markdown, directives, formulas", () => {
  const labels = [
    ["<b>&lt;", "#lt;b#gt;#38;lt;"],
    ["`**bold**`", "#96;**bold**#96;"],
    ['"] --> x["', "#quot;] --#gt; x[#quot;"],
    ["%%{init: {}}%%", "#37;%{init#58; {}}#37;%"],
    ["%%%{", "#37;#37;%{"],
    ["$$x$$", "#36;$x#36;$"],
    ["a\\nb#lt;", "a#92;nb#35;lt;"],
    ["fa:fa-car", "fa#58;fa-car"],
    ["<br/>", "#lt;br/#gt;"],
    ["two\nlines", "#quot;two#92;nlines#quot;"],
  ];
  for (const [name, label] of labels) {
    assertEquals(
      treeMermaid(named(name)),
      `flowchart TD
  n0["${label}<br/>0"]
  n1(["1"])
  n0 -->|"#lt;= 0.30000000000000004"| n1
  n2(["2"])
  n0 -->|"#gt; 0.30000000000000004"| n2
`,
    );
  }
});

Deno.test("treeSvg() has no characters that XML forbids, and cuts long texts between characters", () => {
  const svg = treeSvg(named("\u0000\ud800\ufffe\u202e"));
  assertStringIncludes(svg, "&quot;\\u0000\\ud800\\ufffe\\u202e&quot;");
  const long = treeSvg(named("😀".repeat(10_000)));
  assertStringIncludes(long, `>${"😀".repeat(47)}…<`);
  assert(Number(/width="(\d+)"/.exec(long)![1]) < 1000);
});

Deno.test("treeSvg() writes thresholds whole, and boxes and labels of one level apart", () => {
  assertStringIncludes(treeSvg(named("x")), ">&lt;= 0.30000000000000004<");
  for (let seed = 1; seed <= 40; seed++) {
    const parts = randomParts({ seed, trees: 1, depth: 5, categorical: 2 });
    const features = parts.schema.features.map((feature, f) => ({
      ...feature,
      name: `${feature.name}${"-".repeat(f % 3 * 20)}`,
    }));
    const svg = treeSvg(createModel({ ...parts, schema: { ...parts.schema, features } }));
    const spans = new Map<string, [left: number, right: number][]>();
    for (const [, x, y, width] of svg.matchAll(/<rect x="(.*?)" y="(.*?)" width="(.*?)"/g)) {
      const level = spans.get(y) ?? [];
      spans.set(y, [...level, [Number(x), Number(x) + Number(width)]]);
    }
    const edges = /<text x="([^"]*)" y="([^"]*)" fill="#444" font-size="10">([^<]*)</g;
    for (const [, x, y, label] of svg.matchAll(edges)) {
      // Half a character of 5 for each side, in a narrow font; entities are one character.
      const half = label.replaceAll(/&\w+;/g, "x").length * 5 / 2;
      const level = spans.get(`label ${y}`) ?? [];
      spans.set(`label ${y}`, [...level, [Number(x) - half, Number(x) + half]]);
    }
    for (const level of spans.values()) {
      level.sort(([a], [b]) => a - b);
      level.slice(1).forEach(([left], i) => assert(left >= level[i][1], `${seed}`));
      assert(level[0][0] >= 0);
    }
  }
});
