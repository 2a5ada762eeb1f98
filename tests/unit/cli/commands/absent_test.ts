import { assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { type TempFolder, tempFolder } from "../../../support/temp.ts";

/** A model of x and z; where `gaps` is given, some training rows lack z. */
async function trained(folder: TempFolder, gaps: boolean) {
  const row = (i: number) => `${i},${gaps && i % 5 === 0 ? "" : i % 7},${i > 20 ? "b" : "a"}\n`;
  const rows = Array.from({ length: 40 }, (_, i) => row(i)).join("");
  const data = await folder.write("d.csv", `x,z,y\n${rows}`);
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "3", "-o", model, "--force"]);
  const short = await folder.write("s.csv", rows.replaceAll(/,[^,]*,/g, ",").replace(/^/, "x,y\n"));
  return { data, model, short, out: folder.file("o.tlm") };
}

Deno.test("an absent column of the model ends every command with 4, without a warning first", async () => {
  await using folder = await tempFolder();
  const { model, short, out } = await trained(folder, false);
  for (
    const args of [
      ["predict", model, short],
      ["explain", model, short],
      ["explain", model, short, "--method", "importance"],
      ["evaluate", model, short],
      ["evaluate", model, short, "--folds", "3"],
      ["calibrate", model, short, "-o", out],
      ["continue", model, short, "-o", out],
      ["refit", model, short, "-o", out],
      ["shrink", model, "--input", short, "--max-size", "2kB", "-o", out],
    ]
  ) {
    const { code, stderr } = await cli(args);
    assertEquals(code, 4, `${args[0]}: ${stderr}`);
    assertStringIncludes(stderr, "E_MODEL_SCHEMA");
    assertStringIncludes(stderr, 'without column "z"');
    assertEquals(stderr.includes("taken as missing"), false, args.join(" "));
  }
});

Deno.test("an absent column that training lacked here and there is taken as missing, and told", async () => {
  await using folder = await tempFolder();
  const { data, model, short } = await trained(folder, true);
  const told = 'the input has no column "z": taken as missing';
  const evaluated = await cli(["evaluate", model, short]);
  assertEquals([evaluated.code, evaluated.stderr.includes(told)], [0, true], evaluated.stderr);
  // Folds train again, and validation sets have the columns of training.
  const folds = await cli(["evaluate", model, short, "--folds", "3"]);
  assertEquals([folds.code, folds.stderr.includes(told)], [4, false], folds.stderr);
  const valid = await cli(["train", data, "-t", "y", "--valid", short, "-o", folder.file("v.tlm")]);
  assertEquals([valid.code, valid.stderr.includes(told)], [3, false], valid.stderr);
});
