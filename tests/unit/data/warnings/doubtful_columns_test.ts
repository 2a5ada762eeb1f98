import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DataError } from "../../../../src/errors.ts";
import { schemaFromDataset } from "../../../../src/data/dataset/schema.ts";
import { type CsvOptions, parseCsv } from "../../../../src/data/csv/parse.ts";

/** What reading 200 rows of one column says. */
function said(cell: (row: number) => string, options: CsvOptions = {}): readonly string[] {
  const warnings: string[] = [];
  const rows = Array.from({ length: 200 }, (_, row) => `"${cell(row)}",${row}`);
  parseCsv(`c,y\n${rows.join("\n")}\n`, {
    target: "y",
    onWarning: (message) => warnings.push(message),
    ...options,
  });
  return warnings;
}

Deno.test("a few words among numbers are told, and what to do about them", () => {
  const cell = (row: number) => row === 77 ? "unknown" : String(row / 8);
  const [warning, ...others] = said(cell);
  assertEquals(others, []);
  assertStringIncludes(
    warning,
    'Column "c" is read as categories: 1 of 200 values are not numbers',
  );
  assertStringIncludes(warning, '"unknown" for one');
  assertEquals(said(cell, { missing: ["", "unknown"] }), []);
  assertEquals(said(cell, { types: { c: "categorical" } }), []);
});

Deno.test("a target of numbers and a few words is refused with the question", () => {
  const rows = Array.from({ length: 100 }, (_, row) => `${row},${row === 42 ? "oops" : row / 4}`);
  const text = `x,y\n${rows.join("\n")}\n`;
  const error = assertThrows(() => parseCsv(text, { target: "y" }), DataError, '"oops" for one');
  assertEquals([error.code, error.details], ["E_DATA_TARGET", { column: "y", words: 1 }]);
  const classes = parseCsv(text, { target: "y", task: "classification" }).target;
  assertEquals(classes?.kind === "classification" && classes.classes.length, 100);
  const amounts = parseCsv(text, { target: "y", missing: ["oops"], dropMissingTarget: true });
  assertEquals([amounts.target?.kind, amounts.numRows], ["regression", 99]);
});

Deno.test("classes of one row or two are told, where there are rows enough to wonder", () => {
  const told = (labels: readonly string[], options: CsvOptions = {}) => {
    const warnings: string[] = [];
    const text = `x,y\n${labels.map((label, row) => `${row},${label}\n`).join("")}`;
    const onWarning = (message: string) => warnings.push(message);
    const data = parseCsv(text, { target: "y", onWarning, ...options });
    return { warnings, data };
  };
  const often = Array.from({ length: 98 }, (_, row) => "ab"[row % 2]!);
  const { warnings, data } = told([...often, "c", "c"]);
  assertEquals(warnings, [
    'Of 100 rows 2 or fewer are of class "c" of "y": too few to learn by, and to measure with',
  ]);
  assertEquals(told([...often, "c", "c", "c"]).warnings, []);
  assertEquals(told(["a", "b", "c", "b"]).warnings, []);
  const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
  assertStringIncludes(
    told([...often, ...names]).warnings[0]!,
    'each of the classes "n0", "n1", "n10", "n11", "n2", "n3", "n4", "n5", "n6", "n7" and 2 more of "y"',
  );
  // Rows to score with a model are no rows to learn by.
  const schema = schemaFromDataset(data);
  assertEquals(told([...often, "c", "c"], { schema }).warnings, []);
});

Deno.test("dates and amounts are told", () => {
  const day = (row: number) => String(1 + row % 28).padStart(2, "0");
  assertStringIncludes(said((row) => `2024-03-${day(row)}`)[0], 'dates such as "2024-03-01"');
  assertStringIncludes(said((row) => `${day(row)}/03/2024 10:00`)[0], "dates such as");
  assertStringIncludes(said((row) => `${row},000`)[0], "amounts such as");
  assertStringIncludes(said((row) => `$${row}.50`)[0], "amounts such as");
  assertStringIncludes(
    said((row) => `${row} %`)[0],
    'amounts such as "0 %" at row 1 (line 2), which are not plain numbers: write them',
  );
});

Deno.test("the amount that is told is one that no decimal character makes a number", () => {
  const cell = (row: number) => `${row % 2 ? "1.234,5" : "-1,3"}${row}`;
  const note = said(cell).find((one) => one.includes("amounts"));
  assertStringIncludes(note!, 'amounts such as "1.234,5');
  assertStringIncludes(note!, "write them as in -1234.5");
});

Deno.test("what is not a plain number is named, where the others are", () => {
  const [error, ...more] = said((row) => row % 10 === 9 ? "#N/A" : String(row % 10));
  assertStringIncludes(error!, 'amounts such as "#N/A" at row 10 (line 11), which are not plain');
  assertEquals(more, []);
  // Words in a fifth of the rows are levels, among however many numbers.
  const mixed = (row: number) => row % 5 === 4 ? `w${row % 4}` : String(row % 40);
  assertEquals(said(mixed), []);
  const rows = Array.from({ length: 200 }, (_, row) => `${row},${mixed(row)}\n`).join("");
  const { target } = parseCsv(`x,y\n${rows}`, { target: "y" });
  assertEquals(target?.kind === "classification" && target.classes.length, 36);
});

Deno.test("a target of dates is refused until task says that they are classes", () => {
  const day = (row: number) => String(1 + row % 28).padStart(2, "0");
  const rows = Array.from({ length: 56 }, (_, row) => `${row},2024-03-${day(row)}\n`).join("");
  const text = `x,y\n${rows}`;
  const error = assertThrows(() => parseCsv(text, { target: "y" }), DataError);
  assertEquals(error.code, "E_DATA_TARGET");
  assertStringIncludes(error.message, 'dates such as "2024-03-01" at row 1 (line 2)');
  const { target } = parseCsv(text, { target: "y", task: "classification" });
  assertEquals(target?.kind === "classification" && target.classes.length, 28);
});

Deno.test("True and False are told: JSON's true is another category", () => {
  for (const words of [["True", "False"], ["TRUE", "FALSE"], ["False"]]) {
    const [note, ...more] = said((row) => words[row % words.length]);
    assertEquals(more, []);
    assertStringIncludes(note, `Column "c" holds the text ${JSON.stringify(words.toSorted()[0])}`);
    assertEquals(said((row) => words[row % words.length], { types: { c: "categorical" } }), []);
  }
  assertEquals(said((row) => ["true", "false"][row % 2]), []);
  assertEquals(said((row) => ["True", "False", "maybe"][row % 3]), []);
  assertEquals(said(() => ""), []);
  // Classes are answered as they were read.
  assertEquals(said((row) => ["True", "False"][row % 2], { target: "c" }), []);
});

Deno.test("categories are not doubted", () => {
  for (
    const cell of [
      (row: number) => "abcdefghijklmnop"[row % 16]!,
      (row: number) => `A${row % 40}`,
      (row: number) => ["18-24", "25-34", "35-44", "45-54", "55-64", "65+"][row % 6]!,
      // As many words as numbers: a code of some kind.
      (row: number) => row % 2 === 0 ? String(row) : `X${row}`,
      (row: number) => `192.168.0.${row % 90}`,
      (row: number) => `${row % 24}:30`,
    ]
  ) assertEquals(said(cell), []);
});
