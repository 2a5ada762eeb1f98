import { assertEquals } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { readBinned, readCsvBinned } from "../../../src/files/read_binned.ts";
import { readData } from "../../../src/files/read_data.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { assertSameModel } from "../../support/data/binned_tables.ts";

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
