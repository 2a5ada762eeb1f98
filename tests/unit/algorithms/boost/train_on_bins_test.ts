import { assertEquals, assertRejects } from "@std/assert";
import { boostSample } from "../../../../src/algorithms/boost/bin_sample.ts";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { train } from "../../../../src/algorithms/train.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import { ParameterError } from "../../../../src/errors.ts";
import { splitDataset } from "../../../../src/data/dataset/split.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import { trainCalibrated } from "../../../../src/evaluate/train_calibrated.ts";
import { readBinnedParts, readCsvBinned } from "../../../../src/files/read_binned.ts";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { table } from "../../../support/data/binned_tables.ts";

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

/** Two thirds of one class; weights in one column. */
function classes(rows: number): Uint8Array {
  const rng = createRng(31);
  const lines = Array.from({ length: rows }, () => {
    const x = rng.nextFloat() * 10;
    const y = x + 4 * rng.nextFloat() > 8 ? "yes" : rng.nextInt(4) === 0 ? "yes" : "no";
    return `${x},${rng.nextFloat() ** 3},${(rng.nextFloat() + 0.1).toFixed(4)},${y}`;
  });
  return new TextEncoder().encode(`x,z,w,y\n${lines.join("\n")}\n`);
}

Deno.test("readBinned() with boostSample() gives the model bytes of plain reading, whatever training weighs or holds out", async () => {
  const bytes = classes(900);
  for (const weight of [{ weight: "w" }, { drop: ["w"] }]) {
    const options = { target: "y", ...weight };
    const plain = parseCsv(bytes, options);
    for (
      const params of [
        { classWeights: "balanced", rounds: 5 },
        { classWeights: { yes: 7.5 }, rounds: 5 },
        { positiveWeight: 3, rounds: 5 },
        { earlyStoppingRounds: 3, validFraction: 0.25, rounds: 20, seed: 4 },
        { earlyStoppingRounds: 3, validFraction: 0.4, classWeights: "balanced", seed: 2 },
        // A committee judges itself and holds nothing out.
        { committee: 3, rounds: 5, classWeights: { no: 0.25 } },
      ] as const
    ) {
      const all = { maxBins: 16, ...params };
      const sample = boostSample(all);
      const binned = await readCsvBinned(bytes, { ...options, maxBins: 16, sample });
      const [a, b] = [
        await trainBoost(plain, all, { threads: 1 }),
        await trainBoost(binned, all, { threads: 1 }),
      ];
      assertEquals(encodeModel(b), encodeModel(a), JSON.stringify(params));
      assertEquals([...b.attachments.keys()], ["TEST", "STAT"]);
      // Without it the cuts are of other rows or weights, and training says so.
      if ("committee" in params && weight.weight === undefined) continue;
      const other = await readCsvBinned(bytes, { ...options, maxBins: 16 });
      const error = await assertRejects(
        () => trainBoost(other, all, { threads: 1 }),
        ParameterError,
        "bins were chosen from other rows or weights",
      );
      assertEquals(error.code, "E_PARAM_CONFLICT");
    }
    // A sample for other parameters is refused too.
    const sample = boostSample({ classWeights: { yes: 2 } });
    const binned = await readCsvBinned(bytes, { ...options, sample });
    await assertRejects(
      () => trainBoost(binned, { classWeights: { yes: 3 }, rounds: 1 }, { threads: 1 }),
      ParameterError,
    );
    await trainBoost(binned, { rounds: 1 }, { threads: 1 });
  }
});

Deno.test("readBinnedParts() with boostSample() weighs the classes of its first part", async () => {
  const bytes = classes(800);
  const params = { classWeights: "balanced", rounds: 5, maxBins: 16 } as const;
  const split = { fractions: [0.75, 0.25], seed: 6, stratify: true };
  const parts = await readBinnedParts(bytes, {
    target: "y",
    maxBins: 16,
    sample: boostSample(params, { valid: true }),
  }, split);
  const plain = splitDataset(parseCsv(bytes, { target: "y" }), split);
  const [a, b] = [
    await trainBoost(plain[0], params, { threads: 1, valid: plain[1] }),
    await trainBoost(parts[0], params, { threads: 1, valid: parts[1] }),
  ];
  assertEquals(encodeModel(b), encodeModel(a));
});

Deno.test("rankings on bins know rows of weight 0 that stay in their queries, or are refused", async () => {
  const rng = createRng(3);
  // Rows without weight are far from all others; every fourth query has no other rows.
  const rows = Array.from({ length: 600 }, (_, i) => {
    const query = Math.floor(i / 6);
    const weight = query % 4 === 1 || i % 7 === 3 ? 0 : 1 + query % 2;
    const x = rng.nextInt(99);
    return `${query},${weight},${weight === 0 ? 1000 + i : x},${x >> 5}`;
  });
  const bytes = new TextEncoder().encode(`q,w,x,y\n${rows.join("\n")}\n`);
  const options = { target: "y", weight: "w", group: "q" };
  for (const preset of ["treeline@1", "xgboost@2"]) {
    const params = { preset, loss: "lambdaNdcg", rounds: 3, maxBins: 16 };
    const run = async (data: Dataset) =>
      encodeModel(await trainBoost(data, params, { threads: 1 }));
    const sample = boostSample(params);
    const binned = await readCsvBinned(bytes, { ...options, maxBins: 16, sample });
    assertEquals(await run(binned), await run(parseCsv(bytes, options)));
    const plain = await readCsvBinned(bytes, { ...options, maxBins: 16 });
    await assertRejects(() => run(plain), ParameterError, "rows of weight 0 count");
  }
});

Deno.test("trainCalibrated() on bins holds out rows that the bins do not know, or refuses", async () => {
  const bytes = classes(600);
  const spec = { rounds: 5, maxBins: 16, validFraction: 0.3, seed: 8 };
  const sample = boostSample(spec, { calibrated: true });
  const binned = await readCsvBinned(bytes, { target: "y", maxBins: 16, sample });
  const plain = parseCsv(bytes, { target: "y" });
  const [a, b] = [
    await trainCalibrated(plain, spec, "platt", { threads: 1 }),
    await trainCalibrated(binned, spec, "platt", { threads: 1 }),
  ];
  assertEquals(encodeModel(b), encodeModel(a));
  const other = await readCsvBinned(bytes, { target: "y", maxBins: 16 });
  await assertRejects(
    () => trainCalibrated(other, spec, "platt", { threads: 1 }),
    ParameterError,
    "held out for calibration",
  );
});

Deno.test("trainCalibrated() on bins leaves out rows of weight 0, as it does on values", async () => {
  const text = new TextDecoder().decode(classes(600)).trimEnd().split("\n");
  const lines = text.map((line, i) => `${i === 0 ? "zero" : i % 5 === 2 ? 0 : 2},${line}`);
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const spec = { rounds: 5, maxBins: 16, validFraction: 0.3, seed: 8 };
  const sample = boostSample(spec, { calibrated: true });
  const options = { target: "y", weight: "zero" };
  const binned = await readCsvBinned(bytes, { ...options, maxBins: 16, sample });
  const [a, b] = [
    await trainCalibrated(parseCsv(bytes, options), spec, "platt", { threads: 1 }),
    await trainCalibrated(binned, spec, "platt", { threads: 1 }),
  ];
  assertEquals(encodeModel(b), encodeModel(a));
});
