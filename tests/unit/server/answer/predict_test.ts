import { assertEquals, assertThrows } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { createBatch } from "../../../../src/server/body/batch.ts";
import { DataError } from "../../../../src/errors.ts";
import { leavesOf, scoreBatch } from "../../../../src/server/answer/predict.ts";
import { countedRows } from "../../../support/data/counted_rows.ts";
import { smallModel } from "../../../support/models/small.ts";

Deno.test("scoreBatch() labels rows as predictClass() does, with costs and without", async () => {
  const data = countedRows(["no", "yes"], [[0, 0, 27], [0, 1, 3], [1, 0, 3], [1, 1, 7]]);
  const rows = [{ x: 0 }, { x: 1 }];
  const cases = [[{}, [0, 1]], [{ loss: [[0, 1], [10, 0]] }, [1, 1]]] as const;
  for (const [params, expected] of cases) {
    const model = await trainCart(data, params);
    const batch = createBatch(model.schema, 2);
    batch.x.set([0, 1]);
    const { labels } = scoreBatch(model, batch);
    assertEquals<readonly number[]>([...labels], expected);
    assertEquals([...labels].map((k) => model.schema.classes[k]), model.predictClass(rows));
  }
});

Deno.test("leavesOf() refuses more than two million numbers", () => {
  const model = smallModel(); // three trees
  assertEquals(leavesOf(model, createBatch(model.schema, 2)).data.length, 6);
  const error = assertThrows(
    () => leavesOf(model, createBatch(model.schema, 666_667)),
    DataError,
    "2000001 leaves",
  );
  assertEquals(error.code, "E_DATA_LIMIT");
});
