import { assertEquals, assertRejects } from "@std/assert";
import { trainBoost } from "../../../src/algorithms/boost.ts";
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
