/** Files as strangers have them: other encodings, other packers, numbers that are written oddly. */
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { type CsvOptions, parseCsv, parseTable } from "../../../../src/data/csv/parse.ts";
import { csvBatches } from "../../../../src/data/csv/batches.ts";
import { createWasmScanner } from "../../../../src/data/csv/wasm_scan.ts";
import { createScanner } from "../../../../src/data/csv/scan.ts";
import { schemaFromDataset } from "../../../../src/data/dataset/schema.ts";
import type { Schema } from "../../../../src/data/types.ts";
import { DataError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";

const schema: Schema = {
  features: [{
    kind: "categorical",
    name: "c",
    missing: "learnt",
    unknown: "heavier",
    categories: ["é", "x"],
  }],
  task: "regression",
  classes: [],
  extraColumns: "ignore",
  absentColumns: "missing",
};

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian);
  return bytes;
}

function refusal(bytes: Uint8Array): string {
  const error = assertThrows(() => parseTable(bytes), DataError);
  assertEquals(error.code, "E_DATA_PARSE");
  return error.message;
}

Deno.test("files of other programs are called by their names, however they begin", () => {
  const named = (text: string, name: string) => assertStringIncludes(refusal(latin1(text)), name);
  named("SQLite format 3\0\x10\0", "SQLite");
  named("\x89HDF\r\n\x1a\n\0", "HDF5");
  named("\x93NUMPY\x01\0v\0{'descr': '<f8'}\n", "NumPy");
  named("\x80\x04\x95\x9e\x02\0\0", "pickle");
  named("%PDF-1.7\n%\xe2\xe3", "PDF");
  named("Obj\x01\x04\x14avro.codec", "Avro");
  named("ORC\n\x06\x12\x04\x08", "ORC");
  named("FEA1\0\0\0\0", "Feather");
  named("\xff\xff\xff\xff\xf0\x01\0\0\x10\0", "Arrow");
  named("RDX3\nX\n", "R as CSV");
  named("r\x02\x01\0\x03\0", "Stata");
  named("<stata_dta><header>", "Stata");
  named("$FL2@(#) SPSS DATA FILE", "SPSS");
  named("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n", "Git LFS");
  for (const page of ["<!DOCTYPE html>\n<html>", "\n <html lang=en>", "<?xml version='1.0'?>"]) {
    named(page, "web page");
    named(`\xef\xbb\xbf${page}`, "web page");
  }
  // Names of columns that begin like them.
  for (const name of ["ORC", "FEA1", "Obj", "%PDF", "<a>", "<tablet", "version https", "SQLite"]) {
    assertEquals(parseTable(`${name}\n1\n`).names, [name]);
  }
});

Deno.test("what is no plain text is called by its name", () => {
  const text = "x,y\n1,2\n";
  assertStringIncludes(refusal(utf16(text, true)), "in UTF-16: save it as UTF-8");
  assertStringIncludes(refusal(utf16(text, false)), "in UTF-16");
  assertStringIncludes(refusal(utf16("\ufeff" + text, true)), "in UTF-16");
  assertStringIncludes(refusal(Uint8Array.of(0xff, 0xfe, 0, 0, 0x78, 0, 0, 0)), "in UTF-32");
  assertStringIncludes(refusal(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 4, 0)), "Zstandard");
  assertStringIncludes(refusal(latin1("BZh91AY&SY....")), "bzip2");
  assertStringIncludes(refusal(Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0)), "xz");
  assertStringIncludes(refusal(Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1)), "Excel");
  assertStringIncludes(refusal(latin1("PAR1\x15\x04\x15")), "Parquet");
  // Names of columns that begin like them.
  for (const name of ["PAR1", "BZh", "ARROW1", "PK"]) {
    assertEquals(parseTable(`${name},PAR2\n1,2\n`).names, [name, "PAR2"]);
  }
});

Deno.test("csvBatches() refuses text in another encoding instead of taking it for new values", async () => {
  for (const make of [createScanner, createWasmScanner]) {
    const read = async (bytes: Uint8Array<ArrayBuffer>) => {
      const stream = new Blob([bytes]).stream();
      const codes: number[] = [];
      for await (const { data } of csvBatches(stream, schema, { createScanner: make })) {
        const [column] = data.features;
        if (column.kind === "categorical") codes.push(...column.codes);
      }
      return codes;
    };
    const utf8 = new TextEncoder().encode("c\nx\né\nü\n");
    assertEquals(await read(new Uint8Array(utf8)), [1, 0, 2]);
    const error = await assertRejects(() => read(latin1("c\nx\né\n")), DataError);
    assertEquals(
      [error.code, error.details],
      ["E_DATA_PARSE", { line: 3, column: "c", position: 1 }],
    );
    assertStringIncludes(error.message, "is not UTF-8 text");
    await assertRejects(() => read(latin1("c\nx\na\0b\n")), DataError, "line 3");
  }
});

Deno.test("decimal commas with three digits each are found where one cannot be a thousand", () => {
  const values = (text: string, options: CsvOptions = {}) => {
    const [column] = parseTable(text, options).columns;
    return column?.kind === "numeric" ? [...column.values] : undefined;
  };
  assertEquals(values("x;y\n1,344;1\n0,016;2\n"), [1.344, 0.016]);
  // These may be thousands, and are not guessed.
  assertEquals(values("x;y\n1,344;1\n2,016;2\n"), undefined);
  assertEquals(values("x;y\n1,344;1\n2,016;2\n", { decimal: "," }), [1.344, 2.016]);
});

/** What reading 200 rows of a column says. */
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

Deno.test("names that are read as numbers are told: zeros in front, and more than 2^53", () => {
  const postal = (row: number) => String(row * 37).padStart(5, "0");
  assertStringIncludes(
    said(postal)[0],
    'Column "c" is read as numbers, where "00000" at line 2 is 0',
  );
  assertEquals(said(postal, { types: { c: "categorical" } }), []);
  assertEquals(said(postal, { types: { c: "numeric" } }), []);
  // Months and hours have a zero in front and are numbers.
  assertEquals(said((row) => String(row % 12 + 1).padStart(2, "0")), []);
  assertEquals(said((row) => `0.${row}`), []);
  // Classes lose their names even so: "01" is answered as 1.
  const classes = (options: CsvOptions) => {
    const warnings: string[] = [];
    const text = `x,y\n${Array.from({ length: 20 }, (_, i) => `${i},0${1 + i % 2}`).join("\n")}\n`;
    const onWarning = (message: string) => warnings.push(message);
    const { target } = parseCsv(text, { target: "y", onWarning, ...options });
    return [target?.kind === "classification" ? target.classes : [], warnings.length] as const;
  };
  assertEquals(classes({ task: "classification" }), [["1", "2"], 1]);
  assertEquals(classes({ types: { y: "categorical" } }), [["01", "02"], 0]);
  const account = (row: number) => String(9007199254740992n + BigInt(row));
  assertStringIncludes(said(account)[0], "whole numbers beyond 2^53");
  assertEquals(said(account, { types: { c: "numeric" } }), []);
  assertEquals(said((row) => String(9007199254740000 + row)), []);
  assertEquals(said((row) => `${row + 1}e40`), []);
});

Deno.test("one word in many rows among numbers is told, and refused in a target", () => {
  // Three rows in ten, but one spelling of missing among 140 numbers.
  const cell = (row: number) => row % 10 < 3 ? "None" : String(row / 8);
  assertStringIncludes(said(cell)[0], '60 of 200 values are not numbers, "None" for one');
  const text = `x,y\n${
    Array.from({ length: 200 }, (_, row) => `${row},${cell(row)}`).join("\n")
  }\n`;
  assertThrows(() => parseCsv(text, { target: "y" }), DataError, '"None" for one');
});

Deno.test("amounts of other countries are told", () => {
  for (
    const cell of [
      (row: number) => `1.${100 + row},50`,
      (row: number) => `(${row}.25)`,
      (row: number) => `\u2212${row}`,
      (row: number) => `${row}.5\u00a0`,
      (row: number) => `1\u202f${100 + row},5`,
      (row: number) => `-$${row}.10`,
      (row: number) => `1'${100 + row}`,
    ]
  ) assertStringIncludes(said(cell)[0] ?? "", "amounts such as");
});

Deno.test("a bad weight behind rows without a target is found in its own line", () => {
  const error = assertThrows(
    () =>
      parseCsv("x,y,w\n1,,1\n2,5,1\n3,,1\n4,6,\n", {
        target: "y",
        weight: "w",
        dropMissingTarget: true,
      }),
    DataError,
  );
  assertEquals(error.details["line"], 5);
});

Deno.test("a validation set whose names were read as numbers is refused, or read as they are", async () => {
  const rows = ["007", "7", "A"].flatMap((c, i) => Array(9).fill(`${c},${i % 2}`)).join("\n");
  const data = parseCsv(`c,y\n${rows}\n`, { target: "y" });
  const held = "c,y\n007,0\n7,1\n";
  await assertRejects(
    () => trainBoost(data, { rounds: 1 }, { valid: parseCsv(held, { target: "y" }) }),
    DataError,
    'categories such as "007"',
  );
  const valid = parseCsv(held, { target: "y", schema: schemaFromDataset(data) });
  const model = await trainBoost(data, { rounds: 20 }, { valid });
  assertEquals(evaluate(model, valid).metrics["accuracy"], 1);
});

Deno.test("JSON is told by its first bytes, and no quoted header for it", () => {
  for (const text of ['{"a":1}\n', '[{"a":1}]\n']) {
    assertStringIncludes(refusal(new TextEncoder().encode(text)), "JSON as CSV");
  }
});
