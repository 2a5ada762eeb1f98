import { assertEquals } from "@std/assert";
import { DataError, exitCodeOf, httpStatusOf, TrainingError } from "../../src/errors.ts";

Deno.test("exitCodeOf() takes the longest matching prefix of the code", () => {
  assertEquals(exitCodeOf(new DataError("E_DATA_PARSE", "x")), 3);
  assertEquals(exitCodeOf(new TrainingError("E_TRAIN_ABORTED", "x")), 130);
  assertEquals(exitCodeOf(new TrainingError("E_TRAIN_NUMERIC", "x")), 5);
  assertEquals(exitCodeOf(new Error("bug")), 1);
});

Deno.test("httpStatusOf() blames the caller only for the caller's faults", () => {
  assertEquals(httpStatusOf(new DataError("E_DATA_LIMIT", "x")), 413);
  assertEquals(httpStatusOf(new DataError("E_DATA_TYPE", "x")), 422);
  assertEquals(httpStatusOf(new Error("bug")), 500);
});
