/**
 * Cells of a million characters are gone through once, wherever text is judged: a pattern that tries every way to
 * share them among its parts would not end.
 */
import { assertEquals, assertThrows } from "@std/assert";
import { parseCsv } from "../../../src/data/csv/parse.ts";
import { withoutSpaces } from "../../../src/data/missing_cells.ts";
import { datasetFromRows } from "../../../src/data/records/rows.ts";
import { DataError } from "../../../src/errors.ts";
import { cellNumber, isMark } from "../../../src/model/cells.ts";
import { createModel } from "../../../src/model/model.ts";
import { SMALL_SCHEMA, smallEnsemble, smallModel } from "../../support/models/small.ts";

const LONG = 1 << 20;
const digits = "1".repeat(LONG) + "x";
const spaces = " ".repeat(LONG) + "x";
const within = "x" + "\t ".repeat(LONG / 2) + "x";

Deno.test("a long text is no number and no marker", () => {
  for (const text of [digits, `1.${digits}`, within]) {
    assertThrows(() => cellNumber(text, "a", 1), DataError, "is not a number");
  }
  for (const text of [digits, spaces, within]) assertEquals(isMark(text), false);
  for (const text of ["", " \t", "NA ", "\tN/A", "NaN", "nan", " null", "?"]) {
    assertEquals(isMark(text), true, text);
  }
  assertEquals(isMark("N A"), false);
  assertEquals(withoutSpaces(within), within);
  assertEquals(withoutSpaces(` \t${spaces}\t `), "x");
});

Deno.test("numbers are read as before", () => {
  for (const text of ["1", "1.", "1.5", ".5", "-1.e3", "+.5E-2", "1e5"]) {
    assertEquals(cellNumber(text, "a", 1), Number(text));
  }
  for (const [text, value] of [["inf", Infinity], ["+INF", Infinity], ["-Infinity", -Infinity]]) {
    assertEquals(cellNumber(text as string, "a", 1), value);
  }
  for (const text of [".", "e5", "1.5.", "1e", "-"]) {
    assertThrows(() => cellNumber(text, "a", 1), DataError);
  }
});

Deno.test("long texts are unknown categories of a model, with markers of its own or not", () => {
  const marked = createModel({
    schema: { ...SMALL_SCHEMA, missingCells: ["none"] },
    ensemble: smallEnsemble(),
    info: { algorithm: "boost", version: "0" },
  });
  for (const model of [smallModel(), marked]) {
    const found: unknown[] = [];
    for (const job of [digits, spaces, within]) {
      model.predictRaw([{ age: 1, job, ["__proto__"]: 1 }], {
        onReport: ({ unknown }) => found.push([...unknown]),
      });
    }
    assertEquals(found, Array(3).fill([["job", 1]]));
  }
});

Deno.test("long texts are categories of rows, and names of columns of a file", () => {
  const rows = [digits, spaces, within, "y"].map((a) => ({ a }));
  assertEquals(datasetFromRows(rows).features[0]!.kind, "categorical");
  const { features } = parseCsv(`${digits},b\n1,2\n3,4\n`);
  assertEquals(features.map(({ name }) => name), [digits, "b"]);
});
