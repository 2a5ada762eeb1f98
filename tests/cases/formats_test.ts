/** Data of other formats through the command line: what absent entries mean is said once, then kept. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { decodeModel } from "../../mod.ts";
import { cli } from "../support/cli.ts";

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("train reads LIBSVM once it knows what absent means; evaluate reads it by the model", async () => {
  await inFolder(async (folder) => {
    const lines = Array.from(
      { length: 80 },
      (_, i) => `${i % 2} ${i % 2 === 1 ? `0:1 ` : ""}2:${i % 7}`,
    );
    await Deno.writeTextFile(`${folder}/d.libsvm`, lines.join("\n"));
    const model = `${folder}/m.tlm`;
    const train = ["train", `${folder}/d.libsvm`, "-t", "label", "--rounds", "10", "--out", model];
    const refused = await cli(train);
    assertEquals(refused.code, 2, refused.stderr);
    assertStringIncludes(refused.stderr, "absent");
    const made = await cli([...train, "--absent", "missing"]);
    assertEquals(made.code, 0, made.stderr);
    assertEquals(decodeModel(await Deno.readFile(model)).schema.sparse, "missing");
    const run = await cli(["evaluate", model, `${folder}/d.libsvm`, "--json"]);
    assertEquals(run.code, 0, run.stderr);
    assertEquals(JSON.parse(run.stdout).metrics.accuracy, 1);
    const wrong = await cli(["evaluate", model, `${folder}/d.libsvm`, "--absent", "zero"]);
    assertEquals(wrong.code, 2, wrong.stderr);
  });
});

Deno.test("train and evaluate read JSON lines", async () => {
  await inFolder(async (folder) => {
    const lines = Array.from(
      { length: 60 },
      (_, i) => JSON.stringify({ x: i, code: `0${i % 3}`, y: i < 30 ? "no" : "yes" }),
    );
    await Deno.writeTextFile(`${folder}/d.jsonl`, lines.join("\n"));
    const model = `${folder}/m.tlm`;
    const made = await cli([
      "train",
      `${folder}/d.jsonl`,
      "--target",
      "y",
      "--rounds",
      "20",
      "--out",
      model,
    ]);
    assertEquals(made.code, 0, made.stderr);
    const run = await cli(["evaluate", model, `${folder}/d.jsonl`, "--json"]);
    assertEquals(run.code, 0, run.stderr);
    assert(JSON.parse(run.stdout).metrics.auc > 0.99);
  });
});

Deno.test("evaluate keeps categories that look like numbers as the model learnt them", async () => {
  await inFolder(async (folder) => {
    const row = (i: number) => `${i % 20 === 7 ? "x" : `0${i % 2}`},${i % 2 === 0 ? "a" : "b"}`;
    const rows = Array.from({ length: 80 }, (_, i) => row(i));
    await Deno.writeTextFile(`${folder}/train.csv`, `c,y\n${rows.join("\n")}\n`);
    // Here every code is a number, which alone would make the column numeric.
    const plain = rows.filter((text) => !text.startsWith("x"));
    await Deno.writeTextFile(`${folder}/test.csv`, `c,y\n${plain.join("\n")}\n`);
    const model = `${folder}/m.tlm`;
    const made = await cli([
      "train",
      `${folder}/train.csv`,
      "-t",
      "y",
      "--rounds",
      "20",
      "--out",
      model,
    ]);
    assertEquals(made.code, 0, made.stderr);
    const run = await cli(["evaluate", model, `${folder}/test.csv`, "--json"]);
    assertEquals(JSON.parse(run.stdout).metrics.accuracy, 1, run.stderr);
  });
});
