/** scikit-learn through the exporter, and CatBoost: every case is equal to the library's own numbers. */
import { assert, assertEquals } from "@std/assert";
import { importModel } from "../../src/convert/import_model.ts";
import type { Cell } from "../../src/data/types.ts";

const folder = new URL("sklearn/", import.meta.url);

interface Expected {
  readonly X: readonly (readonly Cell[])[];
  readonly names: readonly string[] | null;
  readonly out: readonly (readonly number[])[];
  readonly raw?: readonly (readonly number[])[];
}

const cases = [...Deno.readDirSync(folder)].map((entry) => entry.name)
  .filter((name) => name.endsWith(".exp.json")).map((name) => name.slice(0, -9)).sort();

for (const name of cases) {
  Deno.test(`importModel() scores ${name} as the library does`, () => {
    const expected = JSON.parse(
      Deno.readTextFileSync(new URL(`${name}.exp.json`, folder)),
    ) as Expected;
    const model = importModel(Deno.readFileSync(new URL(`${name}.json`, folder)));
    const names = expected.names ?? expected.X[0].map((_, i) => `f${i}`);
    const rows = expected.X.map((row) =>
      Object.fromEntries(row.map((cell, i) => [names[i], cell]))
    );
    const actual = model.schema.task === "classification"
      ? model.predictProba(rows).data
      : model.predictValue(rows);
    const out = expected.out.flat();
    assertEquals(actual.length, out.length);
    // Sums are equal to the last bit; only exp() differs between libraries, by a unit or two.
    const link = model.ensemble.postprocess.name;
    const tolerance = link === "identity" || link === "probability" ? 0 : 4 * 2 ** -52;
    out.forEach((want, i) => {
      const difference = Math.abs(actual[i] - want) / Math.max(1, Math.abs(want));
      assert(difference <= tolerance, `entry ${i}: ${actual[i]}, expected ${want}`);
    });
    if (expected.raw !== undefined) {
      assertEquals(Array.from(model.predictRaw(rows).data), expected.raw.flat());
    }
  });
}

Deno.test("importModel() knows enough cases", () => assert(cases.length >= 30));
