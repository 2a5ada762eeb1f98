/**
 * The kernel that reads JSON rows against `JSON.parse` and json_rows.ts, its specification.
 */
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Schema } from "../../../src/data/types.ts";
import { parseJson } from "../../../src/server/body/parse_json.ts";
import { createEncoder } from "../../../src/server/body/encoder.ts";
import type { Batch } from "../../../src/server/body/batch.ts";
import { batchFromJson } from "../../../src/server/body/json_rows.ts";
import { createRowReader } from "../../../src/server/body/row_reader.ts";
import { DEFAULT_LIMITS } from "../../../src/server/admission/limits.ts";
import { forMany } from "../../../src/server/body/for_many.ts";

await forMany.load(); // what answers many rows is tested, too

/** The kernel compares 32 bytes at once; where a text stands in its table depends on those. */
const HEADS = ["long", "lang", "ling", "lung", "tief"].map((stem) => stem.repeat(8));
const WORDS = ["a", "bb", "seven77", "eight888", "nine99999", "sixteen678901234", "", "null"]
  .concat(["seventeen78901234", "é", "日本", "😀x", "a longer text than sixteen bytes", "\ud800"])
  .concat(HEADS.flatMap((head) => [head.slice(1), `${head}l`, `${head}${head}`]))
  .concat(['quo"te', "back\\slash", "tab\t", "�"]);
const NAMES = ["age", "__proto__", "eight_88", "é", "a name of more than 8", "quite", "x", "codes"];

const numeric = { kind: "numeric", missing: "learnt" } as const;
const categorical = { kind: "categorical", missing: "learnt", unknown: "missing" } as const;
const schema: Schema = {
  task: "regression",
  classes: [],
  extraColumns: "ignore",
  absentColumns: "missing",
  target: { name: "y" },
  features: [
    { ...numeric, name: NAMES[0] },
    { ...numeric, name: NAMES[1], missing: "error" },
    { ...numeric, name: NAMES[2] },
    { ...categorical, name: NAMES[3], categories: WORDS },
    { ...categorical, name: NAMES[4], categories: WORDS.slice(0, 5) },
    { ...numeric, name: NAMES[5], zeroIsMissing: true },
    { ...categorical, name: NAMES[6], categories: ["only"] },
    { ...categorical, name: NAMES[7], categories: ["1", "2"], coded: true },
  ],
} as unknown as Schema;
const encoder = createEncoder(schema, { ...DEFAULT_LIMITS, maxRows: 50 });
const reader = createRowReader(encoder)!;

interface Read {
  readonly x: Float64Array;
  readonly sent: Float64Array;
  readonly missing: Float64Array;
  readonly unknown: Float64Array;
  readonly named: Uint8Array;
}

function copyOf({ x, sent, tally, named }: Batch): Read {
  return {
    x: x.slice(),
    sent: sent.slice(),
    missing: tally.missing.slice(),
    unknown: tally.unknown.slice(),
    named: named.slice(),
  };
}

/** What the long way makes of a body; undefined where it refuses it. */
function slowly(text: string): Read | undefined {
  try {
    return copyOf(batchFromJson(encoder, parseJson(text)));
  } catch {
    return undefined;
  }
}

/** Whether the kernel took the body; then it gave what the long way gives. */
function isTaken(given: string): boolean {
  const text = given.toWellFormed(); // a body comes as UTF-8, which has no half surrogate pairs
  for (const body of [text, new TextEncoder().encode(text)]) {
    const batch = reader.read(body);
    if (batch === undefined) return false;
    const found = copyOf(batch);
    const expected = slowly(text);
    assert(expected !== undefined, `only the kernel takes ${text}`);
    assertEquals(batch.ignored.size, 0);
    const whole = found.sent.every((count) => count === batch.rows) &&
      found.missing.every((count) => count === 0) && found.unknown.every((count) => count === 0);
    assertEquals([text, batch.plain], [text, whole]);
    assertEquals({ text, ...found }, { text, ...expected });
    for (let i = 0; i < found.x.length; i++) assert(Object.is(found.x[i], expected.x[i]), text);
  }
  return true;
}

const space = fc.constantFrom("", "", "", " ", "\n\t ");
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.stringMatching(/^-?(0|[1-9]\d{0,24})(\.\d{1,24})?([eE][+-]?\d{1,3})?$/),
);
const VOCABULARIES: { readonly [feature: number]: readonly string[] } = {
  3: WORDS,
  4: WORDS.slice(0, 5),
  6: ["only"],
};
const UNKNOWN = ['"unknown"', '""', '"ünbekannt, and longer"'].concat(
  HEADS.flatMap((head) => [`"${head}"`, `"${head}L"`, `"${head}${head.slice(1)}L"`]),
);
const cellOf = (feature: number) => {
  const words = VOCABULARIES[feature];
  const known = words === undefined
    ? number
    : fc.constantFrom(...words).map((word) => JSON.stringify(word));
  return fc.oneof(
    { weight: 30, arbitrary: known },
    { weight: 2, arbitrary: fc.constant("null") },
    { weight: 2, arbitrary: fc.constantFrom(...UNKNOWN) },
  );
};
const row = fc.shuffledSubarray([0, 1, 2, 3, 4, 6]).chain((features) =>
  fc.tuple(space, ...features.map((f) => cellOf(f))).map(([gap, ...cells]) =>
    `{${gap}${
      features.map((f, i) => `${JSON.stringify(NAMES[f])}${gap}:${gap}${cells[i]}`).join(`${gap},`)
    }${gap}}`
  )
);
const body = fc.oneof(
  row,
  fc.tuple(space, fc.array(row, { minLength: 1, maxLength: 6 }))
    .map(([gap, rows]) => `${gap}[${gap}${rows.join(`,${gap}`)}${gap}]${gap}`),
);

Deno.test("the kernel reads valid rows as JSON.parse and json_rows.ts do", () => {
  let taken = 0;
  let bodies = 0;
  fc.assert(
    fc.property(body, (text) => {
      bodies++;
      if (isTaken(text)) taken++;
    }),
    { numRuns: 3000 },
  );
  assert(taken > bodies / 4, `the kernel took only ${taken} of ${bodies}`);
});

Deno.test("the kernel takes no damaged body that JSON.parse refuses", () => {
  fc.assert(
    fc.property(
      body,
      fc.nat(),
      fc.constantFrom("", '"', ",", "}", "[", "0", "-", ".", "e", "\0", "\\", "x", " ", "�", "nul"),
      fc.nat(2),
      (text, place, piece, cut) => {
        const at = place % (text.length + 1);
        isTaken(text.slice(0, at) + piece + text.slice(at + cut));
      },
    ),
    { numRuns: 5000 },
  );
});

Deno.test("the kernel leaves to the long way what it does not know", () => {
  const left = [
    '{"age":"3"}',
    '{"age":1,"age":2}',
    '{"y":1}',
    '{"zip":1}',
    '{"\\u0061ge":1}',
    `{"x":"${"o".repeat(DEFAULT_LIMITS.maxString + 1)}"}`,
    '{"x":"on\\u006cy"}',
    '{"__proto__":null}',
    '{"quite":1}',
    '{"codes":1}',
    '{"age":[1]}',
    '{"age":1}{"age":1}',
    '{"age":01}',
    '{"age":1.}',
    '{"age":.5}',
    '{"age":+1}',
    '{"age":1e}',
    '{"age":NaN}',
    '{"age":1,}',
    "{}",
    "[]",
    "",
    `[${Array(51).fill('{"age":1}').join()}]`,
  ];
  for (const text of left) assertEquals([text, reader.read(text)], [text, undefined]);
  for (
    const text of [
      '{"age":-0}',
      '{"x":"other"}',
      '[{"x":"öther"},{"x":""}]',
      '[{"x":"only"}]',
      ...HEADS.map((head) => `[{"é":"${head}"},{"é":"${head}l"},{"é":"${head}${head}"}]`),
      '{"age":123456789012345678901e-5}',
    ]
  ) {
    assert(isTaken(text), text);
  }
  const noText = new TextEncoder().encode('{"x":"other"}').with(6, 0xff);
  assertEquals(reader.read(noText), undefined);
  const features = schema.features.map((f) =>
    f.kind === "categorical" ? { ...f, unknown: "error" as const } : f
  );
  const strict = createRowReader(createEncoder({ ...schema, features }, DEFAULT_LIMITS))!;
  assertEquals(strict.read('[{"x":"only"},{"x":"other"}]'), undefined);
  assertEquals(strict.read('[{"x":"only"}]')?.rows, 1);
});

Deno.test("the kernel sees names in a new order, and the order of the row before again", () => {
  for (let i = 0; i < 50; i++) {
    assert(isTaken('{"age":1,"eight_88":2,"x":"only"}'));
    assert(isTaken('[{"x":"only","age":3},{"eight_88":4,"age":5,"x":null}]'));
  }
});

Deno.test("the kernel reads bodies of any length", () => {
  const rows = (count: number) => `[${Array(count).fill('{"age":1.25,"x":"only"}').join(" , ")}]`;
  const big = createRowReader(createEncoder(schema, DEFAULT_LIMITS))!;
  for (const count of [1, 2, 100, 10_000, 3]) {
    const batch = big.read(new TextEncoder().encode(rows(count)))!;
    assertEquals(batch.rows, count);
    assertEquals([batch.x[0], batch.x[(count - 1) * 8 + 6]], [1.25, 0]);
    assertEquals(batch.sent[0], count);
  }
});
