import { assert, assertEquals } from "@std/assert";
import type { Schema } from "../../../src/data/types.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees, type TreeBuilder } from "../../../src/model/trees.ts";
import type { NumericProfile } from "../../../src/model/types.ts";
import { rulesText, treeText } from "../../../src/plot/tree_text.ts";
import { nextDown32, nextDown64, nextUp32, nextUp64 } from "../../../src/util/float.ts";
import { randomParts } from "../../support/models/random.ts";

/** A row as a reader of rules has it: null is missing. */
type Cells = { readonly [name: string]: number | string | null };

interface Reading {
  readonly row: Cells;
  /** How numbers are compared. */
  readonly round: (x: number) => number;
  /** Every category that the model knows, by feature. */
  readonly known: { readonly [feature: string]: readonly string[] };
}

/** A name, plain or in the quotes of JSON, at the start of a text, and what comes after it. */
function takeName(text: string, end: RegExp): [name: string, rest: string] {
  if (text.startsWith('"')) {
    const quoted = /^"(?:[^"\\]|\\.)*"/.exec(text)![0];
    return [JSON.parse(quoted), text.slice(quoted.length)];
  }
  const at = text.search(end);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}

/** Whether a printed condition holds; what follows it is handed back. Knows nothing of trees. */
function readCondition(text: string, { row, round, known }: Reading): [boolean, string] {
  const [name, rest] = takeName(text, / (<=|>=|<|>|=|!=|in|is) /);
  const cell = row[name];
  const [, operator] = /^ (\S+) /.exec(rest)!;
  let after = rest.slice(operator.length + 2);
  let holds: boolean;
  if (operator === "is") {
    const word = /^\w+/.exec(after)![0];
    after = after.slice(word.length);
    holds = (word === "present") === (cell !== null);
  } else if (typeof cell === "string" || operator === "in" || known[name] !== undefined) {
    const names: string[] = [];
    if (operator === "in") {
      after = after.slice(1);
      while (!after.startsWith("}")) {
        const [next, tail] = takeName(after, /[,}]/);
        names.push(next);
        after = tail.startsWith(", ") ? tail.slice(2) : tail;
      }
      after = after.slice(1);
    } else {
      const [next, tail] = takeName(after, / AND | THEN |: | or (missing|unknown)|$/);
      names.push(next);
      after = tail;
    }
    holds = cell !== null && names.includes(cell as string);
  } else {
    const number = /^[^\s:]+/.exec(after)![0];
    after = after.slice(number.length);
    const [x, t] = [round(cell ?? NaN), round(Number(number))];
    holds = operator === "<="
      ? x <= t
      : operator === "<"
      ? x < t
      : operator === ">="
      ? x >= t
      : operator === ">"
      ? x > t
      : operator === "="
      ? x === t
      : cell !== null && x !== t;
  }
  for (;;) {
    const [more, word] = /^ (?:or|but not) (missing|unknown|zero)/.exec(after) ?? [];
    if (more === undefined) return [holds, after];
    after = after.slice(more.length);
    const isSo = word === "missing"
      ? cell === null
      : word === "zero"
      ? cell === 0
      : typeof cell === "string" && !known[name].includes(cell);
    holds = more.startsWith(" or") ? holds || isSo : holds && !isSo;
  }
}

/** Numbers of the printed rules that hold. */
function rulesThatHold(text: string, reading: Reading): number[] {
  return text.trimEnd().split("\n").flatMap((line, number) => {
    if (!line.startsWith("IF ")) return [number];
    let rest = line.slice(3);
    let all = true;
    for (;;) {
      const [holds, after] = readCondition(rest, reading);
      all &&= holds;
      if (after.startsWith(" THEN ")) return all ? [number] : [];
      assert(after.startsWith(" AND "), line);
      rest = after.slice(5);
    }
  });
}

/** Number of the leaf that who reads the indented tree comes to, −1 where no branch holds. */
function leafOfText(text: string, reading: Reading): number {
  if (text.startsWith(": ")) return 0;
  const lines = text.trimEnd().split("\n").map((line) => {
    const indent = /^(\| {3})*/.exec(line)![0].length;
    const [holds, after] = readCondition(line.slice(indent), reading);
    return { level: indent / 4, holds, isLeaf: after.startsWith(": ") };
  });
  let level = 0;
  for (let i = 0; i < lines.length; i++) {
    if (lines[i].level < level) return -1;
    if (lines[i].level > level || !lines[i].holds) continue;
    if (lines[i].isLeaf) return lines.slice(0, i).filter(({ isLeaf }) => isLeaf).length;
    level++;
  }
  return -1;
}

/** Numbers of the leaves of the first tree, in the order in which they are printed, by node. */
function leafOrder({ ensemble: { trees } }: Model, schema: Schema): Map<number, number> {
  const order = new Map<number, number>();
  const visit = (node: number) => {
    const first = trees.firstChild[node];
    if (first < 0) return void order.set(node, order.size);
    const feature = schema.features[trees.feature[node]];
    const count = trees.kind[node] === 3 && feature.kind === "categorical" ? 3 : 2;
    for (let child = first; child < first + count; child++) visit(child);
  };
  visit(0);
  return order;
}

/** Rows on all thresholds and their neighbours, and of what is no ordinary value. */
function rowsOf(model: Model): Cells[] {
  const { features } = model.schema;
  const { trees } = model.ensemble;
  const rows: Cells[] = [];
  const cells = features.map((feature, f): (number | string | null)[] => {
    if (feature.kind === "categorical") return [...feature.categories, "not known", null];
    const near = new Set<number>([-Infinity, -1, 0, 1, Infinity]);
    for (let node = 0; node < trees.kind.length; node++) {
      if (trees.feature[node] !== f) continue;
      const t = trees.threshold[node];
      const single = Math.fround(t);
      for (
        const x of [t, nextUp64(t), nextDown64(t), single, nextUp32(single), nextDown32(single)]
      ) {
        near.add(x);
      }
    }
    return [...near, null];
  });
  for (let r = 0; r < 400; r++) {
    // Strides that have no factor in common with one another go through the combinations.
    rows.push(
      Object.fromEntries(
        features.map((
          { name },
          f,
        ) => [name, cells[f][(r * [1, 3, 5, 7, 11][f % 5]) % cells[f].length]]),
      ),
    );
  }
  return rows;
}

function follow(model: Model): void {
  const order = leafOrder(model, model.schema);
  const rows = rowsOf(model);
  const { data, cols } = model.predictLeaf(rows);
  const round = model.ensemble.profile.input === "f32" ? Math.fround : (x: number) => x;
  const known = Object.fromEntries(
    model.schema.features.flatMap((feature) =>
      feature.kind === "categorical" ? [[feature.name, feature.categories]] : []
    ),
  );
  const [rules, text] = [rulesText(model), treeText(model)];
  rows.forEach((row, r) => {
    const leaf = order.get(data[r * cols])!;
    assertEquals(
      rulesThatHold(rules, { row, round, known }),
      [leaf],
      `${JSON.stringify(row)}\n${rules}`,
    );
    assertEquals(leafOfText(text, { row, round, known }), leaf, `${JSON.stringify(row)}\n${text}`);
  });
}

const PROFILES: readonly Partial<NumericProfile>[] = [
  { input: "f64", shownTest: "<=" },
  { input: "f32", shownTest: "<=" },
  { input: "f32", shownTest: "<" },
];

/** As files of imported libraries may have it: what no branch names is never the lighter one's. */
function withoutCover(tree: Model): Model {
  const { trees } = tree.ensemble;
  return createModel({
    schema: tree.schema,
    info: tree.info,
    ensemble: {
      ...tree.ensemble,
      trees: { ...trees, cover: new Float64Array(trees.cover.length) },
    },
  });
}

Deno.test("who follows treeText() and rulesText() comes to the leaf of the model", () => {
  for (const profile of PROFILES) {
    for (let seed = 1; seed <= 6; seed++) {
      const parts = randomParts({
        seed,
        trees: 1,
        depth: 6,
        f32: profile.shownTest === "<",
        profile,
      });
      // Thresholds of all digits, not of two.
      const { trees } = parts.ensemble;
      const threshold = trees.threshold.map((t, node) => {
        const x = t + 1e-9 * node + 1 / 3;
        return profile.shownTest === "<" ? Math.fround(x) : x;
      });
      const ensemble = { ...parts.ensemble, trees: { ...trees, threshold } };
      follow(createModel({ ...parts, ensemble }));
    }
  }
});

Deno.test("who follows the rules of categories comes to the leaf, unknown ones included", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const parts = randomParts({
      seed,
      trees: 1,
      depth: 5,
      numeric: 2,
      categorical: 2,
      unknown: seed % 2 === 0 ? "heavier" : "missing",
    });
    // The rules name what does not take the first branch, since without weights no branch is heavier.
    const model = withoutCover(createModel(parts));
    const order = leafOrder(model, model.schema);
    const text = treeText(model);
    const known = Object.fromEntries(
      model.schema.features.flatMap((feature) =>
        feature.kind === "categorical" ? [[feature.name, feature.categories]] : []
      ),
    );
    const rows = rowsOf(model);
    const { data, cols } = model.predictLeaf(rows);
    rows.forEach((row, r) => {
      const found = leafOfText(text, { row, round: (x) => x, known });
      const isKnown = Object.values(row).every((cell) => cell !== "not known");
      if (isKnown || found >= 0) assertEquals(found, order.get(data[r * cols]), text);
    });
  }
});

/** One tree on columns of these names: `<= 1.5` of the first, a set of the second. */
function named(first: string, second: string, categories: readonly string[]): Model {
  const tree = createTreeBuilder();
  tree.splitThreshold(0, 0, 1.5, 1);
  tree.splitSubset(2, 1, new Uint32Array([1]), 1);
  [0, 1, 2, 3, 4].forEach((node) => tree.setValue(node, [node]));
  return modelOf([tree], {
    features: [
      { kind: "numeric", name: first, missing: "learnt" },
      { kind: "categorical", name: second, missing: "learnt", unknown: "error", categories },
    ],
  });
}

function modelOf(trees: readonly TreeBuilder[], { features }: Pick<Schema, "features">): Model {
  const parts = randomParts({ seed: 1, trees: trees.length });
  return createModel({
    ...parts,
    schema: { ...parts.schema, features },
    ensemble: {
      ...parts.ensemble,
      trees: packTrees(trees),
      treeOutput: new Int32Array(trees.length),
      treeWeight: new Float64Array(trees.length).fill(1),
    },
  });
}

const NAMES = [
  "plain",
  "two words",
  "a <= 1 AND b",
  "a > 2",
  "x in {y}",
  "is present",
  'quo"te',
  "back\\slash",
  "line\nbreak",
  "|   bar",
  "colon: 5",
  " edge ",
  "",
  "\u202eright to left",
  "\u0000",
  "a, b",
  "b or missing",
  "c THEN 1",
  "a  b",
  "é ü 中",
  "\ud800",
  "__proto__",
];

Deno.test("names that look like rules are read as names", () => {
  for (const name of NAMES) {
    for (const category of NAMES) {
      const model = named(name, `${name}2`, [category, "other", "third"]);
      const [rules, text] = [rulesText(model), treeText(model)];
      assertEquals(rules.split("\n").length, 4);
      assert(!/(?!\n)[\p{Cc}\p{Cf}\p{Cs}]/u.test(rules + text));
      [[1, category], [2, category], [2, "other"]].forEach(([x, c], leaf) => {
        const row = Object.fromEntries([[name, x], [`${name}2`, c]]);
        const known = Object.fromEntries([[`${name}2`, [category, "other", "third"]]]);
        const reading = { row, round: (x: number) => x, known };
        assertEquals(rulesThatHold(rules, reading), [leaf], rules);
        assertEquals(leafOfText(text, reading), leaf, text);
      });
    }
  }
});

Deno.test("rules keep the tighter bound where a tree asks again for less than is known", () => {
  const tree = createTreeBuilder();
  tree.splitThreshold(0, 0, 1, 1);
  tree.splitThreshold(1, 0, 2, 1);
  [0, 1, 2, 3, 4].forEach((node) => tree.setValue(node, [node]));
  const model = modelOf([tree], { features: [{ kind: "numeric", name: "x", missing: "error" }] });
  assertEquals(rulesText(model).split("\n")[0], "IF x <= 1 THEN 3");
});

Deno.test("rules name where a missing value goes that is not the branch of more weight", () => {
  const tree = createTreeBuilder();
  tree.splitThreshold(0, 0, 1, 0);
  tree.setValue(1, [1]);
  tree.setValue(2, [2]);
  const features = [{ kind: "numeric", name: "x", missing: "heavier" }] as const;
  const texts = [[9, 4, 5], [9, 5, 4], [0, 0, 0]].map((covers) => {
    covers.forEach((cover, node) => tree.setStats(node, cover, 0));
    return treeText(modelOf([tree], { features }));
  });
  assertEquals(texts, [
    "x <= 1 or missing: 1 (4)\nx > 1: 2 (5)\n",
    "x <= 1: 1 (5)\nx > 1: 2 (4)\n",
    "x <= 1: 1\nx > 1: 2\n",
  ]);
});

Deno.test("rules say where zeros are missing, and present is only said where missing goes elsewhere", () => {
  const tree = createTreeBuilder();
  tree.splitThreshold(0, 0, 5, 1);
  tree.splitThreshold(1, 1, Infinity, 1);
  tree.splitThreshold(2, 1, Infinity, 0);
  for (let node = 0; node < 7; node++) tree.setValue(node, [node]);
  const model = modelOf([tree], {
    features: [
      { kind: "numeric", name: "x", missing: "learnt", zeroIsMissing: true },
      { kind: "numeric", name: "y", missing: "learnt" },
    ],
  });
  assertEquals(
    treeText(model),
    `x <= 5 but not zero
|   y is present: 3
|   y is absent: 4
x > 5 or missing or zero
|   y <= Infinity or missing: 5
|   y > Infinity: 6
`,
  );
  const order = leafOrder(model, model.schema);
  for (const row of [{ x: 0, y: 1 }, { x: 1, y: null }, { x: 9, y: Infinity }, { x: null, y: 0 }]) {
    const reading = { row, round: (x: number) => x, known: {} };
    const [leaf] = model.predictLeaf([row]).data;
    assertEquals(leafOfText(treeText(model), reading), order.get(leaf));
    assertEquals(rulesThatHold(rulesText(model), reading), [order.get(leaf)!]);
  }
});
