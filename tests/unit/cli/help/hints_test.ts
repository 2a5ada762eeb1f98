import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import type { Command } from "../../../../src/cli/common/command.ts";
import { COMMANDS } from "../../../../src/cli/commands.ts";
import { hintFor } from "../../../../src/cli/help/hints.ts";
import {
  DataError,
  ModelError,
  ParameterError,
  TrainingError,
  UsageError,
} from "../../../../src/errors.ts";

const load = (wanted: string) => COMMANDS.find(({ name }) => name === wanted)!.load();

Deno.test("hintFor() prefers the hint an error brings", () => {
  assertStringIncludes(hintFor(new UsageError("E_USAGE", "x")) ?? "", "treeline help");
  const own = new DataError("E_DATA_PARSE", "x", { details: { hint: "quote the field" } });
  assertEquals(hintFor(own), "quote the field");
});

Deno.test("hintFor() tells how booleans are written where numbers are expected", () => {
  const hint = (cell: string) =>
    hintFor(
      new DataError("E_DATA_PARSE", `Cannot read column "a" at line 2: "${cell}" is not a number`),
    );
  assertStringIncludes(hint("False") ?? "", "1 and 0");
  assertStringIncludes(hint("untrue") ?? "", "--decimal");
});

Deno.test("hintFor() tells how columns get names where the model has none of its own", () => {
  const hint = (known: string) =>
    hintFor(new ModelError("E_MODEL_SCHEMA", `Cannot score this file: the model knows "${known}"`));
  assertStringIncludes(hint("f0") ?? "", "--feature-names");
  assertStringIncludes(hint("Column_0") ?? "", "--feature-names");
  assertStringIncludes(hint("f01") ?? "", "treeline inspect");
});

Deno.test("hintFor() sends who has a line too long to that line, not to columns", () => {
  const limit = (details: { readonly [name: string]: unknown }) =>
    hintFor(new DataError("E_DATA_LIMIT", "x", { details })) ?? "";
  assertStringIncludes(limit({ columns: 200_000, limit: 100_000 }), "--drop");
  assertStringIncludes(limit({ line: 2, limit: 16_777_216 }), "that line");
});

Deno.test("hintFor() sends who lacks memory to the size of the data, not to its values", () => {
  const hint = (details: { readonly [name: string]: unknown }) =>
    hintFor(new TrainingError("E_TRAIN_NUMERIC", "x", { details })) ?? "";
  assertStringIncludes(hint({ megabytes: 5000 }), "fewer rows");
  assertStringIncludes(hint({ round: 3 }), "extreme targets");
});

Deno.test("hintFor() explains hyperparameters by params, and other flags by the command's help", async () => {
  const [trainCommand, predictCommand, tuneCommand] = await Promise.all(
    ["train", "predict", "tune"].map(load),
  );
  const hint = (param: string, command: Command) =>
    hintFor(new ParameterError("E_PARAM_RANGE", "x", { details: { param } }), command);
  assertStringIncludes(hint("maxDepth", trainCommand!) ?? "", "`treeline params maxDepth`");
  assertStringIncludes(hint("variant", trainCommand!) ?? "", "`treeline params variant -a ");
  assertStringIncludes(hint("threads", trainCommand!) ?? "", "`treeline help train`");
  assertStringIncludes(hint("delimiter", trainCommand!) ?? "", "`treeline help train`");
  assertStringIncludes(hint("rounds", predictCommand!) ?? "", "`treeline help predict`");
  assertStringIncludes(hint("folds", tuneCommand!) ?? "", "`treeline help tune`");
  const unknown = (details: { readonly [name: string]: unknown }) =>
    hintFor(new ParameterError("E_PARAM_UNKNOWN", "x", { details }), trainCommand!);
  assertStringIncludes(unknown({ param: "foo", algorithm: "boost" }) ?? "", "lists every");
});

Deno.test("hintFor() names the kinds that a model without probabilities or classes has", async () => {
  const features = [{ kind: "numeric" as const, name: "x", values: Float64Array.of(1, 2) }];
  const target = { kind: "regression" as const, name: "y", values: Float64Array.of(1, 2) };
  const model = await trainBoost({ numRows: 2, features, target }, { rounds: 1 });
  const command = await load("predict");
  for (const ask of ["predictProba", "predictClass"] as const) {
    const error = assertThrows(() => model[ask]([]), ParameterError);
    assertStringIncludes(hintFor(error, command) ?? "", "`--kind value`");
  }
});

Deno.test("hintFor() says how files in another encoding or packing become CSV", () => {
  const hint = (message: string) => hintFor(new DataError("E_DATA_PARSE", message)) ?? "";
  assertStringIncludes(hint("Cannot read data in UTF-16: save it as UTF-8"), "iconv -f UTF-16");
  assertStringIncludes(
    hint('Cannot read column "a" at line 2: "x" is not UTF-8 text'),
    "WINDOWS-1252",
  );
  assertStringIncludes(hint("Cannot read a pointer of Git LFS as CSV: fetch"), "git lfs pull");
  assertStringIncludes(hint("Cannot read a web page (HTML) or XML as CSV: fetch"), "raw");
  assertStringIncludes(hint("Cannot read Parquet as CSV: export it first"), ".to_csv(");
  assertStringIncludes(
    hint("Cannot read xz as CSV: unpack it first (gzip is unpacked here)"),
    "pipe",
  );
  assertStringIncludes(hint("Cannot read line 2: expected 2 cells, found 3"), "--delimiter");
});
