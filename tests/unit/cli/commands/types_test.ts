import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { rowTypeSource } from "../../../../src/cli/row_type.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models.ts";
import type { Schema } from "../../../../src/data/types.ts";

const schema: Schema = {
  features: [
    { kind: "numeric", name: 'a "b"', missing: "learnt" },
    {
      kind: "categorical",
      name: "__proto__",
      missing: "error",
      unknown: "error",
      categories: ["x"],
    },
  ],
  target: { name: "*/ y" },
  task: "classification",
  classes: ["n", "y"],
  extraColumns: "ignore",
  absentColumns: "missing",
};

Deno.test("rowTypeSource() quotes any name and allows null where missing is allowed", () => {
  const source = rowTypeSource("my-model 2", schema, "abc");
  assertStringIncludes(source, "export interface MyModel2Row {");
  assertStringIncludes(source, '  readonly "a \\"b\\""?: number | null;\n');
  assertStringIncludes(source, '  readonly "__proto__": "x";\n');
  assertStringIncludes(source, 'export type MyModel2Prediction = "n" | "y";');
  assertEquals(source.includes('"*/'), false);
});

Deno.test("types prints source that compiles and accepts the model's rows", async () => {
  const stdin = encodeModel(createModel(randomParts({ seed: 2, categorical: 2 })));
  const { code, stdout } = await cli(["types", "-"], { stdin });
  assertEquals(code, 0);
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  await Deno.writeTextFile(file, `${stdout}\nexport const row: ModelRow = { x0: 1, c1: "k3" };\n`);
  const check = await new Deno.Command(Deno.execPath(), { args: ["check", "--no-config", file] })
    .output();
  assertEquals([check.code, check.success ? "" : new TextDecoder().decode(check.stderr)], [0, ""]);
  await Deno.remove(file);
});
