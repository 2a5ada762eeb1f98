import { assert, assertEquals } from "@std/assert";
import { createEncoder } from "../../../../src/server/body/encoder.ts";
import { createRowReader } from "../../../../src/server/body/row_reader.ts";
import { DEFAULT_LIMITS } from "../../../../src/server/admission/limits.ts";
import { numbersModel } from "../../../support/models/small.ts";

Deno.test("the reader of plain rows reads one row before and after a body that its memory grew for", () => {
  const reader = createRowReader(
    createEncoder(numbersModel().schema, { ...DEFAULT_LIMITS, maxRows: 100_000 }),
  );
  assert(reader !== undefined);
  const one = (a: number, b: number) => {
    const { rows, x, input } = reader.read(`{"a":${a},"b":${b}}`)!;
    const filled = new Float64Array(2);
    input.fill(0, 1, filled);
    return [rows, ...x, ...filled];
  };
  assertEquals(one(1, 2), [1, 1, 2, 1, 2]);
  for (const count of [100, 40_000, 3, 90_000]) {
    const list = Array.from({ length: count }, (_, i) => `{"a":${i},"b":${-i}}`);
    const { rows, x } = reader.read(`[${list}]`)!;
    assertEquals([rows, x.length], [count, 2 * count]);
    assert(x.every((value, at) => value === (at % 2 === 0 ? at / 2 : -(at - 1) / 2)));
    assertEquals(one(count, 0.5), [1, count, 0.5, count, 0.5]);
  }
});
