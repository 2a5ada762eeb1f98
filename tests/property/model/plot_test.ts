/**
 * What a printed tree says is what the model answers: texts and rules are read back and followed,
 * boxes hold the rows that reach their node, graphs have the edges of the tree.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { trainC45 } from "../../../src/algorithms/classic/c45.ts";
import { trainCart } from "../../../src/algorithms/classic/cart.ts";
import type { Dataset } from "../../../src/data/types.ts";
import type { Model } from "../../../src/model/model.ts";
import { nodeBoxes } from "../../../src/plot/boxes.ts";
import { treeDot, treeMermaid } from "../../../src/plot/tree_graph.ts";
import { treeSvg } from "../../../src/plot/tree_svg.ts";
import { rulesText, treeText } from "../../../src/plot/tree_text.ts";
import { createRng } from "../../../src/util/rng.ts";
import { randomParts } from "../../support/models/random.ts";
import { createModel } from "../../../src/model/model.ts";

type Row = { readonly [name: string]: number | string };

/** Three classes over two numbers of few digits and two categories; no value is missing. */
function makeData(seed: number): { readonly data: Dataset; readonly rows: readonly Row[] } {
  const rng = createRng(seed);
  const n = 150;
  const x = Float64Array.from({ length: n }, () => rng.nextInt(40) / 4);
  const z = Float64Array.from({ length: n }, () => 1_000_000 + rng.nextInt(30));
  const c = Int32Array.from({ length: n }, () => rng.nextInt(3));
  const d = Int32Array.from({ length: n }, () => rng.nextInt(6));
  const codes = Int32Array.from(
    x,
    (value, row) =>
      Math.min(2, Math.floor((value / 10 + c[row] / 3 + d[row] % 2 + rng.nextFloat()) / 1.2)),
  );
  const [colours, letters] = [["red", "green", "blue"], ["p", "q", "r", "s", "t", "u"]];
  return {
    data: {
      numRows: n,
      features: [
        { kind: "numeric", name: "x", values: x },
        { kind: "numeric", name: "z", values: z },
        { kind: "categorical", name: "c", codes: c, categories: colours },
        { kind: "categorical", name: "d", codes: d, categories: letters },
      ],
      target: { kind: "classification", name: "y", codes, classes: ["low", "mid", "high"] },
    },
    rows: Array.from(x, (_, i) => ({ x: x[i], z: z[i], c: colours[c[i]], d: letters[d[i]] })),
  };
}

async function models(seed: number): Promise<readonly (readonly [Model, readonly Row[]])[]> {
  const { data, rows } = makeData(seed);
  const all = [
    await trainCart(data, { minRowsPerLeaf: 3 }),
    await trainCart(data, { maxDepth: 3 }),
    await trainC45(data),
  ];
  return all.map((model) => [model, rows]);
}

/** Whether a printed condition holds. */
function holds(condition: string, row: Row): boolean {
  const [, name, operator, rest] = /^(\S+) (<=|>|=|in) (.*)$/.exec(
    condition.replace(/ or missing$/, ""),
  )!;
  const value = row[name];
  switch (operator) {
    case "<=":
      return Number(value) <= Number(rest);
    case ">":
      return Number(value) > Number(rest);
    case "=":
      return value === rest;
  }
  return rest.slice(1, -1).split(", ").includes(String(value));
}

/** The answer of a tree as indented text. */
function byText(text: string, row: Row): string {
  if (text.startsWith(": ")) return text.split(" ")[1];
  const lines = text.trimEnd().split("\n");
  let depth = 0;
  for (const line of lines) {
    const indent = line.split("|   ").length - 1;
    if (indent !== depth) continue;
    const [condition, answer] = line.slice(4 * indent).split(": ");
    if (!holds(condition, row)) continue;
    if (answer !== undefined) return answer.split(" ")[0];
    depth++;
  }
  throw new Error(`no branch for ${JSON.stringify(row)}`);
}

Deno.test("treeText() and rulesText() can be followed by hand to the model's answer", async () => {
  for (let seed = 0; seed < 6; seed++) {
    for (const [model, rows] of await models(seed)) {
      const expected = model.predictClass(rows);
      const text = treeText(model);
      const rules = rulesText(model).trimEnd().split("\n").map((line) => {
        const [, when, then] = /^(?:IF (.*) THEN|ALWAYS) (\S+) /.exec(line)!;
        return { conditions: when?.split(" AND ") ?? [], then };
      });
      rows.forEach((row, i) => {
        assertEquals(byText(text, row), expected[i], text);
        const firing = rules.filter(({ conditions }) => conditions.every((one) => holds(one, row)));
        assertEquals(firing.map(({ then }) => then), [expected[i]]);
      });
    }
  }
});

Deno.test("nodeBoxes() holds the rows of every node, and those of the leaves part the space", async () => {
  for (let seed = 0; seed < 6; seed++) {
    for (const [model, rows] of await models(seed)) {
      const boxes = nodeBoxes(model);
      const { trees } = model.ensemble;
      assertEquals(boxes.length, trees.kind.length);
      const inside = (node: number, row: Row) =>
        [...boxes[node].intervals].every(([name, { above, upTo }]) =>
          Number(row[name]) > above && Number(row[name]) <= upTo
        ) &&
        [...boxes[node].categories].every(([name, set]) => set.includes(String(row[name])));
      const leaf = model.predictLeaf(rows).data;
      const counts = new Float64Array(boxes.length);
      rows.forEach((row, i) => {
        boxes.forEach((box, node) => {
          assertEquals(box.isLeaf, trees.kind[node] === 0);
          if (inside(node, row)) counts[node]++;
          if (box.isLeaf) assertEquals(inside(node, row), leaf[i] === node, `row ${i}, ${node}`);
        });
      });
      // The training rows, all of weight 1: what a node counted in training is what its box holds.
      assertEquals(counts, Float64Array.from(trees.cover));
    }
  }
});

Deno.test("nodeBoxes() of a test of equality is a point, and no more than the parent beside it", () => {
  const { schema, info, ensemble } = randomParts({ seed: 3, trees: 12, depth: 4, exotic: 0.6 });
  const model = createModel({ schema, info, ensemble });
  const { trees } = ensemble;
  let points = 0;
  for (let t = 0; t < model.numTrees; t++) {
    const boxes = nodeBoxes(model, t);
    const start = trees.treeStart[t];
    boxes.forEach((box, node) => {
      if (trees.kind[start + node] !== 4) return;
      const { name } = schema.features[trees.feature[start + node]];
      const first = trees.firstChild[start + node] - start;
      assertEquals(boxes[first + 1].intervals, box.intervals);
      const { above, upTo } = boxes[first].intervals.get(name)!;
      const value = trees.threshold[start + node];
      const held = box.intervals.get(name);
      if (held !== undefined && !(value > held.above && value <= held.upTo)) return;
      assert(value > above && value <= upTo);
      points++;
    });
  }
  assert(points > 5, `${points}`);
});

Deno.test("treeDot(), treeMermaid() and treeSvg() draw every node and edge once", async () => {
  for (const [model] of await models(1)) {
    const { firstChild, kind, feature, categoryAt, categoryPool } = model.ensemble.trees;
    const edges: string[] = [];
    kind.forEach((is, node) => {
      if (is === 0) return;
      const input = model.schema.features[feature[node]];
      const branches = is === 3 && input.kind === "categorical"
        ? 1 +
          Math.max(
            ...input.categories.map((_, code) => categoryPool[categoryAt[node] + code]),
          )
        : 2;
      for (let b = 0; b < branches; b++) edges.push(`n${node} n${firstChild[node] + b}`);
    });
    edges.sort();
    const dot = treeDot(model);
    const dotEdges = [...dot.matchAll(/^ {2}(n\d+) -> (n\d+) \[label="[^"\n]+"\];$/gm)];
    assertEquals(dotEdges.map((m) => `${m[1]} ${m[2]}`).sort(), edges);
    assertEquals([...dot.matchAll(/^ {2}n\d+ \[label=/gm)].length, kind.length);
    // Names and values of attributes are words of letters, or quoted: graphviz refuses the rest.
    for (const [, value] of dot.replaceAll(/"(\\.|[^"\\])*"/g, "quoted").matchAll(/=([^,\]]+)/g)) {
      assert(/^[a-z]+$/.test(value), value);
    }
    const mermaid = treeMermaid(model);
    const arrows = [...mermaid.matchAll(/^ {2}(n\d+) -->\|"[^"\n]+"\| (n\d+)$/gm)];
    assertEquals(arrows.map((m) => `${m[1]} ${m[2]}`).sort(), edges);
    assertEquals(
      [...mermaid.matchAll(/^ {2}n\d+(\(\[|\[)"[^"\n]+"(\]\)|\])$/gm)].length,
      kind.length,
    );
    const svg = treeSvg(model, 0, { maxDepth: 100 });
    assertEquals(svg.split("<rect ").length - 1, kind.length);
    assertEquals(svg.split("<path ").length - 1, edges.length);
    const cut = treeSvg(model, 0, { maxDepth: 1 });
    assertEquals(
      cut.split("<rect ").length - 1,
      1 + edges.filter((e) => e.startsWith("n0 ")).length,
    );
  }
});
