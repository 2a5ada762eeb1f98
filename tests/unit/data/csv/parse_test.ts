import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { type CsvOptions, parseCsv, parseCsvStream } from "../../../../src/data/csv/parse.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";
import { streamOf } from "../../../support/stand_ins/pieces.ts";

/** Cells of a column as text, null where missing. */
function cells(column: Column): (string | null)[] {
  return column.kind === "numeric"
    ? Array.from(column.values, (value) => Number.isNaN(value) ? null : String(value))
    : Array.from(column.codes, (code) => code < 0 ? null : column.categories[code]);
}

/** Columns of a dataset by name; a plain array of pairs, since names are arbitrary. */
function table(data: Dataset): [string, (string | null)[]][] {
  return data.features.map((column) => [column.name, cells(column)]);
}

function failure(text: string | Uint8Array, options: CsvOptions = {}): DataError {
  return assertThrows(() => parseCsv(text, options), DataError);
}

const bytesOf = (...parts: (string | number[])[]) =>
  new Uint8Array(
    parts.flatMap((part) => typeof part === "string" ? [...new TextEncoder().encode(part)] : part),
  );

Deno.test("parseCsv() infers kinds: numeric where every present cell is a number", () => {
  const data = parseCsv("n,c,mixed,flag,y\n1,a,1,True,2\n?,b,x,False,3\n-2.5e3,,2,True,4\n", {
    target: "y",
  });
  assertEquals(table(data), [
    ["n", ["1", null, "-2500"]],
    ["c", ["a", "b", null]],
    ["mixed", ["1", "x", "2"]],
    ["flag", ["True", "False", "True"]],
  ]);
  assertEquals(data.target, { kind: "regression", name: "y", values: new Float64Array([2, 3, 4]) });
});

Deno.test("parseCsv() obeys types over what the values suggest", () => {
  const data = parseCsv("zip,x\n01234,1\n99999,2\n", { types: { zip: "categorical" } });
  assertEquals(table(data), [["zip", ["01234", "99999"]], ["x", ["1", "2"]]]);
  const error = failure("x,z\n1,a\n4O,b\n", { types: { x: "numeric" } });
  assertEquals(error.message, `Cannot read column "x" at line 3: "4O" is not a number`);
  assertEquals(error.details, { line: 3, position: 1, column: "x" });
});

Deno.test("parseCsv() reads a column whose text comes after 10,000 numbers as it was written", () => {
  const rows = Array.from({ length: 10_000 }, (_, i) => `0${i}.50,${i}`).join("\n");
  const data = parseCsv(`id,x\n${rows}\nlast,0\n`);
  const id = data.features[0];
  assertEquals(id.kind === "categorical" && id.categories.includes("07.50"), true);
  assertEquals(cells(id).slice(-2), ["09999.50", "last"]);
});

Deno.test("parseCsvStream() gives the same dataset for pieces of any size", async () => {
  const text = `a,"b ""c""\nd",y\r\n1.5,"x, ""y""\r\nz",1\r\n,"",2\r\n3,é😀,4\r\n"4",q,5`;
  const bytes = bytesOf(text);
  const whole = parseCsv(text, { target: "y" });
  assertEquals(table(whole), [
    ["a", ["1.5", null, "3", "4"]],
    [`b "c"\nd`, [`x, "y"\r\nz`, null, "é😀", "q"]],
  ]);
  for (let size = 1; size <= bytes.length; size++) {
    assertEquals(await parseCsvStream(streamOf(bytes, size), { target: "y" }), whole);
  }
});

Deno.test("CASES L7: byte order mark, CR-only lines, semicolons and decimal commas", () => {
  const data = parseCsv(bytesOf([0xef, 0xbb, 0xbf], "foo;y\r1,5;2\r-2,25;3\r"), {
    target: "y",
    delimiter: ";",
    decimal: ",",
  });
  assertEquals(table(data), [["foo", ["1.5", "-2.25"]]]);
  assertEquals(table(parseCsv("foo;y\r1,5;2\r-2,25;3", { target: "y" })), table(data));
});

Deno.test("CASES L7: every line ending, with or without the last one, with blank lines", () => {
  const expected: [string, (string | null)[]][] = [["a", ["1", "3"]], ["b", ["2", "4"]]];
  for (const newline of ["\n", "\r\n", "\r"]) {
    const lines = ["a,b", "1,2", "3,4"];
    assertEquals(table(parseCsv(lines.join(newline))), expected);
    assertEquals(table(parseCsv(lines.join(newline) + newline)), expected);
    assertEquals(table(parseCsv(lines.join(newline + newline) + newline + newline)), expected);
  }
});

Deno.test("parseCsv() keeps blank lines between values of a single column as missing", () => {
  assertEquals(table(parseCsv("a\n1\n\n2\n\n\n")), [["a", ["1", null, "2"]]]);
});

Deno.test("parseCsv() finds the delimiter by the first two lines", () => {
  for (const delimiter of [",", ";", "\t", "|"]) {
    const text = ["a", "b", "c"].join(delimiter) + "\n" + ["1", "2", "3"].join(delimiter);
    assertEquals(parseCsv(text).features.length, 3);
  }
  // The semicolons are in a cell only, the commas cut both lines alike.
  assertEquals(parseCsv("a,b\nx;y;z,1\n").features.length, 2);
  assertEquals(parseCsv("a;b,c\n1;2\n").features.length, 2);
  assertEquals(parseCsv("one\n1\n").features.length, 1);
  assertEquals(table(parseCsv("a:b\n1:2\n", { delimiter: ":" })).length, 2);
  assertThrows(() => parseCsv("a,b\n1,2", { delimiter: '"' }), ParameterError);
  assertThrows(() => parseCsv("a,b\n1,2", { delimiter: ",", decimal: "," }), ParameterError);
});

Deno.test("parseCsv() takes thousands for text unless told that commas are decimal", () => {
  assertEquals(parseCsv("a;b\n1,234;1\n").features[0].kind, "categorical");
  assertEquals(cells(parseCsv("a;b\n1,234;1\n", { decimal: "," }).features[0]), ["1.234"]);
  assertEquals(parseCsv("a;b\n1,5;1.5\n").features.map((c) => c.kind), ["categorical", "numeric"]);
});

Deno.test("CASES L2: colons in a cell do not make another format of it", () => {
  const data = parseCsv("t,x,y\n2015-01-01T05:25:00Z,1,0\n2015-01-02T05:25:00Z,2,1\n", {
    target: "y",
  });
  assertEquals(data.features.map((column) => column.kind), ["categorical", "numeric"]);
  assertEquals(data.target?.kind, "classification");
});

Deno.test("CASES B4: any text is a name; names are compared in NFC", () => {
  const data = parseCsv(`a<x,"дистанция, km",__proto__,constructor,e\u0301,y\n1,2,3,4,5,6\n`, {
    target: "y",
    types: { ["__proto__"]: "categorical" },
  });
  assertEquals(data.features.map((column) => column.name), [
    "a<x",
    "дистанция, km",
    "__proto__",
    "constructor",
    "\u00e9",
  ]);
  assertEquals(data.features[2].kind, "categorical");
});

Deno.test("CASES B5: two columns of one name are refused with both positions", () => {
  const error = failure("a,a,y\n1,2,0\n2,1,1\n");
  assertEquals(error.message, `Cannot use two columns named "a": columns 1 and 2`);
  assertEquals(failure("\u00e9,x,e\u0301\n1,2,3\n").details.positions, [1, 3]);
});

Deno.test("CASES I6: a role by position counts every column and says which it found", () => {
  const said: string[] = [];
  const data = parseCsv("a,b,y,w\n1,2,3,1\n4,5,6,2\n", {
    target: "2",
    weight: 3,
    onWarning: (message) => said.push(message),
  });
  assertEquals(said[0], "Columns by position: target=y weight=w");
  assertEquals([data.target?.name, data.sampleWeight], ["y", new Float64Array([1, 2])]);
  assertEquals(failure("a,b\n1,2\n", { target: 2 }).code, "E_DATA_SHAPE");
});

Deno.test("parseCsv() gives columns their roles and drops what it is told to", () => {
  const data = parseCsv("id,q,x,w,o,y\n7,b,1,1,0.5,2\n8,b,2,0,0,0\n9,a,3,2,0,1\n", {
    target: "y",
    group: "q",
    weight: "w",
    offset: "o",
    drop: ["id"],
  });
  assertEquals(table(data), [["x", ["1", "2", "3"]]]);
  assertEquals([...data.group ?? []], [0, 0, 1]);
  assertEquals(data.offset, new Float64Array([0.5, 0, 0]));
  assertEquals(data.target?.kind, "regression");
  assertThrows(() => parseCsv("a,y\n1,2\n", { target: "y", weight: "y" }), ParameterError);
  assertEquals(failure("a,y\n1,2\n", { target: "z" }).details.columns, ["a", "y"]);
  assertEquals(failure("y\n1\n", { target: "y" }).code, "E_DATA_SHAPE");
});

Deno.test("CASES K1: rows of a query stand side by side; a query id may be any text", () => {
  const good = parseCsv("qid,x,y\na,1,0\na,2,1\nb,1,1\nb,2,0\n", { target: "y", group: "qid" });
  assertEquals([...good.group ?? []], [0, 0, 1, 1]);
  const error = failure("qid,x,y\na,1,0\nb,2,1\na,1,1\n", { target: "y", group: "qid" });
  assertEquals([error.details.row, error.details.line], [3, 4]);
});

Deno.test("a query number of 2^53 or more is refused, and taken as text", () => {
  const text = "qid,x,y\n9007199254740992,1,0\n9007199254740993,1,1\n";
  const error = failure(text, { target: "y", group: "qid" });
  assertEquals([error.code, error.details.line], ["E_DATA_SHAPE", 2]);
  const below = failure(text.replaceAll("\n9", "\n-9"), { target: "y", group: "qid" });
  assertEquals(below.details.line, 2);
  const data = parseCsv(text, { target: "y", group: "qid", types: { qid: "categorical" } });
  assertEquals([...data.group ?? []], [0, 1]);
});

Deno.test("CASES D8: a missing, negative or infinite weight is refused with its place", () => {
  const error = failure("x,y,w\n1,0,1\n2,1,NaN\n", { target: "y", weight: "w" });
  assertEquals([error.code, error.details.row, error.details.line], ["E_DATA_TYPE", 2, 3]);
  const negative = failure("x,y,w\n1,0,-1\n", { target: "y", weight: "w" });
  assertEquals(negative.code, "E_DATA_TYPE");
  assertEquals(negative.details, { column: "w", row: 1, line: 2 });
  const none = failure("x,y,w\n1,0,0\n", { target: "y", weight: "w" });
  assertEquals(none.message, 'Cannot use weights "w": all are 0');
  assertEquals(failure("x,y,w\n1,0,a\n", { target: "y", weight: "w" }).code, "E_DATA_TYPE");
});

Deno.test("CASES D7: dropMissingTarget leaves rows without target out and says how many", () => {
  const text = "x,y\n1,\n2,5\n3,6\n";
  assertEquals(failure(text, { target: "y" }).details.rows, [1]);
  const said: string[] = [];
  const data = parseCsv(text, {
    target: "y",
    dropMissingTarget: true,
    onWarning: (message) => said.push(message),
  });
  assertEquals(table(data), [["x", ["2", "3"]]]);
  assertEquals(said[0], `Left out 1 of 3 rows without target "y"`);
  assertEquals(
    failure("x,y\n1,?\n2,\n", { target: "y", dropMissingTarget: true }).code,
    "E_DATA_EMPTY",
  );
});

Deno.test("parseCsv() refuses infinite targets and weighs infinite features as values", () => {
  assertEquals(failure("x,y\n1,inf\n2,3\n", { target: "y" }).details.rows, [1]);
  assertEquals(cells(parseCsv("x,y\n-Infinity,1\n+INF,2\n", { target: "y" }).features[0]), [
    "-Infinity",
    "Infinity",
  ]);
});

Deno.test("parseCsv() refuses an empty file and a header without rows", () => {
  for (const text of ["", "\n\n", "\ufeff"]) assertEquals(failure(text).code, "E_DATA_EMPTY");
  for (const text of ["a,b", "a,b\n", "a,b\r\n\r\n"]) {
    assertEquals(failure(text).message, "Cannot read data: it has a header and no rows");
  }
});

Deno.test("parseCsv() refuses a ragged row with its line", () => {
  const short = failure("a,b\n1,2\n3\n4,5\n");
  assertEquals(short.message, "Cannot read line 3: expected 2 cells, found 1");
  assertEquals([short.code, short.details.line], ["E_DATA_PARSE", 3]);
  assertEquals(failure(`a,b\n"x\ny",2\n1,2,3\n`).details.line, 4);
  assertEquals(failure("a,b\n1,2\n3,4,5").message, "Cannot read line 3: expected 2 cells, found 3");
});

Deno.test("parseCsv() refuses quotes that are not RFC 4180 with line and column", () => {
  assertEquals(failure(`a,b\n1,x"y\n`).details, { line: 2, position: 2, column: "b" });
  assertEquals(failure(`a,b\n1,2\n"x"y,2\n`).details, { line: 3, position: 1, column: "a" });
  assertStringIncludes(
    failure(`a,b\n1,2\n3,"x\n4,5\n`).message,
    `line 3: its quote is never closed`,
  );
});

Deno.test("CASES L8: a NUL byte is named by line and column, and can be skipped", () => {
  const bytes = bytesOf("a,b\n1,x\n2,y\n3,z", [0], "\n4,x\n");
  const error = failure(bytes);
  assertEquals(error.message, `Cannot read column "b" at line 4: "z\\u0000" holds a NUL byte`);
  const said: string[] = [];
  const data = parseCsv(bytes, { badRows: "skip:1", onWarning: (message) => said.push(message) });
  assertEquals(table(data), [["a", ["1", "2", "4"]], ["b", ["x", "y", "x"]]]);
  assertEquals(said, ["Left out 1 bad row, the first at line 4"]);
});

Deno.test("parseCsv() refuses bytes that are not UTF-8, in names and in cells", () => {
  assertEquals(failure(bytesOf("a,b\n1,", [0xe9], "\n")).details, {
    line: 2,
    position: 2,
    column: "b",
  });
  assertEquals(failure(bytesOf("a,", [0xff], "\n1,2\n")).code, "E_DATA_PARSE");
  assertStringIncludes(failure(bytesOf([0xff, 0xfe], "a\0")).message, "UTF-16");
  assertStringIncludes(failure(bytesOf("PK", [3, 4], "abc")).message, "Excel");
});

Deno.test("parseCsv() with badRows skip:N leaves out N bad rows and stops at the next", () => {
  const text = "a,b\n1,2\n3\n4,5\n6,7,8\n9,10\n";
  assertEquals(table(parseCsv(text, { badRows: "skip:2" })), [
    ["a", ["1", "4", "9"]],
    ["b", ["2", "5", "10"]],
  ]);
  const error = failure(text, { badRows: "skip:1" });
  assertEquals(error.details.line, 5);
  assertStringIncludes(error.message, "after 1 bad rows");
  assertThrows(() => parseCsv(text, { badRows: "skip:" as "error" }), ParameterError);
});

Deno.test("parseCsv() without header names columns f0, f1, … or as it is told", () => {
  const data = parseCsv("1,2\n3,4\n", { header: false });
  assertEquals(table(data), [["f0", ["1", "3"]], ["f1", ["2", "4"]]]);
  const named = parseCsv("1,2\n3,4\n", { header: false, names: ["p", "q"], target: "q" });
  assertEquals([named.features[0].name, named.target?.name], ["p", "q"]);
  assertEquals(failure("1,2\n", { names: ["p"] }).code, "E_DATA_SHAPE");
});

Deno.test("parseCsv() doubts a header of numbers", () => {
  const said: string[] = [];
  parseCsv("1,2\n3,4\n", { onWarning: (message) => said.push(message) });
  assertStringIncludes(said[0], "header: false");
});

Deno.test("parseCsv() keeps spaces in text, ignores them around numbers and missing tokens", () => {
  const text = "a,b\n 1 , x\n 2, ?\n3 ,y \n";
  assertEquals(table(parseCsv(text)), [["a", ["1", "2", "3"]], ["b", [" x", null, "y "]]]);
  assertEquals(cells(parseCsv(text, { trim: true }).features[1]), ["x", null, "y"]);
});

Deno.test("parseCsv() takes the missing tokens it is given instead of its own", () => {
  const text = "a,b\n-999,?\n2,\nNA,x\n";
  const data = parseCsv(text, { missing: ["-999", "NA"] });
  assertEquals(table(data), [["a", [null, "2", null]], ["b", ["?", "", "x"]]]);
});

Deno.test("parseCsv() reads a column of nothing but missing cells as numbers", () => {
  const data = parseCsv("a,b\n,1\nNA,2\n");
  assertEquals(data.features[0], {
    kind: "numeric",
    name: "a",
    values: new Float64Array([NaN, NaN]),
  });
});

Deno.test("parseCsv() reads 257 and 70,000 categories", () => {
  for (const count of [257, 70_000]) {
    const rows = Array.from({ length: count }, (_, i) => `c${i},${i}`).join("\n");
    const column = parseCsv(`c,y\n${rows}\n`, { target: "y" }).features[0];
    assertEquals(column.kind === "categorical" && column.categories.length, count);
    assertEquals(cells(column)[count - 1], `c${count - 1}`);
  }
});

Deno.test("parseCsv() counts no row that it leaves out towards its limit", () => {
  const options = { limits: { rows: 2 }, badRows: "skip:1" } as const;
  for (const bad of ["2", "2,y\0"]) {
    assertEquals(parseCsv(`a,b\n1,x\n${bad}\n3,z\n`, options).numRows, 2);
    assertEquals(failure(`a,b\n1,x\n${bad}\n3,z\n4,x\n`, options).code, "E_DATA_LIMIT");
  }
});

Deno.test("parseCsv() stops at its limits", () => {
  const limits = { rows: 2, columns: 3, recordBytes: 1 << 18 };
  assertEquals(failure("a\n1\n2\n3\n", { limits }).code, "E_DATA_LIMIT");
  assertEquals(failure("a,b,c,d\n1,2,3,4\n", { limits }).code, "E_DATA_LIMIT");
  const long = failure(`a,b\n1,"${"x".repeat(1 << 19)}`, { limits });
  assertEquals([long.code, long.details.line], ["E_DATA_LIMIT", 2]);
});

Deno.test("parseCsv() reads a record longer than its buffer", () => {
  const long = "é".repeat(400_000);
  const data = parseCsv(`a,b\n1,"${long}"\n2,y\n`);
  assertEquals(cells(data.features[1]), [long, "y"]);
});

Deno.test("parseCsvStream() opens the input again when text follows numbers", async () => {
  const bytes = bytesOf(`a,b\n${"01,2\n".repeat(9000)}x,3\n`);
  let opened = 0;
  const openAgain = () => {
    opened++;
    return Promise.resolve(streamOf(bytes, 4096));
  };
  const data = await parseCsvStream(streamOf(bytes, 4096), {}, { openAgain });
  assertEquals([opened, cells(data.features[0])[0]], [1, "01"]);
  assertEquals(await parseCsvStream(streamOf(bytes, 4096)), data);
});

Deno.test("parseCsvStream() passes a failure of its stream on", async () => {
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new DataError("E_DATA_PARSE", "broken")),
  });
  await assertRejects(() => parseCsvStream(stream), DataError, "broken");
});

Deno.test("parseCsvStream() reads twice where two columns of numbers end as text, one after another", async () => {
  // Blocks after the first word are only looked at for further words: "b" has had no number by then.
  const lines = Array.from({ length: 300 }, (_, row) => {
    const a = row === 100 ? "word" : row;
    const b = row < 120 ? "" : row === 290 ? "other" : row;
    return `${a},${b}`;
  });
  const bytes = bytesOf(`a,b\n${lines.join("\n")}\n`);
  const whole = table(parseCsv(bytes));
  assertEquals(whole.map(([, values]) => values[289]), ["289", "289"]);
  assertEquals(table(await parseCsvStream(streamOf(bytes, 64))), whole);
});

Deno.test("parseCsv() says once what two passes notice", () => {
  const said: string[] = [];
  const rows = `${"3,4\n".repeat(3000)}x,5\n`;
  parseCsv(`1,2\n${rows}`, { target: 1, onWarning: (message) => said.push(message) });
  assertEquals(said.filter((message) => message.includes("holds only numbers")).length, 1);
  assertEquals(said.filter((message) => message.includes("by position")).length, 1);
});

Deno.test("parseCsv() says nothing of large numbers in a column that is text", () => {
  const said: string[] = [];
  parseCsv("a,b\n1e400,1\nx,2\n", { onWarning: (message) => said.push(message) });
  assertEquals(said, []);
});
