import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type Opening, openModel } from "../../../../src/cli/input/models.ts";
import { UsageError } from "../../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../../src/format/binary.ts";
import { createModel } from "../../../../src/model/model.ts";
import { cli } from "../../../support/cli.ts";
import { randomParts } from "../../../support/models/random.ts";
import { openCutParts } from "../../../support/models/open_cuts.ts";
import { tempFolder } from "../../../support/temp.ts";

const bytes = encodeModel(createModel(randomParts({ seed: 1, categorical: 2, outputs: 3 })));

Deno.test("convert writes JSON and gives the same bytes back", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const json = folder.file("m.json");
  const back = folder.file("back.tlm");
  assertEquals((await cli(["convert", source, "--out", json])).code, 0);
  assertEquals((await cli(["convert", json, "--to", "tlm", "--out", back])).code, 0);
  assertEquals(await Deno.readFile(back), bytes);
  assertEquals(folder.names(), ["back.tlm", "m.json", "m.tlm"]);
});

Deno.test("convert reads stdin and writes stdout as -", async () => {
  const json = await cli(["convert", "-", "--to", "json"], { stdin: bytes });
  assertEquals(json.stderr, "");
  const back = await cli(["convert", "-", "--to", "tlm", "--out", "-"], { stdin: json.stdout });
  assertEquals(back.bytes, bytes);
});

Deno.test("convert --json tells what was written, in one document", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  for (const name of ["m.json", "again.tlm"]) {
    const out = folder.file(name);
    const run = await cli(["convert", source, "--out", out, "--json"]);
    const told = JSON.parse(run.stdout);
    assertEquals([told.out, told.format], [out, name.split(".")[1]]);
  }
  // On stdout the file is the result.
  const run = await cli(["convert", source, "--to", "tlm", "--json"]);
  assertEquals(run.bytes, bytes);
});

Deno.test("convert knows formats by the names of their programs", async () => {
  const { code, stderr } = await cli(["convert", "m.tlm", "--to", "XGBoost"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "its name here is xgboost-json");
});

Deno.test("convert replaces a file only with --force", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const old = await folder.write("old.json", "old");
  const refused = await cli(["convert", source, "--out", old]);
  assertEquals([refused.code, await Deno.readTextFile(old)], [6, "old"]);
  assertStringIncludes(refused.stderr, "error[E_IO_WRITE]");
  assertEquals((await cli(["convert", source, "--out", old, "--force"])).code, 0);
  assert((await Deno.readTextFile(old)).startsWith("{"));
});

Deno.test("convert answers damage, absence and missing formats with codes 4, 6 and 2", async () => {
  await using folder = await tempFolder();
  const damaged = await folder.write("m.tlm", bytes.slice(0, bytes.length - 9));
  const missing = folder.file("none.tlm");
  const good = await folder.write("g.tlm", bytes);
  assertEquals((await cli(["convert", damaged, "--to", "json"])).code, 4);
  assertEquals((await cli(["convert", missing, "--to", "json"])).code, 6);
  assertEquals((await cli(["convert", good])).code, 2);
});

Deno.test("convert records origin, library version and SHA-256 of the source in the model", async () => {
  await using folder = await tempFolder();
  const golden = new URL("../../../golden/models/", import.meta.url);
  const sources = [
    ["xgboost-3.4.1/categorical_strings_penguins/model.ubj", "xgboost-ubj", "xgboost", "3.4.1"],
    ["lightgbm-4.6.0/rf_multiclass_iris/model.txt", "lightgbm-text", "lightgbm", "v4"],
    ["onnxruntime-1.32.0/ensemble_5_sum_none/model.onnx", "onnx", "treeline-parity", undefined],
  ] as const;
  for (const [path, format, library, version] of sources) {
    const source = new URL(path, golden);
    const out = folder.file(`${library}.tlm`);
    assertEquals((await cli(["convert", source.pathname, "--out", out])).code, 0);
    const { origin } = decodeModel(await Deno.readFile(out)).info;
    // The engine's own digest, not ours.
    const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(source));
    assertEquals(origin, {
      format,
      library,
      ...(version === undefined ? {} : { version }),
      sha256: new Uint8Array(digest).toHex(),
    });
  }
});

Deno.test("convert --rounding float32 writes for XGBoost what is refused without, and says the difference", async () => {
  await using folder = await tempFolder();
  const double = createModel(randomParts({ seed: 6, f32: false }));
  const source = await folder.write("m.tlm", encodeModel(double));
  const out = folder.file("m.ubj");
  const refused = await cli(["convert", source, "--out", out]);
  assertEquals([refused.code, folder.names()], [4, ["m.tlm"]]);
  assertStringIncludes(refused.stderr, `"x0": its values are compared as float64`);
  assertStringIncludes(refused.stderr, "--rounding float32");
  const written = await cli(["convert", source, "--out", out, "--rounding", "float32"]);
  assertEquals([written.code, folder.names()], [0, ["m.tlm", "m.ubj"]]);
  assertStringIncludes(written.stderr, "rounded to float32: raw scores differ");
  const ours = await cli(["convert", source, "--to", "json", "--rounding", "float32"]);
  assertEquals(ours.code, 2);
});

Deno.test("convert to ONNX says which numbers categories are, where there are some", async () => {
  await using folder = await tempFolder();
  for (const categorical of [2, 0]) {
    const model = encodeModel(createModel(randomParts({ seed: 1, categorical })));
    const source = await folder.write("m.tlm", model);
    const out = folder.file("m.onnx");
    const run = await cli(["convert", source, "-o", out, "--rounding", "float32", "--force"]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals(run.stderr.includes("in the list of metadata treeline.schema"), categorical > 0);
  }
});

Deno.test("convert --trees writes them in bits or plain, the same model", async () => {
  await using folder = await tempFolder();
  const model = createModel(openCutParts({ seed: 2, trees: 9, depth: 6 }, [1, 2, 3, 5, 8, 13], 2));
  const source = await folder.write("m.tlm", encodeModel(model, { inBits: false }));
  for (const [form, inBits] of [["bits", true], ["plain", false]] as const) {
    const out = folder.file(`${form}.tlm`);
    assertEquals((await cli(["convert", source, "--trees", form, "--out", out])).code, 0);
    assertEquals(await Deno.readFile(out), encodeModel(model, { inBits }));
  }
  assert((await Deno.stat(folder.file("bits.tlm"))).size < (await Deno.stat(source)).size);
  const refused = await cli(["convert", source, "--trees", "bits", "--to", "json"]);
  assertEquals(refused.code, 2);
});

Deno.test("convert refuses flags of foreign files with a model of our own", async () => {
  await using folder = await tempFolder();
  const source = await folder.write("m.tlm", bytes);
  const json = folder.file("m.json");
  await cli(["convert", source, "--out", json]);
  for (const file of [source, json]) {
    for (
      const flag of ["--classes=a,b,c", "--feature-names=p,q", "--target=t", "--from=xgboost-json"]
    ) {
      const run = await cli(["convert", file, flag, "--to", "json"]);
      assertEquals([run.code, run.stdout], [2, ""], flag);
      assertStringIncludes(run.stderr, `Cannot use ${flag.split("=")[0]} with a model of Treeline`);
    }
  }
  const io = { embedded: { m: new URL(`file://${source}`) } };
  await assertRejects(
    () => openModel({ io } as unknown as Opening, "embedded:m", { target: "t" }),
    UsageError,
    "Cannot use --target",
  );
});
