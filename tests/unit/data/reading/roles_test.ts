import { assertEquals, assertThrows } from "@std/assert";
import { findColumn } from "../../../../src/data/reading/roles.ts";
import { DataError } from "../../../../src/errors.ts";

const names = ["age", "income", "7"];

Deno.test("findColumn: a name, else a position; the nearest name is suggested where one is near", () => {
  assertEquals(findColumn(names, "target", "income"), 1);
  assertEquals(findColumn(names, "target", "7"), 2); // a name comes before a position
  assertEquals(findColumn(names, "target", "0"), 0);
  const wrong = assertThrows(() => findColumn(names, "target", "incom"), DataError, '"income"');
  assertEquals([wrong.code, wrong.details["hint"]], ["E_DATA_SHAPE", 'did you mean "income"?']);
  const spaced = assertThrows(() => findColumn([" age", " y "], "target", "y"), DataError);
  assertEquals(
    spaced.details["hint"],
    "leave out the spaces around names and text (trim, --trim)",
  );
  const far = assertThrows(() => findColumn(names, "target", "zzzzzzz"), DataError);
  assertEquals(far.details["hint"], undefined); // advice depends on the format of the file
});
