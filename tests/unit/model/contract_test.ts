import { assertEquals, assertThrows } from "@std/assert";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import type { Dataset, InputReport, Row } from "../../../src/data/types.ts";
import { DataError, ModelError, ParameterError, TreelineError } from "../../../src/errors.ts";
import type { PredictOptions } from "../../../src/model/model.ts";
import { createTreeBuilder } from "../../../src/model/trees.ts";
import { code, modelOf, stump } from "../../support/models/stumps.ts";

Deno.test("predictRaw() takes null, undefined, NaN, blank and an absent cell as missing", () => {
  const model = modelOf([stump(0, 1, 2, 1)], {});
  const rows = [{ x: null }, { x: undefined }, { x: NaN }, { x: "" }, {}, { x: -1 }, { x: "-1.5" }];
  let report: InputReport | undefined;
  const { data } = model.predictRaw(rows, { onReport: (r) => report = r });
  assertEquals([...data], [2, 2, 2, 2, 2, 1, 1]);
  assertEquals(report!.missing.get("x"), 5);
  assertEquals(report!.absent, []);
});

Deno.test("predictRaw() names row and column of a cell that is no number", () => {
  const model = modelOf([stump(0, 1, 2)], {});
  const error = assertThrows(() => model.predictRaw([{ x: 1 }, { x: "4O" }]), TreelineError);
  assertEquals(error.message, 'Cannot read column "x" at row 2: "4O" is not a number');
  assertEquals(error.details, { column: "x", row: 2 });
});

Deno.test("columns are matched by name, in any order, with any name", () => {
  const names = ["a<x", "дистанция, km", "__proto__", "constructor"];
  const tree = createTreeBuilder();
  const first = tree.splitThreshold(0, 2, 0, 0);
  tree.setValue(first, [1]);
  tree.setValue(first + 1, [2]);
  const features = names.map((name) => ({ kind: "numeric", name, missing: "heavier" }) as const);
  const model = modelOf([tree], { features });
  const row = JSON.parse('{"__proto__": 5, "constructor": 0, "a<x": 0, "дистанция, km": 0}');
  assertEquals(model.predictRaw(row).data[0], 2);
  // A plain object inherits "constructor" and "__proto__", which are no values of the row.
  const error = assertThrows(() => model.predictRaw({ "a<x": 1, "дистанция, km": 1 }), ModelError);
  assertEquals(error.details.columns, ["__proto__", "constructor"]);
});

Deno.test("columns are matched in NFC", () => {
  const model = modelOf([stump(0, 1, 2)], {
    features: [{ kind: "numeric", name: "cafe\u0301", missing: "heavier" }],
  });
  assertEquals(model.predictRaw({ "caf\u00e9": 5 }).data[0], 2);
  assertEquals(model.predictRaw({ "cafe\u0301": 5 }).data[0], 2);
  class Guest {
    readonly "cafe\u0301" = 5;
  }
  assertEquals(model.predictRaw({ ...new Guest() }).data[0], 2);
  assertEquals(model.predictRaw(new Guest() as unknown as Row).data[0], 2);
});

Deno.test("options misspelt or of no use are refused, and undefined is as if absent", () => {
  const model = modelOf([stump(0, 1, 2), stump(0, 1, 2)], {});
  const rows = [{ x: 5 }];
  const refused = (options: unknown) => {
    const error = assertThrows(
      () => model.predictRaw(rows, options as PredictOptions),
      ParameterError,
    );
    return [error.code, error.details.param, error.message];
  };
  assertEquals(refused({ round: 1 }), [
    "E_PARAM_UNKNOWN",
    "round",
    'Cannot use option "round": expected one of columns, onReport, rounds',
  ]);
  assertEquals(refused({ columns: "Strict" }), [
    "E_PARAM_RANGE",
    "columns",
    'Cannot use columns "Strict": expected strict or lenient',
  ]);
  assertEquals(refused({ rounds: "1" }), [
    "E_PARAM_RANGE",
    "rounds",
    'Cannot use rounds "1": expected number',
  ]);
  assertEquals(refused(1), [
    "E_PARAM_RANGE",
    "options",
    "Cannot use options 1: expected an object",
  ]);
  assertEquals(
    refused(new Map([["rounds", 1]])).at(-1),
    "Cannot use options Map: expected an object",
  );
  // Names of `Object.prototype` are none of ours.
  assertEquals(refused({ constructor: 1 })[0], "E_PARAM_UNKNOWN");
  const all = model.predictRaw(rows);
  const absent = { rounds: undefined, columns: undefined, onReport: undefined };
  assertEquals(model.predictRaw(rows, absent as unknown as PredictOptions), all);
  assertEquals(model.predictRaw(rows, Object.create(null)), all);
});

Deno.test("rows that are lists are refused as such, also where columns are strict", () => {
  const model = modelOf([stump(0, 1, 2)], {});
  for (const columns of ["strict", "lenient"] as const) {
    for (const row of [[5], new Float64Array([5])]) {
      const error = assertThrows(
        () => model.predictRaw([{ x: 1 }, row as unknown as Row], { columns }),
        ModelError,
      );
      const found = Array.isArray(row) ? "Array" : "Float64Array";
      assertEquals(error.message, `Cannot score row 2: found ${found}, expected an object`);
    }
  }
});

Deno.test("a table is refused whose numRows is not that of its columns", () => {
  const model = modelOf([stump(0, 1, 2)], {});
  const table = (numRows: number): Dataset => ({
    numRows,
    features: [{ kind: "numeric", name: "x", values: new Float64Array([5, 0]) }],
  });
  assertEquals(model.predictRaw(table(2)).data.length, 2);
  // A row too many would be one without any value, a row too few is lost.
  for (const numRows of [3, 1, 0, NaN, 1.5]) {
    const error = assertThrows(() => model.predictRaw(table(numRows)), DataError);
    assertEquals(
      [error.code, error.message],
      ["E_DATA_SHAPE", `Cannot score: found 2 places of column "x", expected ${numRows}`],
    );
  }
});

Deno.test("a table is refused that has something else where its columns or their values are", () => {
  const model = modelOf([stump(0, 1, 2)], {});
  const good = { kind: "numeric", name: "x", values: [5] };
  for (
    const column of [
      null,
      undefined,
      "x",
      5,
      {},
      { kind: "numeric", name: "x" },
      {
        kind: "text",
        name: "x",
        values: [5],
      },
      { kind: "categorical", name: "x", codes: null, categories: ["a"] },
      {
        kind: "categorical",
        name: "x",
        codes: new Int32Array(1),
      },
    ]
  ) {
    const table = { numRows: 1, features: [good, column] } as unknown as Dataset;
    const error = assertThrows(() => model.predictRaw(table), DataError);
    assertEquals(error.code, "E_DATA_SHAPE");
    const { name } = Object(column);
    assertEquals(error.details.column, `${name}`);
  }
});

Deno.test("columns without a name are not those of the model", () => {
  const model = modelOf([stump(0, 1, 2)], {});
  for (
    const column of [
      { kind: "numeric", values: [5] },
      { kind: "categorical", codes: new Int32Array(1), categories: ["a"] },
    ]
  ) {
    const table = { numRows: 1, features: [column] } as unknown as Dataset;
    const error = assertThrows(() => model.predictRaw(table), ModelError);
    assertEquals([error.code, error.details.columns], ["E_MODEL_SCHEMA", ["x"]]);
  }
});

Deno.test("absent and extra columns follow the stored rules and the option", () => {
  const features = [
    { kind: "numeric", name: "age", missing: "learnt" },
    { kind: "numeric", name: "income", missing: "heavier" },
  ] as const;
  const model = modelOf([stump(50, 1, 2, 1)], { features });
  const reports: InputReport[] = [];
  const onReport = (r: InputReport) => reports.push(r);
  assertEquals(model.predictRaw({ income: 1, zip: 9, y: 3 }, { onReport }).data[0], 2);
  assertEquals(reports[0].absent, ["age"]);
  assertEquals(reports[0].ignored, ["zip"]);
  // income never learnt a missing route: its absence is refused, by either rule.
  assertEquals(code(assertThrows(() => model.predictRaw({ age: 30 }))), "E_MODEL_SCHEMA");
  const strict = { columns: "strict" } as const;
  assertEquals(code(assertThrows(() => model.predictRaw({ income: 1 }, strict))), "E_MODEL_SCHEMA");
  const extra = assertThrows(
    () => model.predictRaw({ age: 1, income: 1, zip: 9 }, strict),
    ModelError,
  );
  assertEquals(extra.details.columns, ["zip"]);
});

Deno.test("datasets are matched by name and categories by value", () => {
  const features = [
    {
      kind: "categorical",
      name: "c",
      missing: "learnt",
      unknown: "heavier",
      categories: ["a", "b"],
    },
    { kind: "numeric", name: "x", missing: "learnt" },
  ] as const;
  const tree = createTreeBuilder();
  const first = tree.splitSubset(0, 0, Uint32Array.of(0b001), 1); // {a} left; b and unknown right
  tree.setValue(first, [1]);
  const second = tree.splitThreshold(first + 1, 1, 0, 1);
  tree.setValue(second, [2]);
  tree.setValue(second + 1, [3]);
  const model = modelOf([tree], { features });
  const rows = [{ c: "b", x: 1 }, { c: "a", x: 1 }, { c: "z", x: -1 }, { c: "", x: "" }];
  const data = {
    numRows: 4,
    features: [
      { kind: "numeric", name: "x", values: Float64Array.of(1, 1, -1, NaN) },
      { kind: "numeric", name: "other", values: new Float64Array(4) },
      {
        kind: "categorical",
        name: "c",
        codes: Int32Array.of(1, 2, 0, -1),
        categories: ["z", "b", "a"],
      },
    ],
  } as const;
  let byRow: InputReport | undefined;
  let byData: InputReport | undefined;
  const expected = [3, 1, 2, 3];
  assertEquals([...model.predictRaw(rows, { onReport: (r) => byRow = r }).data], expected);
  assertEquals([...model.predictRaw(data, { onReport: (r) => byData = r }).data], expected);
  assertEquals(byRow, { ...byData!, ignored: [] });
  assertEquals(byData!.unknown.get("c"), 1);
  assertEquals(byData!.ignored, ["other"]);
});

Deno.test("a numeric column feeds a categorical feature by its text, and the reverse", () => {
  const features = [
    {
      kind: "categorical",
      name: "c",
      missing: "learnt",
      unknown: "error",
      categories: ["1", "2.5"],
    },
  ] as const;
  const tree = createTreeBuilder();
  const first = tree.splitSubset(0, 0, Uint32Array.of(0b001), 1);
  tree.setValue(first, [1]);
  tree.setValue(first + 1, [2]);
  const model = modelOf([tree], { features });
  const column = { kind: "numeric", name: "c", values: Float64Array.of(1, 2.5, NaN) } as const;
  assertEquals([...model.predictRaw({ numRows: 3, features: [column] }).data], [1, 2, 2]);
  const unknown = assertThrows(() => model.predictRaw([{ c: 1 }, { c: 3 }]), TreelineError);
  assertEquals(unknown.details, { column: "c", row: 2 });
  const numeric = modelOf([stump(0, 1, 2, 1)], {});
  const text = {
    kind: "categorical",
    name: "x",
    codes: Int32Array.of(0, 1, -1),
    categories: ["-3", "7"],
  } as const;
  assertEquals([...numeric.predictRaw({ numRows: 3, features: [text] }).data], [1, 2, 2]);
});

Deno.test("a dataset's numbers are no categories such as 007: they may have been their text", () => {
  const build = (categories: readonly string[]) => {
    const tree = createTreeBuilder();
    const first = tree.splitSubset(0, 0, Uint32Array.of(0b001), 1);
    tree.setValue(first, [1]);
    tree.setValue(first + 1, [2]);
    const feature = {
      kind: "categorical",
      name: "c",
      missing: "learnt",
      unknown: "heavier",
      categories,
    } as const;
    return modelOf([tree], { features: [feature] });
  };
  const text = "c\n007\n8\n";
  for (
    const categories of [["007", "b"], ["b", "1e5"], ["1.50", "b"], ["+1", "b"], ["b", "0x1f"]]
  ) {
    const model = build(categories);
    const error = assertThrows(() => model.predictRaw(parseCsv(text)), DataError);
    assertEquals([error.code, error.details], ["E_DATA_TYPE", { column: "c", row: 1 }]);
    assertThrows(() => model.predictLeaf(parseCsv(text)), DataError);
    // With the schema texts stay, and numbers of JSON and scripts are themselves.
    const read = parseCsv(text, { schema: { ...model.schema, target: { name: "none" } } });
    const is007 = categories[0] === "007" ? 1 : 2;
    assertEquals([...model.predictRaw(read).data], [is007, 2]);
    assertEquals([...model.predictRaw([{ c: "007" }, { c: 7 }]).data], [is007, 2]);
  }
  for (const categories of [["7", "b"], ["a", "b"], ["-1", "1.5", "1e+21", "Infinity"]]) {
    const scores = [categories[0] === "7" ? 1 : 2, 2];
    assertEquals([...build(categories).predictRaw(parseCsv("c\n7\n8\n")).data], scores);
  }
});
