import { assertEquals } from "@std/assert";
import { createModel } from "../../../src/model/model.ts";
import { numbersModel } from "../../support/small_models.ts";

Deno.test("a marker of the model's own is missing in a column of numbers, with blanks around it too", () => {
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({
    schema: { ...schema, missingCells: ["-9", "none"] },
    ensemble,
    info,
  });
  const at = (a: string | number | null) => model.predictRaw({ a, b: 0 }).data[0];
  // 10 for a <= 2, else 20; missing goes with 20.
  assertEquals(["1", 1, "3", null].map(at), [10, 10, 20, 20]);
  assertEquals(["none", " none\t", "-9", -9, " -9 "].map(at), new Array(5).fill(20));
  assertEquals(["-8", -8].map(at), [10, 10]);
});
