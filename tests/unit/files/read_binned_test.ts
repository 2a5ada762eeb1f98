import { assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { train } from "../../../src/algorithms/train.ts";
import { parseCsv } from "../../../src/data/csv.ts";
import { ParameterError } from "../../../src/errors.ts";
import { readCsvBinned } from "../../../src/files/read_binned.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Numbers with many and with few values, holes, a text column, and one whose text comes late. */
function table(rows: number): string {
  const rng = createRng(9);
  const lines = Array.from({ length: rows }, (_, i) => {
    const x = rng.nextFloat() * 100 - 50;
    const late = i === rows - 1 ? "x" : String(i % 5);
    const hole = rng.nextInt(10) === 0 ? "" : (rng.nextFloat() ** 4).toFixed(5);
    const y = (x > 3 ? 1 : 0) + (late === "2" ? 2 : 0) + rng.nextFloat();
    return [x, rng.nextInt(40), hole, `level ${rng.nextInt(6)}`, late, y].join(",");
  });
  return `x,few,hole,text,late,y\n${lines.join("\n")}\n`;
}

/** Bins leave no self-test and no statistics in a model. */
const bare = { attachments: false };

Deno.test("readCsvBinned() gives the model bytes of plain reading", async () => {
  const bytes = new TextEncoder().encode(table(6000));
  for (const maxBins of [256, 20]) {
    const binned = await readCsvBinned(bytes, { target: "y", maxBins });
    assertEquals(binned.features.map((column) => column.kind), [
      "numeric",
      "numeric",
      "numeric",
      "categorical",
      "categorical",
    ]);
    const params = { rounds: 10, maxBins, seed: 1, subsample: 0.8 };
    const [a, b] = [
      await trainBoost(parseCsv(bytes, { target: "y" }), params, { threads: 1 }),
      await trainBoost(binned, params, { threads: 1 }),
    ];
    assertEquals(encodeModel(b, bare), encodeModel(a, bare));
  }
});

/** The same table with a column of weights, and rows without a target. */
function weighted(rows: number, holes: boolean): Uint8Array {
  const rng = createRng(4);
  const lines = table(rows).trimEnd().split("\n").map((line, i) => {
    if (i === 0) return `w,${line}`;
    const bare = holes && i % 9 === 0 ? line.slice(0, line.lastIndexOf(",") + 1) : line;
    return `${rng.nextFloat() * 3 + 0.01},${bare}`;
  });
  return new TextEncoder().encode(lines.join("\n"));
}

Deno.test("readCsvBinned() gives the model bytes of plain reading with weights and rows left out", async () => {
  for (const [weight, holes, rows] of [["w", false, 5000], ["w", true, 5000], [0, true, 5000]]) {
    const bytes = weighted(Number(rows), holes === true);
    const options = {
      target: "y",
      dropMissingTarget: true,
      ...(weight === "w" ? { weight: "w" } : { drop: ["w"] }),
    };
    const binned = await readCsvBinned(bytes, { ...options, maxBins: 40 });
    const plain = parseCsv(bytes, options);
    assertEquals(binned.sampleWeight, plain.sampleWeight);
    assertEquals(binned.numRows, plain.numRows);
    const params = { rounds: 5, maxBins: 40, seed: 1 };
    const [a, b] = [
      await trainBoost(plain, params, { threads: 1 }),
      await trainBoost(binned, params, { threads: 1 }),
    ];
    assertEquals(encodeModel(b, bare), encodeModel(a, bare));
  }
});

Deno.test("readCsvBinned() gives the model bytes of plain reading beyond 65,534 weighted values", async () => {
  const bytes = weighted(70_000, false);
  const options = { target: "y", weight: "w" };
  const binned = await readCsvBinned(bytes, { ...options, maxBins: 30 });
  const params = { rounds: 3, maxBins: 30, seed: 1 };
  const [a, b] = [
    await trainBoost(parseCsv(bytes, options), params, { threads: 1 }),
    await trainBoost(binned, params, { threads: 1 }),
  ];
  assertEquals(encodeModel(b, bare), encodeModel(a, bare));
});

Deno.test("trainBoost() and train() refuse bins where they need the values", async () => {
  const bytes = new TextEncoder().encode(table(200));
  const binned = await readCsvBinned(bytes, { target: "y" });
  for (const params of [{ treeMethod: "exact" }, { treeMethod: "lightgbm" }] as const) {
    const error = await assertRejects(
      async () => await trainBoost(binned, { rounds: 1, ...params }, { threads: 1 }),
      ParameterError,
    );
    assertEquals(error.code, "E_PARAM_CONFLICT");
  }
  const error = await assertRejects(
    async () => await train(binned, { algorithm: "cart" }),
    ParameterError,
  );
  assertEquals(error.code, "E_PARAM_CONFLICT");
});

Deno.test("readCsvBinned() keeps targets and weights as they are, and drops rows without target", async () => {
  const text = "x,y,w\n1,0.25,2\n2,,1\n3,0.5,3\n";
  const data = await readCsvBinned(new TextEncoder().encode(text), {
    target: "y",
    weight: "w",
    dropMissingTarget: true,
  });
  assertEquals(data.target, {
    kind: "regression",
    name: "y",
    values: new Float64Array([0.25, 0.5]),
  });
  assertEquals(data.sampleWeight, new Float64Array([2, 3]));
});

Deno.test("readCsvBinned() refuses a stream, which it cannot read twice", async () => {
  await assertRejects(() => readCsvBinned(new Blob(["a\n1\n"]).stream()), ParameterError);
});
