/** scikit-learn through the exporter, and CatBoost: every case is equal to the library's own numbers. */
import { assert, assertEquals } from "@std/assert";
import { casesIn, problemOfCase } from "../support/sklearn_cases.ts";

const folder = new URL("sklearn/", import.meta.url);
const cases = casesIn(folder);

for (const name of cases) {
  Deno.test(`importModel() scores ${name} as the library does`, () => {
    assertEquals(problemOfCase(folder, name), undefined);
  });
}

Deno.test("importModel() knows enough cases", () => assert(cases.length >= 30));
