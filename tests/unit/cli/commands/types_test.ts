import { assertEquals, assertStringIncludes } from "@std/assert";
import { encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { rowTypeSource } from "../../../../src/cli/reports/row_type.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { smallEnsemble } from "../../../support/models/small.ts";
import { tempFolder } from "../../../support/temp.ts";
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
    { kind: "numeric", name: "n", missing: "learnt" },
  ],
  target: { name: "*/ y" },
  task: "classification",
  classes: ["n", "y"],
  extraColumns: "ignore",
  absentColumns: "missing",
};

/** A model of these names. */
function named(offset?: string) {
  const info = {
    version: "0.1.0",
    algorithm: "boost",
    ...(offset === undefined ? {} : { offset }),
  };
  return createModel({ schema, ensemble: smallEnsemble(), info });
}

Deno.test("rowTypeSource() quotes any name and allows null where missing is allowed", () => {
  const source = rowTypeSource("my-model 2", named());
  assertStringIncludes(source, "export type MyModel2Row = {");
  assertStringIncludes(source, '  readonly "a \\"b\\""?: number | null;\n');
  assertStringIncludes(source, '  readonly "__proto__": "x";\n');
  assertStringIncludes(source, 'export type MyModel2Prediction = "n" | "y";');
  assertEquals(source.includes('"*/'), false);
});

Deno.test("rowTypeSource() asks for the column that rows start from", () => {
  assertStringIncludes(rowTypeSource("m", named("years")), '  readonly "years": number;\n');
});

/** Whether source of a module beside the printed types passes the type checker, or what that says. */
async function check(printed: string, use: string): Promise<string> {
  await using folder = await tempFolder();
  await folder.write("row.ts", printed);
  const url = (path: string) => JSON.stringify(new URL(`../../../../src/${path}`, import.meta.url));
  const file = await folder.write(
    "use.ts",
    `import type * as row from "./row.ts";
import type { Model } from ${url("predict.ts")};
import { createClient } from ${url("server/client.ts")};
declare const model: Model;
const client = createClient<{ m: row.ModelModel }>("http://x");
export async function use() {\n${use}\n}\n`,
  );
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--no-config", "--quiet", file],
    env: { NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stderr);
}

async function typesOf(spec: Parameters<typeof randomParts>[0]): Promise<string> {
  const stdin = encodeModel(createModel(randomParts(spec)));
  const { code, stdout } = await cli(["types", "-"], { stdin });
  assertEquals(code, 0);
  return stdout;
}

Deno.test("what types prints goes to a model and a client without a cast, and other rows do not", async () => {
  const classes = await typesOf({ seed: 2, categorical: 2, outputs: 3 });
  const row = 'const row: row.ModelRow = { x0: 1, c1: "k3" };\n';
  const use = `${row}model.predictClass(row);
model.predictProba([row]);
const { predictions: [one] } = await client.predict("m", [row, row]);
const p: number | null = one.probabilities["class 1"];
const label: "class 0" | "class 1" | "class 2" = one.class;
const { predictions: [some] } = await client.predict("m", row, { onError: "partial" });
// @ts-expect-error: null where a row was left out
some.class;
// @ts-expect-error: a number
client.predict("m", { x0: "1" });
// @ts-expect-error: no such class
one.probabilities["class 9"];
return [p, label, some?.class];`;
  assertEquals(await check(classes, use), "");
});

Deno.test("types tells numbers of one output and of several apart", async () => {
  const value = 'const { predictions: [value] } = await client.predict("m", { x0: 1 });\n';
  const one = await typesOf({ seed: 2 });
  assertEquals(await check(one, `${value}const n: number | null = value; return n;`), "");
  const { task: _, ...parts } = randomParts({ seed: 2, outputs: 2 }).schema;
  const several = rowTypeSource(
    "model",
    createModel({
      ...randomParts({ seed: 2, outputs: 2 }),
      schema: { ...parts, task: "regression", classes: [] },
    }),
  );
  assertEquals(await check(several, `${value}const n: number | null = value[1]; return n;`), "");
});
