import { assertEquals, assertStringIncludes } from "@std/assert";
import type { CsvOptions } from "../../../../src/data/csv/parse.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import { schemaFromDataset } from "../../../../src/data/dataset/schema.ts";

function notes(text: string, options: CsvOptions = {}): string[] {
  const said: string[] = [];
  parseCsv(text, { onWarning: (note) => said.push(note), ...options });
  return said;
}

Deno.test("spaces around words are told with their place, of classes too", () => {
  const text = "c,x,y\nred,1,no\nblue ,2,yes\nred,3,yes \n";
  const [target, feature, ...more] = notes(text, { target: "y" });
  assertStringIncludes(target, 'Column "y": spaces around values such as "yes " at row 3 (line 4)');
  assertStringIncludes(feature, 'Column "c": spaces around values such as "blue " at row 2');
  assertEquals(more, []);
  assertEquals(notes(text, { target: "y", trim: true }), []);
});

Deno.test("values that differ in letter case only are told", () => {
  const [note, ...more] = notes("x,y\n1,True\n2,false\n3,TRUE\n4,true\n", { target: "y" });
  assertStringIncludes(
    note,
    'Column "y": "TRUE" and "True" at row 1 (line 2) differ in letter case',
  );
  assertEquals(more, []);
});

Deno.test("spaces within words and around numbers are nothing to tell", () => {
  assertEquals(notes("c,x\nnew york, 1\nparis,2 \nbonn, 3 \n"), []);
});

Deno.test("who gives a schema is told nothing: the model's values count", () => {
  const text = "c\nred\n red\nRed\n";
  assertEquals(notes(text, { schema: schemaFromDataset(parseCsv(text)) }), []);
});
