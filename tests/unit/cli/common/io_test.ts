import { assertEquals } from "@std/assert";
import { nameSource } from "../../../../src/cli/common/io.ts";
import { DataError } from "../../../../src/errors.ts";

Deno.test("errors name the file once, also where its name is a part of a word", () => {
  const named = (message: string, path: string) => {
    const error = new DataError("E_DATA_PARSE", message);
    nameSource(error, path);
    return error.message;
  };
  const quote = "Cannot read line 3: a quote is never closed";
  assertEquals(named(quote, "d.csv"), `${quote} (in "d.csv")`);
  assertEquals(named(quote, "quote"), `${quote} (in "quote")`);
  assertEquals(named("Cannot read -5", "-"), "Cannot read -5 (in standard input)");
  for (const given of ['Cannot read "d": it is a pipe', 'Cannot read "d/model.json"']) {
    assertEquals(named(given, "d"), given);
  }
});
