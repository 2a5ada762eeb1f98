/** scikit-learn through the exporter, and CatBoost: every case is equal to the library's own numbers. */
import { assert, assertEquals } from "@std/assert";
import { importModel } from "../../src/convert/import_model.ts";
import { casesIn, problemOfCase } from "../support/reference/sklearn_cases.ts";

const folder = new URL("sklearn/", import.meta.url);
const cases = casesIn(folder);

for (const name of cases) {
  Deno.test(`importModel() scores ${name} as the library does`, () => {
    assertEquals(problemOfCase(folder, name), undefined);
  });
}

Deno.test("importModel() knows enough cases", () => assert(cases.length >= 30));

Deno.test("columns of scikit-learn keep their places where the model encodes some of them", () => {
  // scikit-learn 1.9.1, categorical_features=[1, 3]: its encoder puts those first.
  const { schema } = importModel(Deno.readFileSync(new URL("hgb_cat_between.json", folder)));
  assertEquals(
    schema.features.map(({ name, kind }) => [name, kind]),
    [["f0", "numeric"], ["f1", "categorical"], ["f2", "numeric"], ["f3", "categorical"]],
  );
});
