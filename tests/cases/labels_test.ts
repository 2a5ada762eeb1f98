/** CASES A7, I and K: labels, weights, roles, queries. */
import {
  assertAlmostEquals,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import {
  createDataset,
  DataError,
  evaluate,
  ParameterError,
  parseCsv,
  type RoundReport,
  trainBoost,
  trainCart,
} from "../../mod.ts";
import { cli } from "../support/cli.ts";

const csv = (text: string) => text.replaceAll("|", "\n") + "\n";

Deno.test("CASES A7: large targets keep their last unit", async () => {
  const data = parseCsv(csv("x,y|0,16777216|1,16777217"), { target: "y" });
  const cart = await trainCart(data, { maxDepth: 1, minRowsPerLeaf: 1, minRowsSplit: 2 });
  const [low, high] = cart.predictValue([{ x: 0 }, { x: 1 }]);
  assertEquals(high - low, 1);
  const boosted = await trainBoost(data, {
    rounds: 1,
    maxDepth: 1,
    learningRate: 1,
    lambda: 0,
    minChildWeight: 0,
    minRowsPerLeaf: 1,
  });
  const [a, b] = boosted.predictValue([{ x: 0 }, { x: 1 }]);
  assertEquals(b - a, 1);
});

Deno.test("CASES I1: classes are any distinct values, echoed in sorted order", async () => {
  const text = parseCsv(csv("x,y|1,lane3|2,lane5|3,lane3|4,lane5"), { target: "y" });
  const model = await trainCart(text, { minRowsPerLeaf: 1, minRowsSplit: 2 });
  assertEquals(model.schema.classes, ["lane3", "lane5"]);
  assertEquals(model.predictClass([{ x: 1 }, { x: 2 }]), ["lane3", "lane5"]);
  const numbers = parseCsv(csv("x,y|1,5|2,3|3,4|4,5|5,10"), {
    target: "y",
    task: "classification",
  });
  for (const one of [await trainCart(numbers), await trainBoost(numbers, { rounds: 2 })]) {
    assertEquals(one.schema.classes, ["3", "4", "5", "10"]);
    assertEquals(one.predictProba({ x: 1 }).cols, 4);
  }
});

Deno.test("CASES I2: a class that the model does not know fails evaluation by its name", async () => {
  const train = parseCsv(csv("x,y|1,a|2,b|3,a|4,b"), { target: "y" });
  const model = await trainCart(train, { minRowsPerLeaf: 1, minRowsSplit: 2 });
  const other = parseCsv(csv("x,y|1,b|2,c"), { target: "y" });
  const error = assertThrows(() => evaluate(model, other), DataError);
  assertEquals([error.code, error.details.class], ["E_DATA_TARGET", "c"]);
  const one = parseCsv(csv("x,y|2,b"), { schema: model.schema });
  assertEquals(evaluate(model, one, ["accuracy"]).metrics, { accuracy: 1 });
  await assertRejects(() => trainBoost(train, {}, { valid: other }), DataError, `"c"`);
});

Deno.test("CASES I4: class weights and a positive factor exclude each other", async () => {
  const data = parseCsv(csv("x,y|1,0|2,1|3,0|4,1"), { target: "y" });
  await assertRejects(
    () => trainBoost(data, { classWeights: "balanced", positiveWeight: 3 }),
    ParameterError,
  );
});

Deno.test("CASES I4: class weights count in the loss, never in metrics, and that is said", async () => {
  // Train is evaluation: both sets must show the same numbers, those of unweighted rows.
  const lines = Array.from({ length: 120 }, (_, i) => `${(i * 37) % 120},${i % 10 === 0 ? 1 : 0}`);
  const data = parseCsv(`x,y\n${lines.join("\n")}\n`, { target: "y" });
  const told: string[] = [];
  let seen: RoundReport | undefined;
  for (const committee of [1, 3]) {
    const model = await trainBoost(
      data,
      { positiveWeight: 1000, rounds: 5, trainMetrics: true, committee },
      {
        valid: data,
        onRound: (report) => seen = report,
        onWarning: (message) => told.push(message),
      },
    );
    assertEquals(told.filter((message) => message.includes("Class weights count")).length, 1);
    told.length = 0;
    const { logLoss } = evaluate(model, data, ["logLoss"]).metrics;
    // Members' averages are added up in another order than the model's trees.
    assertAlmostEquals(seen!.metrics.train.logLoss, logLoss, 1e-12);
    assertAlmostEquals(seen!.metrics.valid.logLoss, logLoss, 1e-12);
  }
});

Deno.test("CASES I6: roles by position count every column and echo their names", async () => {
  const path = await Deno.makeTempFile({ suffix: ".csv" });
  try {
    const rows = Array.from({ length: 30 }, (_, i) => `${i},${i % 3},${i % 2},${1 + i % 4}`);
    await Deno.writeTextFile(path, `a,b,y,w\n${rows.join("\n")}\n`);
    const run = await cli([
      "train",
      path,
      "--target",
      "2",
      "--weight",
      "3",
      "--rounds",
      "2",
      "--out",
      "-",
    ]);
    assertEquals(run.code, 0, run.stderr);
    assertStringIncludes(run.stderr, "target=y weight=w");
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("CASES K1: ranking takes a column of query ids", async () => {
  const data = parseCsv(csv("qid,x,y|a,1,0|a,2,1|b,1,1|b,2,0"), { target: "y", group: "qid" });
  const model = await trainBoost(data, { loss: "lambdarank", rounds: 2 });
  assertEquals(model.schema.task, "ranking");
  assertEquals(model.schema.features.map((feature) => feature.name), ["x"]);
  await assertRejects(
    () => trainBoost({ ...data, group: undefined } as never, { loss: "lambdarank" }),
    DataError,
  );
});

Deno.test("CASES K3: a query without rows is refused where sizes are given", () => {
  const x = { kind: "numeric", name: "x", values: new Float64Array(4) } as const;
  assertThrows(
    () => createDataset([x], undefined, undefined, { groupSizes: [2, 0, 2] }),
    DataError,
    "group 2",
  );
});

Deno.test("CASES K5: queries with nothing relevant count as asked, and are skipped by default", async () => {
  // Three queries: all zeros; one row with label 0; one row with label 2.
  const text = csv("q,x,y|a,1,0|a,2,0|b,1,0|c,1,2");
  const data = parseCsv(text, { target: "y", group: "q" });
  const model = await trainBoost(data, { loss: "squared", rounds: 0 });
  assertEquals(evaluate(model, data, ["ndcg@2"]).metrics["ndcg@2"], 1);
  assertEquals(evaluate(model, data, ["ndcg@2-"]).metrics["ndcg@2-"], 1 / 3);
});
