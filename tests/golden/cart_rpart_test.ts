import { assertAlmostEquals, assertEquals } from "@std/assert";
import { trainCart } from "../../src/algorithms/classic/cart.ts";
import { parseCsv } from "../../src/data/csv/parse.ts";
import type { Dataset } from "../../src/data/types.ts";
import type { CpRow } from "../../src/grow/prune/cp_table.ts";
import type { Model } from "../../src/model/model.ts";
import { readTable } from "../support/reference/classic_data.ts";
import { hasShared, sharedPath } from "../support/shared.ts";

/** Data of R's `datasets` and rpart, written beside this test. */
function local(name: string, target: string): Dataset {
  const text = Deno.readTextFileSync(new URL(`rpart/${name}.csv`, import.meta.url));
  return parseCsv(text, { target, task: target === "mpg" ? "regression" : "classification" });
}

const foldsOf = (data: Dataset, folds: number) =>
  Array.from({ length: data.numRows }, (_, row) => row % folds);

function assertTable(model: Model, expected: readonly (readonly number[])[]): void {
  const table = model.info.cpTable as unknown as readonly CpRow[];
  assertEquals(table.length, expected.length);
  table.forEach((row, i) => {
    const [cp, splits, error, xerror, xstd] = expected[i];
    assertEquals(row.splits, splits);
    assertAlmostEquals(row.cp, cp, 1e-13);
    assertAlmostEquals(row.relativeError, error, 1e-13);
    if (xerror !== undefined) assertAlmostEquals(row.xerror!, xerror, 1e-12);
    if (xstd !== undefined) assertAlmostEquals(row.xstd!, xstd, 1e-12);
  });
}

// R: rpart(mpg ~ ., mtcars, method = "anova", minsplit = 10, minbucket = 5, cp = 0,
//    maxsurrogate = 0, maxcompete = 0, xval = (row − 1) mod 5 + 1); rpart 4.1.19
Deno.test("trainCart() equals rpart on mtcars with cross-validated pruning", async () => {
  const data = local("mtcars", "mpg");
  const model = await trainCart(data, {
    missing: "surrogate",
    maxSurrogates: 0,
    minRowsSplit: 10,
    minRowsPerLeaf: 5,
    cp: 0,
    pruning: "cv",
    foldOfRow: foldsOf(data, 5),
  });
  assertTable(model, [
    [0.6526612062650602, 0, 1, 1.054728396221861, 0.2512151242187085],
    [0.1947023543021267, 1, 0.3473387937349398, 0.615642995717885, 0.1657936253351875],
    [0.0353296536632548, 2, 0.1526364394328131, 0.386046251021961, 0.1062578081074323],
    [0.0208493546304933, 3, 0.1173067857695583, 0.314699139329646, 0.0800148123656555],
    [0, 4, 0.0964574311390649, 0.314405901174385, 0.0800300977164949],
  ]);
  // 1-SE: row 3, pruned at √(0.0353…·0.1947…).
  assertEquals(model.info.chosenRow, 3);
  assertAlmostEquals(model.info.chosenCp as number, 0.0829383309749748, 1e-13);
  assertEquals(model.ensemble.trees.kind.filter((kind) => kind === 0).length, 3);
});

Deno.test("trainCart() equals rpart's whole tree on mtcars", async () => {
  const model = await trainCart(local("mtcars", "mpg"), {
    missing: "surrogate",
    maxSurrogates: 0,
    minRowsSplit: 10,
    minRowsPerLeaf: 5,
    cp: 0,
  });
  const leaves = [...model.ensemble.trees.leaf].filter((_, i) => model.ensemble.trees.kind[i] === 0);
  const expected = [13.4142857142857, 16.7857142857143, 19.7428571428571, 22.58, 30.0666666666667];
  leaves.sort((a, b) => a - b).forEach((leaf, i) => assertAlmostEquals(leaf, expected[i], 1e-12));
});

// R: rpart(Kyphosis ~ Age + Number + Start, kyphosis, xval = (row − 1) mod 10 + 1)
Deno.test("trainCart() equals rpart on kyphosis with its defaults", async () => {
  const data = local("kyphosis", "Kyphosis");
  const model = await trainCart(data, {
    missing: "surrogate",
    minRowsSplit: 20,
    minRowsPerLeaf: 7,
    cp: 0.01,
    pruning: "cv",
    pruneRule: "min",
    foldOfRow: foldsOf(data, 10),
  });
  assertTable(model, [
    [0.1764705882352941, 0, 1, 1, 0.215587222254518],
    [0.0196078431372549, 1, 0.823529411764706, 1.05882352941176, 0.220097493339644],
    [0.01, 4, 0.764705882352941, 1.05882352941176, 0.220097493339644],
  ]);
  const full = await trainCart(data, {
    missing: "surrogate",
    minRowsSplit: 20,
    minRowsPerLeaf: 7,
    cp: 0.01,
  });
  const { trees } = full.ensemble;
  const splits = [...trees.kind].flatMap((kind, i) =>
    kind === 0 ? [] : [`${data.features[trees.feature[i]].name} ${trees.threshold[i]}`]
  );
  assertEquals(splits.sort(), ["Age 111", "Age 55", "Start 14.5", "Start 8.5"]);
});

// R: the same with cp = 0, minsplit = 2, minbucket = 1, maxsurrogate = 0
Deno.test("trainCart() equals rpart on kyphosis grown to the end", async () => {
  const data = local("kyphosis", "Kyphosis");
  const model = await trainCart(data, {
    missing: "surrogate",
    maxSurrogates: 0,
    cp: 0,
    pruning: "cv",
    foldOfRow: foldsOf(data, 10),
  });
  assertTable(model, [
    [0.1764705882352941, 0, 1, 1, 0.215587222254518],
    [0.1176470588235294, 1, 0.823529411764706, 1.47058823529412, 0.244552770377382],
    [0.0784313725490196, 2, 0.705882352941176, 1.29411764705882, 0.235475601760155],
    [0.0588235294117647, 5, 0.470588235294118, 1.29411764705882, 0.235475601760155],
    [0.0294117647058824, 10, 0.176470588235294, 1.17647058823529, 0.228290839170889],
    [0, 16, 0, 1.23529411764706, 0.232003128749005],
  ]);
});

// R: rpart(y ~ c, …): left {a, c} mean 2, right {b, d} mean 10.5, improvement 0.953795379537954
Deno.test("findSubsetSplit() joins categories as rpart does", async () => {
  const text = "c,y\na,1\na,2\nb,10\nb,9\nc,2\nc,3\nd,12\nd,11\n";
  const model = await trainCart(parseCsv(text, { target: "y" }), { maxDepth: 1 });
  const { gain, leaf } = model.ensemble.trees;
  assertAlmostEquals(gain[0] / 151.5, 0.953795379537954, 1e-12);
  assertEquals([leaf[1], leaf[2]], [2, 10.5]);
});

const ignore = !hasShared("reference/rpart/summary.txt");

interface RpartCase {
  readonly name: string;
  readonly file: string;
  readonly target: string;
  readonly drop?: readonly string[];
  readonly params: { readonly [name: string]: unknown };
}

const TITANIC_DROP = ["alive", "class", "who", "adult_male", "embark_town", "alone", "deck"];
const CASES: readonly RpartCase[] = [
  { name: "iris_default", file: "iris.csv", target: "species", params: {} },
  { name: "penguins_missing", file: "penguins.csv", target: "species", params: {} },
  {
    name: "titanic_missing",
    file: "titanic.csv",
    target: "survived",
    drop: TITANIC_DROP,
    params: { cp: 0.005 },
  },
  {
    name: "titanic_information",
    file: "titanic.csv",
    target: "survived",
    drop: TITANIC_DROP,
    params: { criterion: "entropy" },
  },
  { name: "credit_g", file: "credit_g.csv", target: "class", params: {} },
  { name: "car", file: "car.csv", target: "class", params: { cp: 0.005 } },
  {
    name: "auto_mpg_missing",
    file: "auto_mpg.csv",
    target: "mpg",
    drop: ["name"],
    params: { cp: 0.005 },
  },
  {
    name: "california_missing",
    file: "california_housing.csv",
    target: "median_house_value",
    params: {},
  },
  {
    name: "diabetes_cp0",
    file: "diabetes.csv",
    target: "progression",
    params: { cp: 0, minRowsSplit: 40, minRowsPerLeaf: 13 },
  },
];

const REGRESSION = new Set(["mpg", "median_house_value", "progression"]);

for (const { name, file, target, drop, params } of CASES) {
  Deno.test({
    name: `trainCart() with surrogates equals rpart on ${name}`,
    ignore,
    async fn() {
      const task = REGRESSION.has(target) ? "regression" : "classification";
      const data = readTable(file, { target, task, ...(drop && { drop }) });
      const model = await trainCart(data, {
        missing: "surrogate",
        maxDepth: 30,
        minRowsSplit: 20,
        minRowsPerLeaf: 7,
        cp: 0.01,
        maxExhaustiveLevels: 16,
        ...params,
      });
      const text = Deno.readTextFileSync(sharedPath(`reference/rpart/${name}_pred.csv`));
      const [head, ...lines] = text.trim().split("\n");
      const names = head.split(",").map((cell) => cell.replaceAll('"', ""));
      const expected = lines.map((line) => line.split(",").map(Number));
      const width = task === "regression" ? 1 : model.schema.classes.length;
      const found = task === "regression" ? model.predictValue(data) : model.predictProba(data).data;
      let worst = 0;
      let wrong = 0;
      if (name === "diabetes_cp0") {
        // Two cuts of one node gain the same to the last digit, with leaves of equal size and mean;
        // rounding takes one there and the other here.
        const sorted = Float64Array.from(expected, (cells) => cells[0]).sort();
        const ours = Float64Array.from(found).sort();
        sorted.forEach((value, row) => assertAlmostEquals(ours[row], value, 1e-9 * value));
        return;
      }
      expected.forEach((cells, row) => {
        let off = 0;
        for (let k = 0; k < width; k++) {
          const value = cells[names.length - width + k];
          off = Math.max(off, Math.abs(found[row * width + k] - value) / Math.max(1, Math.abs(value)));
        }
        if (off > 1e-6) wrong++;
        worst = Math.max(worst, off);
      });
      assertEquals(wrong, 0, `${wrong} of ${expected.length} rows differ, by ${worst} at most`);
    },
  });
}

Deno.test("trainCart() cuts a surrogate between neighbours of all rows of the node, as rpart does", async () => {
  // rpart 4.1.19: d <- data.frame(x, z, y = factor(y)); rpart(y ~ x + z, d, method = "class", cp = 0.01,
  // minsplit = 4, minbucket = 1)$splits: z below 5.1 (adj 0.6) goes as x below 5.5. The row of z = 5.2,
  // whose x is missing, does not count and yet ends the gap that begins at 5.
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "", ""];
  const z = [9, 2, 3, 4, 5, 6, 7, 8, 2.5, 10, 5.2, 5.4];
  const y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1];
  const lines = x.map((value, i) => `${value},${z[i]},c${y[i]}`);
  const data = parseCsv(`x,z,y\n${lines.join("\n")}\n`, { target: "y" });
  const model = await trainCart(data, {
    missing: "surrogate",
    minRowsSplit: 4,
    minRowsPerLeaf: 1,
    cp: 0.01,
  });
  const { trees, surrogates } = model.ensemble;
  assertEquals(trees.threshold[0], 5.5);
  assertEquals([...surrogates!.feature], [1]);
  assertEquals([...surrogates!.threshold], [5.1]);
  assertEquals([...surrogates!.below], [0]);
});
