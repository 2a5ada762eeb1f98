import { assertEquals } from "@std/assert";
import { csvCell, csvWriter, jsonWriter } from "../../../../src/cli/output/table_writer.ts";

Deno.test("csvCell() quotes separators, quotes and ends of lines only", () => {
  assertEquals(['a"b', "a,b", "a\nb", "a\rb", " a ", ""].map(csvCell), [
    '"a""b"',
    '"a,b"',
    '"a\nb"',
    '"a\rb"',
    " a ",
    "",
  ]);
});

Deno.test("csvWriter() puts kept columns in front and quotes names", () => {
  const writer = csvWriter(["id"], ["<=50K", "a,b"], true);
  assertEquals(writer.begin(), 'id,<=50K,"a,b"\n');
  assertEquals(
    writer.rows(2, [["x", "y,z"]], [0.25, 0.75, 1, 1e-7]),
    'x,0.25,0.75\n"y,z",1,1e-7\n',
  );
  assertEquals(csvWriter([], ["p"], false).begin(), "");
});

Deno.test("jsonWriter() makes one JSON document of all batches, null for what JSON lacks", () => {
  const writer = jsonWriter(["id"], ["p", "__proto__"]);
  const text = writer.begin() + writer.rows(1, [["7"]], [1, "a"]) +
    writer.rows(1, [["8"]], [NaN, "b"]) + writer.end();
  const rows = JSON.parse(text);
  assertEquals(rows.map((row: object) => Object.entries(row)), [
    [["id", "7"], ["p", 1], ["__proto__", "a"]],
    [["id", "8"], ["p", null], ["__proto__", "b"]],
  ]);
  assertEquals(JSON.parse(jsonWriter([], ["p"]).begin() + jsonWriter([], ["p"]).end()), []);
});
