import { assertEquals, assertThrows } from "@std/assert";
import type { Row } from "../../../src/data/types.ts";
import { ModelError } from "../../../src/errors.ts";
import { createModel } from "../../../src/model/model.ts";
import { numbersModel } from "../../support/models/small.ts";

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

/** Cells that only its class knows, as some database libraries hand out. */
class Lazy {
  get a(): number {
    return 1;
  }
  get b(): number {
    return 0;
  }
}

Deno.test("what is no object of cells is refused by its name, never scored as a row without values", () => {
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({ schema, ensemble, info });
  const strange: [unknown, string][] = [
    [null, "null"],
    [undefined, "undefined"],
    [5, "Number"],
    ["a", "String"],
    [10n, "BigInt"],
    [Symbol("a"), "Symbol"],
    [() => 1, "Function"],
    [new Map([["a", 1]]), "Map"],
    [new Set([1]), "Set"],
    [new Date(0), "Date"],
    [[1, 0], "Array"],
    [new Float64Array([1, 0]), "Float64Array"],
    [new Lazy(), "Lazy"],
  ];
  for (const [row, name] of strange) {
    const ways = Array.isArray(row) ? [[row]] : [row, [row]];
    for (const input of ways) {
      for (const score of ["predictRaw", "predictValue", "predictLeaf"] as const) {
        const error = assertThrows(() => model[score](input as Row), ModelError);
        assertEquals(error.code, "E_MODEL_SCHEMA");
        assertEquals(error.details, { row: 1 });
        assertEquals(error.message, `Cannot score row 1: found ${name}, expected an object`);
      }
    }
  }
  // The second of three rows; holes are undefined.
  const hole = [{ a: 1, b: 0 }, , { a: 1, b: 0 }];
  assertEquals(
    assertThrows(() => model.predictRaw(hole as Row[]), ModelError).details,
    { row: 2 },
  );
});

Deno.test("frozen rows, rows without a prototype, instances with cells and proxies are scored", () => {
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({ schema, ensemble, info });
  class Cells {
    a = 1;
    b = 0;
  }
  const rows = [
    Object.freeze({ a: 1, b: 0 }),
    Object.assign(Object.create(null), { a: 1, b: 0 }),
    new Cells(),
    new Proxy({ a: 1, b: 0 }, {}),
    { a: 1n, b: false },
    { a: " 1 ", b: -0 },
  ] as Row[];
  for (const row of rows) assertEquals(model.predictRaw(row).data, Float64Array.of(10));
  assertEquals(model.predictRaw(Object.freeze(rows)).data, new Float64Array(6).fill(10));
});

Deno.test("a cell called constructor, as JSON may hold one, is a cell", () => {
  const { schema, ensemble, info } = numbersModel();
  const model = createModel({ schema, ensemble, info });
  for (
    const row of [
      '{"constructor": "Ferrari"}',
      '{"constructor": 5, "toString": 3, "valueOf": 3}',
      '{"constructor": {"name": {"toString": 1}}}',
    ]
  ) {
    // Beside a row with cells it is one without, which goes with 20.
    const rows = [{ a: 1, b: 0 }, JSON.parse(row)] as Row[];
    assertEquals(model.predictRaw(rows).data, Float64Array.of(10, 20));
    const error = assertThrows(() => model.predictRaw(rows[1]), ModelError);
    assertEquals(error.code, "E_MODEL_SCHEMA");
  }
});
