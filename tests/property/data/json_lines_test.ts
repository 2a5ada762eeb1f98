/** Plain lines of JSON, read from bytes, against the same lines read by `JSON.parse`. */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type JsonLinesOptions, parseJsonLines } from "../../../src/data/records/json_lines.ts";
import { DataError } from "../../../src/errors.ts";

const decimal = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value.toFixed(9)),
  fc.integer().map(String),
  fc.constantFrom("0", "-0", "1e400", "-0.0", "12345678901234567890", "0.1e-7", "1E5"),
);
const text = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"é😀"', '""', '"NA"', '" NA "', '"4"', '"2.5"', '"true"', '"?"'),
  fc.nat({ max: 200 }).map((i) => `"level ${i}"`),
);
/** What is no JSON, or not for the short way. */
const strange = fc.constantFrom(
  "01",
  "1.",
  ".5",
  "+1",
  "-",
  "nul",
  "tru",
  "[1]",
  '{"a":1}',
  '"\\u0041"',
  '"a\\\\"',
  '"a\tb"',
  '"open',
  "NaN",
  "1 2",
  "",
);

/** A kind of column: most of its cells are alike, so that the short way is taken. */
const column = fc.constantFrom(
  fc.oneof({ weight: 20, arbitrary: decimal }, fc.constant("null")),
  fc.oneof({ weight: 20, arbitrary: text }, fc.constant("null")),
  fc.constantFrom("true", "false", "null", "true"),
  fc.oneof({ weight: 20, arbitrary: decimal }, text, fc.constantFrom("true", "null")),
  fc.oneof({ weight: 20, arbitrary: text }, decimal, fc.constantFrom("false", "null")),
);

const names = ["x", "é", "a b", "__proto__", "7"];

/** Lines of one table: rows of cells, some without a key, some with keys in another order. */
const table = fc.array(column, { minLength: 1, maxLength: names.length }).chain((columns) => {
  const cells = fc.tuple(...columns);
  const row = fc.record({
    cells,
    absent: fc.oneof({ weight: 6, arbitrary: fc.constant(-1) }, fc.nat({ max: 4 })),
    reversed: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.constant(true)),
    twice: fc.oneof({ weight: 30, arbitrary: fc.constant(false) }, fc.constant(true)),
    odd: fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, strange),
    space: fc.constantFrom("", "", " ", "\t "),
    behind: fc.oneof({ weight: 30, arbitrary: fc.constant("") }, fc.constantFrom("x", ",", "}")),
  });
  return fc.array(
    row.map(({ cells, absent, reversed, twice, odd, space, behind }) => {
      const fields = cells.map((cell, i) => `"${names[i]}":${space}${i === 0 ? odd ?? cell : cell}`)
        .filter((_, i) => i !== absent);
      if (reversed) fields.reverse();
      if (twice && fields.length > 0) fields.push(fields[0]);
      return `${space}{${fields.join(`,${space}`)}${space}}${behind}`;
    }),
    { minLength: 1, maxLength: 30 },
  );
});

/** The dataset, or what is wrong with it. */
function outcome(lines: readonly string[], options: JsonLinesOptions) {
  try {
    return parseJsonLines(lines.join("\n"), options);
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return [error.code, error.details];
  }
}

Deno.test("parseJsonLines() reads a plain line as it reads one whose keys have escapes", () => {
  // The first letter of each key as \uXXXX: the same name, which the short way does not take.
  const escaped = (line: string) =>
    names.reduce((all, name) => {
      const first = name.charCodeAt(0).toString(16).padStart(4, "0");
      return all.replaceAll(`"${name}":`, `"\\u${first}${name.slice(1)}":`);
    }, line);
  fc.assert(
    fc.property(
      table,
      fc.constantFrom<JsonLinesOptions>(
        {},
        { badRows: "skip:5" },
        { badRows: "skip:40", missing: ["a"] },
        { types: { x: "categorical" } },
        { limits: { rows: 20 } },
      ),
      (lines, options) => {
        assertEquals(outcome(lines, options), outcome(lines.map(escaped), options));
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("parseJsonLines() sets plain lines aside over more than one block", () => {
  const numRows = 2500;
  const lines = Array.from(
    { length: numRows },
    (_, i) => `{"n":${i / 8},"t":"v${i % 300}","b":${i % 3 === 0}}`,
  );
  const { features } = parseJsonLines(lines.join("\n"));
  assertEquals(features[0].kind === "numeric" && [...features[0].values].slice(-2), [
    (numRows - 2) / 8,
    (numRows - 1) / 8,
  ]);
  const texts = features.slice(1).map((column) =>
    column.kind === "categorical" ? Array.from(column.codes, (code) => column.categories[code]) : []
  );
  assertEquals(texts[0], Array.from({ length: numRows }, (_, i) => `v${i % 300}`));
  assertEquals(texts[1], Array.from({ length: numRows }, (_, i) => String(i % 3 === 0)));
});
