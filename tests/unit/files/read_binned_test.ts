import { assertEquals, assertRejects } from "@std/assert";
import { boostSample } from "../../../src/algorithms/bin_sample.ts";
import { trainBoost } from "../../../src/algorithms/boost.ts";
import { train } from "../../../src/algorithms/train.ts";
import { parseCsv } from "../../../src/data/csv.ts";
import { ParameterError, SourceError } from "../../../src/errors.ts";
import { parseJsonLines } from "../../../src/data/json_lines.ts";
import { parseLibsvm } from "../../../src/data/libsvm.ts";
import { splitDataset } from "../../../src/data/split.ts";
import type { Dataset } from "../../../src/data/types.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { trainCalibrated } from "../../../src/evaluate/train_calibrated.ts";
import { readBinned, readBinnedParts, readCsvBinned } from "../../../src/files/read_binned.ts";
import { readData } from "../../../src/files/read_data.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";
import { tempFolder } from "../../support/temp.ts";

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
    assertEquals(encodeModel(b), encodeModel(a));
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
    assertEquals(encodeModel(b), encodeModel(a));
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
  assertEquals(encodeModel(b), encodeModel(a));
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

/** Trains on both and compares all bytes: trees, self-test and statistics. */
async function assertSameModel(binned: Dataset, plain: Dataset, maxBins: number): Promise<void> {
  assertEquals(
    binned.features.some((column) => column.kind === "numeric" && column.binned !== undefined),
    true,
  );
  const params = { rounds: 4, maxBins, seed: 3 };
  const [a, b] = [
    await trainBoost(plain, params, { threads: 1 }),
    await trainBoost(binned, params, { threads: 1 }),
  ];
  assertEquals([...b.attachments.keys()], ["TEST", "STAT"]);
  assertEquals(encodeModel(b), encodeModel(a));
}

Deno.test("readBinnedParts() holds rows out as splitDataset() does, and bins by the others alone", async () => {
  const bytes = weighted(3000, true);
  for (const weight of [{ weight: "w" }, { drop: ["w"] }]) {
    for (const task of ["regression", "classification"] as const) {
      // Classes: the text column, without the rows that have no number.
      const target = task === "regression" ? "y" : "text";
      const options = { target, task, dropMissingTarget: true, ...weight };
      const split = { fractions: [0.7, 0.3], seed: 5 };
      const stratify = task === "classification";
      const binned = await readBinnedParts(bytes, { ...options, maxBins: 24 }, {
        ...split,
        stratify: true,
      });
      const plain = splitDataset(parseCsv(bytes, options), { ...split, stratify });
      assertEquals(binned.map(({ numRows }) => numRows), plain.map(({ numRows }) => numRows));
      assertEquals(binned.map((part) => part.target), plain.map((part) => part.target));
      await assertSameModel(binned[0], plain[0], 24);
      // Bins answer for the values of held-out rows too, since cuts are thresholds.
      const params = { rounds: 4, maxBins: 24, earlyStoppingRounds: 2 };
      const [a, b] = [
        await trainBoost(plain[0], params, { threads: 1, valid: plain[1] }),
        await trainBoost(binned[0], params, { threads: 1, valid: binned[1] }),
      ];
      assertEquals(encodeModel(b), encodeModel(a));
      assertEquals(evaluate(b, binned[1]).metrics, evaluate(a, plain[1]).metrics);
    }
  }
});

Deno.test("readBinned() gives the model bytes of plain reading where rows weigh 0", async () => {
  const text = new TextDecoder().decode(weighted(6000, true));
  // Every seventh row weighs nothing and is far from all others. Of so many rows not all are recorded.
  const lines = text.split("\n").map((line, i) =>
    i % 7 === 3 ? `0,${9e5 + i}${line.slice(line.indexOf(",", line.indexOf(",") + 1))}` : line
  );
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const options = { target: "y", weight: "w", dropMissingTarget: true };
  const plain = parseCsv(bytes, options);
  assertEquals(plain.sampleWeight?.includes(0), true);
  await assertSameModel(await readBinned(bytes, { ...options, maxBins: 24 }), plain, 24);
  for (const params of [{}, { rounds: 4, earlyStoppingRounds: 2 }]) {
    const all = { maxBins: 24, seed: 3, ...params };
    const sample = boostSample(all);
    const [a, b] = [
      await trainBoost(plain, all, { threads: 1 }),
      await trainBoost(await readBinned(bytes, { ...options, maxBins: 24, sample }), all, {
        threads: 1,
      }),
    ];
    assertEquals(encodeModel(b), encodeModel(a));
  }
  const split = { fractions: [0.7, 0.3], seed: 5 };
  const parts = await readBinnedParts(bytes, { ...options, maxBins: 24 }, split);
  await assertSameModel(parts[0], splitDataset(plain, split)[0], 24);
});

Deno.test("readBinned() reads JSON lines and LIBSVM, packed or not, to the model bytes of plain reading", async () => {
  const rng = createRng(12);
  const rows = Array.from({ length: 1500 }, (_, i) => {
    const x = rng.nextFloat() * 8;
    const sparse = i > 40 && rng.nextInt(3) === 0 ? rng.nextInt(9) + 1 : undefined;
    const text = ["red", "blue", "green"][rng.nextInt(3)];
    const late = i > 1200 ? "many" : rng.nextInt(5);
    return {
      x,
      ...(sparse !== undefined && { sparse }),
      text,
      late,
      flag: i % 2 === 0,
      y: x + (sparse ?? 0),
    };
  });
  const jsonl = new TextEncoder().encode(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const libsvm = new TextEncoder().encode(
    rows.map(({ x, sparse, y }, i) =>
      `${y}:${1 + i % 3} qid:${Math.floor(i / 10)} 1:${x}${
        sparse === undefined ? "" : ` 7:${sparse}`
      }\n`
    ).join(""),
  );
  const zipped = async (bytes: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(
      await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")))
        .arrayBuffer(),
    );
  for (const source of [jsonl, await zipped(jsonl)]) {
    const binned = await readBinned(source, { format: "jsonl", target: "y", maxBins: 30 });
    assertEquals(binned.features.map(({ kind }) => kind[0]).join(""), "ncccn");
    await assertSameModel(binned, parseJsonLines(jsonl, { target: "y" }), 30);
  }
  for (const absent of ["zero", "missing"] as const) {
    for (const source of [libsvm, await zipped(libsvm)]) {
      const binned = await readBinned(source, { format: "libsvm", absent, maxBins: 30 });
      const plain = parseLibsvm(libsvm, { absent });
      assertEquals([binned.sparse, binned.group, binned.sampleWeight], [
        absent,
        plain.group,
        plain.sampleWeight,
      ]);
      await assertSameModel(binned, plain, 30);
      // Whole queries are held out.
      const split = { fractions: [0.6, 0.4], seed: 2 };
      const options = { format: "libsvm", absent, maxBins: 30 } as const;
      const parts = await readBinnedParts(source, options, split);
      const plainParts = splitDataset(plain, split);
      assertEquals(parts.map(({ group }) => group), plainParts.map(({ group }) => group));
      await assertSameModel(parts[0], plainParts[0], 30);
    }
  }
});

Deno.test("readCsvBinned() takes numbers that mean missing for missing, in targets too", async () => {
  const bytes = new TextEncoder().encode(
    `a,b,y\n${
      Array.from({ length: 300 }, (_, i) =>
        `${i % 7 === 0 ? -999 : i},${i % 11},${i % 5 === 0 ? "-999.0" : i % 3}\n`).join("")
    }`,
  );
  const options = { target: "y", missing: ["", "-999"], dropMissingTarget: true };
  const binned = await readCsvBinned(bytes, { ...options, maxBins: 16 });
  assertEquals(binned.numRows, 240);
  await assertSameModel(binned, parseCsv(bytes, options), 16);
});

Deno.test("readCsvBinned() beyond 262,144 distinct values: bins hold their share within the error that it says", async () => {
  const rng = createRng(21);
  const numRows = 400_000;
  const values = Float64Array.from({ length: numRows }, () => rng.nextFloat() ** 2);
  const lines: string[] = [];
  values.forEach((value, i) => lines.push(`${value},${i % 5}\n`));
  const said: string[] = [];
  const data = await readCsvBinned(new TextEncoder().encode(`x,y\n${lines.join("")}`), {
    target: "y",
    maxBins: 101,
    onWarning: (message) => said.push(message),
  });
  const share = /"x": cuts from a sketch, ranks off by at most (\S+) %/.exec(said.join())?.[1];
  const error = Number(share) / 100 * numRows;
  // The bound says something: it is far below the rows of a bin.
  assertEquals(error > 0 && error < 0.01 * numRows / 100, true, share);
  const column = data.features[0];
  const cuts = column.kind === "numeric" ? column.binned!.cuts : new Float64Array(0);
  assertEquals(cuts.length, 99);
  const sorted = values.slice().sort();
  cuts.forEach((cut, i) => {
    let rank = 0;
    let high = numRows;
    while (rank < high) {
      const middle = (rank + high) >>> 1;
      if (sorted[middle] <= cut) rank = middle + 1;
      else high = middle;
    }
    // A bin closes at a value of the sketch, which stands for up to four rows, near its share.
    const off = Math.abs(rank - (i + 1) * numRows / 100);
    assertEquals(off <= error + 4 * (i + 1), true, `cut ${i}: ${off} rows off`);
  });
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
      ]
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

Deno.test("readBinned() takes numbers that mean missing for missing, in every format", async () => {
  // y follows x, and is high where x is marked.
  const rows = Array.from({ length: 300 }, (_, i) => {
    const x = i % 7 === 0 ? -999 : (i * 37) % 100 - 20;
    return { x, z: i % 3, y: x === -999 ? 50 : x };
  });
  const texts = {
    csv: `x,z,y\n${rows.map(({ x, z, y }) => `${x}.0,${z},${y}\n`).join("")}`,
    jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    libsvm: rows.map(({ x, z, y }) => `${y} 0:${x} 1:${z}\n`).join(""),
  };
  for (const format of ["csv", "jsonl", "libsvm"] as const) {
    const bytes = new TextEncoder().encode(texts[format]);
    const options = { target: "y", missing: ["", "-999"], absent: "zero", format } as const;
    const plain = await readData(bytes, options);
    assertEquals(plain.features[0].kind === "numeric" && plain.features[0].values[0], NaN);
    const models = [plain, await readBinned(bytes, options)]
      .map((data) => trainBoost(data, { rounds: 3 }, { threads: 1 }));
    const [a, b] = await Promise.all(models);
    assertEquals(encodeModel(b), encodeModel(a), format);
  }
});

Deno.test("readBinned() reads text behind nothing but missing values, and marks as levels beside text", async () => {
  const rows = Array.from({ length: 300 }, (_, i) => ({
    late: i < 200 ? null : i % 2 ? "a" : "b",
    mark: i < 250 ? -9 : "word",
    x: i,
    y: i % 2 + (i < 250 ? 0 : 2),
  }));
  const cell = (value: string | number | null) => value ?? "";
  const texts = {
    csv: `late,mark,x,y\n${
      rows.map(({ late, mark, x, y }) => `${cell(late)},${mark === -9 ? "-9.0" : mark},${x},${y}\n`)
        .join("")
    }`,
    jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
  };
  for (const format of ["csv", "jsonl"] as const) {
    const bytes = new TextEncoder().encode(texts[format]);
    const options = { target: "y", missing: ["", "-9"], format } as const;
    const plain = await readData(bytes, options);
    const mark = format === "csv" ? "-9.0" : "-9";
    assertEquals(
      plain.features.map((column) => column.kind === "categorical" && column.categories),
      [["a", "b"], [mark, "word"], false],
    );
    const models = [plain, await readBinned(bytes, options)]
      .map((data) => trainBoost(data, { rounds: 3 }, { threads: 1 }));
    const [a, b] = await Promise.all(models);
    assertEquals(encodeModel(b), encodeModel(a), format);
  }
});

Deno.test("readBinned() shows no value that means missing for a bin", async () => {
  // The only cut between 1 and 3 is 2, which means missing.
  const rows = Array.from(
    { length: 90 },
    (_, i) => i % 9 === 0 ? "2,50.5" : i % 2 ? "1,0.5" : "3,9.5",
  );
  const bytes = new TextEncoder().encode(`x,y\n${rows.join("\n")}\n`);
  const options = { target: "y", missing: ["", "2"] };
  const plain = parseCsv(bytes, options);
  const model = await trainBoost(plain, { rounds: 5 }, { threads: 1 });
  const binned = await readBinned(bytes, options);
  assertEquals(model.predictValue(binned), model.predictValue(plain));
  assertEquals(new Set(model.predictValue(plain)).size, 3);
});

/** Does something before a file is opened for the second time; leaving the scope ends it. */
function beforeSecondOpening(act: () => void): Disposable {
  const files: Pick<typeof Deno, "openSync"> = Deno;
  const { openSync } = files;
  let opened = 0;
  files.openSync = (...args) => {
    if (++opened === 2) act();
    return openSync(...args);
  };
  return { [Symbol.dispose]: () => void (files.openSync = openSync) };
}

Deno.test("readCsvBinned() refuses a file that grows while it is read", async () => {
  await using folder = await tempFolder();
  const text = "x,y\n1,2\n2,3\n3,4\n";
  const path = await folder.write("d.csv", text);
  using _ = beforeSecondOpening(() => Deno.writeTextFileSync(path, `${text}4,5\n`));
  const reading = () => readCsvBinned(path, { target: "y" });
  const error = await assertRejects(reading, SourceError, "it changed between two readings");
  assertEquals(error.code, "E_IO_READ");
});
