/** CASES D: missing values, infinities, weights. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  DataError,
  type InputReport,
  parseCsv,
  type Row,
  trainBoost,
  trainCart,
  trainRandomForest,
} from "../../mod.ts";

const small = { rounds: 8, learningRate: 0.5, minChildWeight: 0, lambda: 0 };
const csv = (text: string) => text.replaceAll("|", "\n") + "\n";

Deno.test("CASES D1: NaN that training never saw follows the heavier child and is reported", async () => {
  const data = parseCsv(csv("x,y|-1,0|1,1|1,1|1,1"), { target: "y", task: "regression" });
  const model = await trainBoost(data, small);
  let report: InputReport | undefined;
  const [value] = model.predictValue({ x: NaN }, { onReport: (seen) => report = seen });
  assertEquals(report?.missing, new Map([["x", 1]]));
  assertEquals(value, model.predictValue({ x: 1 })[0]);
});

Deno.test("CASES D7: a missing target is refused with its row, or left out on request", async () => {
  const text = csv("x,y|1,|2,5|3,6");
  const error = assertThrows(() => parseCsv(text, { target: "y" }), DataError);
  assertEquals([error.code, error.details.rows], ["E_DATA_TARGET", [1]]);
  const data = parseCsv(text, { target: "y", dropMissingTarget: true });
  assertEquals(data.numRows, 2);
  assert((await trainBoost(data, small)).numTrees >= 0);
});

Deno.test("CASES D8: weights are finite, not negative, and not all zero", () => {
  for (const weight of ["NaN", "-1", "inf", "x"]) {
    const text = csv(`x,y,w|1,0,1|2,1,${weight}`);
    assertThrows(() => parseCsv(text, { target: "y", weight: "w" }), DataError);
  }
  assertThrows(() => parseCsv(csv("x,y,w|1,0,0|2,1,0"), { target: "y", weight: "w" }), DataError);
});

Deno.test("CASES D10: null, undefined, NaN, an empty text and no key at all are one thing", async () => {
  const data = parseCsv(csv("x,c,y|1,a,1|,a,5|2,b,2|,,6|3,b,3"), { target: "y" });
  const model = await trainBoost(data, { ...small, minRowsPerLeaf: 1 });
  const rows: Row[] = [{ x: null }, { x: undefined }, { x: NaN }, {}, { x: "" }];
  const scores = model.predictValue(rows.map((row) => ({ ...row, c: "a" })));
  assertEquals(new Set(scores).size, 1);
  let report: InputReport | undefined;
  const options = { onReport: (seen: InputReport) => report = seen };
  const texts = model.predictValue([null, undefined, ""].map((c) => ({ x: 1, c })), options);
  assertEquals(new Set(texts).size, 1);
  // Missing, none of them a category that nobody knows.
  assertEquals([report?.missing, report?.unknown], [new Map([["c", 3]]), new Map()]);
});

Deno.test("CASES D11: a fully grown tree leaves no error but on rows that cannot be parted", async () => {
  const x = [NaN, NaN, 3, 4, 5, 6];
  const features = [{ kind: "numeric", name: "x", values: Float64Array.from(x) } as const];
  const target = {
    kind: "regression",
    name: "y",
    values: new Float64Array([0, 1, 2, 3, 4, 5]),
  } as const;
  const data = { numRows: 6, features, target };
  for (
    const model of [
      await trainCart(data, { minRowsPerLeaf: 1, minRowsSplit: 2, ccpAlpha: 0, maxDepth: 10 }),
    ]
  ) {
    const squares = model.predictValue(data).map((value, row) => (value - row) ** 2);
    assertEquals([...squares], [0.25, 0.25, 0, 0, 0, 0]);
  }
});

Deno.test("CASES D3: a missing value in any one feature scores alike in rows and in columns", async () => {
  const lines = Array.from({ length: 60 }, (_, i) => {
    const cells = [i % 7, (i * 5) % 11, (i * 3) % 13].map((v, k) => (i + k) % 7 === 0 ? "" : v);
    return `${cells.join(",")},${i % 2}`;
  });
  const data = parseCsv(`a,b,c,y\n${lines.join("\n")}\n`, { target: "y" });
  const models = [
    await trainBoost(data, small),
    await trainRandomForest(data, { trees: 10, seed: 1 }),
  ];
  for (const model of models) {
    const rows = ["a", "b", "c"].map((hole) => ({ a: 1, b: 2, c: 3, [hole]: null }));
    const columns = parseCsv(csv("c,b,a|3,2,|3,,1|,2,1"));
    assertEquals(model.predictProba(columns).data, model.predictProba(rows).data);
  }
});
