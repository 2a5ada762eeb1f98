import { assert, assertEquals } from "@std/assert";
import { trainCart } from "../../../../src/algorithms/classic/cart.ts";
import { datasetFromRows } from "../../../../src/data/records/rows.ts";
import { cutBetween } from "../../../../src/grow/splitter/cut.ts";
import { decodeModel } from "../../../../src/format/decode.ts";
import { encodeModel } from "../../../../src/format/binary.ts";

const MAX = Number.MAX_VALUE;

Deno.test("cutBetween() parts any two values: low <= cut < high", () => {
  const values = [
    -Infinity,
    -MAX,
    -1e38,
    -1,
    -5e-324,
    0,
    5e-324,
    1,
    1 + 2 ** -52,
    1e38,
    MAX,
    Infinity,
  ];
  for (const style of ["midpoint", "short", "below"] as const) {
    for (const [at, high] of values.entries()) {
      for (const low of values.slice(0, at)) {
        const cut = cutBetween(low, high, style);
        assert(low <= cut && cut < high, `${low} and ${high}, ${style}: ${cut}`);
      }
    }
  }
});

Deno.test("a tree parts the least number from minus infinity, in the model too", async () => {
  const x = [-Infinity, -Infinity, -MAX, -MAX, 5, 5];
  const rows = x.map((x, i) => ({ x, y: 1 + (i >> 1) }));
  const data = datasetFromRows(rows, { target: "y", task: "regression" });
  const model = decodeModel(await encodeModel(await trainCart(data, { minRowsSplit: 2 })));
  assertEquals([...model.predictValue(data)], [1, 1, 2, 2, 3, 3]);
});
