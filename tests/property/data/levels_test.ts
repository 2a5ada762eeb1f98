/** Text columns of many levels, each in several rows: codes as a Map of texts gives them. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { createDictionary } from "../../../src/data/reading/dictionary.ts";
import { createScanner } from "../../../src/data/csv/scan.ts";
import { csvBatches } from "../../../src/data/csv/batches.ts";
import { parseJsonLines } from "../../../src/data/records/json_lines.ts";
import type { Dataset, Schema } from "../../../src/data/types.ts";
import { createRng } from "../../../src/util/rng.ts";

/** Levels of one to thirty letters, in rows that name each of them about three times. */
const columns = fc.record({
  numLevels: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(65, 66, 131, 263, 1100)),
  seed: fc.nat(),
}).map(({ numLevels, seed }) => {
  const rng = createRng(seed);
  const levels = Array.from(
    { length: numLevels },
    (_, i) => `L${"abcdefghijklmnopqrstuvwxyz".slice(0, rng.nextInt(27))}${i}`,
  );
  const rows = Array.from(
    { length: 3 * numLevels },
    (_, i) => levels[i < numLevels ? i : rng.nextInt(numLevels)]!,
  );
  return { levels, rows };
});

/** The text of each row, from the codes. */
function textsOf(data: Dataset): readonly string[] {
  const [column] = data.features;
  if (column?.kind !== "categorical") throw new TypeError("expected categories");
  assertEquals(new Set(column.categories).size, column.categories.length);
  return Array.from(column.codes, (code) => column.categories[code] ?? "(unknown)");
}

Deno.test("a dictionary finds every entry again, however often it has grown", () => {
  const dictionary = createDictionary();
  const encoder = new TextEncoder();
  const texts = Array.from({ length: 5000 }, (_, i) => encoder.encode(`entry ${i}`));
  texts.forEach((bytes, entry) => {
    assertEquals(dictionary.find(bytes, 0, bytes.length), -1);
    assertEquals(dictionary.add(bytes, 0, bytes.length), entry);
    assertEquals(dictionary.find(bytes, 0, bytes.length), entry);
  });
  texts.forEach((bytes, entry) => assertEquals(dictionary.find(bytes, 0, bytes.length), entry));
});

Deno.test("CSV and JSON lines give each row the level that it names", () => {
  fc.assert(
    fc.property(columns, ({ rows }) => {
      const csv = `c,y\n${rows.map((text, i) => `${text},${i}`).join("\n")}\n`;
      assertEquals(textsOf(parseCsv(csv, { target: "y" })), rows);
      assertEquals(textsOf(parseCsv(csv, { target: "y" }, { createScanner })), rows);
      const lines = rows.map((c, y) => JSON.stringify({ c, y })).join("\n");
      assertEquals(textsOf(parseJsonLines(lines, { target: "y" })), rows);
    }),
    { numRuns: 30 },
  );
});

Deno.test("CSV to score has the codes of the model's categories", async () => {
  await fc.assert(
    fc.asyncProperty(columns, async ({ levels, rows }) => {
      const schema: Schema = {
        features: [{
          kind: "categorical",
          name: "c",
          missing: "heavier",
          unknown: "heavier",
          categories: levels,
        }],
        task: "regression",
        classes: [],
        extraColumns: "ignore",
        absentColumns: "missing",
      };
      const csv = `c\n${rows.join("\n")}\nnew\n`;
      for (const means of [{}, { createScanner }]) {
        const texts: string[] = [];
        for await (const { data } of csvBatches(new Blob([csv]).stream(), schema, means)) {
          texts.push(...textsOf(data));
        }
        assertEquals(texts, [...rows, "(unknown)"]);
      }
    }),
    { numRuns: 20 },
  );
});
