import { assertEquals, assertRejects } from "@std/assert";
import { boostSample } from "../../../src/algorithms/boost/bin_sample.ts";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { ParameterError, SourceError } from "../../../src/errors.ts";
import { parseJsonLines } from "../../../src/data/records/json_lines.ts";
import { parseLibsvm } from "../../../src/data/libsvm/parse.ts";
import { splitDataset } from "../../../src/data/dataset/split.ts";
import { evaluate } from "../../../src/evaluate/evaluate.ts";
import { readBinned, readBinnedParts, readCsvBinned } from "../../../src/files/read_binned.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";
import { tempFolder } from "../../support/temp.ts";
import { assertSameModel, table } from "../../support/data/binned_tables.ts";

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
