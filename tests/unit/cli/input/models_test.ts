import { assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";

/** A file of XGBoost 3.2.0 whose best round, 5 of 7, was found by early stopping. */
const path = new URL(
  "../../../golden/directories/xgboost_spark_early/model/part-00000",
  import.meta.url,
).pathname;

Deno.test("whoever opens a file of another library is told what its scores depend on", async () => {
  await using folder = await tempFolder();
  const rows = await folder.write("rows.csv", "f0,f1,f2,y\n1,2,3,0\n0,1,2,1\n");
  const out = ["--out", folder.file("out"), "--force"];
  const commands = [
    ["predict", path, rows],
    ["evaluate", path, rows, "--target", "y"],
    ["explain", path, rows],
    ["inspect", path],
    ["verify", path, "--input", rows, "--expected", rows],
    ["convert", path, "--to", "json", ...out],
    ["types", path],
  ];
  for (const args of commands) {
    const { stderr, stdout } = await cli(args);
    assertStringIncludes(stderr, "warning: Early stopping found round 5 best", args[0]);
    assertEquals(stdout.includes("Early stopping found"), false, args[0]);
  }
});
