/** CASES G1, G2: one seed, one model, whatever threads, kernels, processes and platforms. */
import { assertEquals } from "@std/assert";
import { encodeModel, trainBoost } from "../../mod.ts";
import { sha256Hex } from "../../src/util/sha256.ts";
import { hashOfTrees, syntheticTable } from "../support/data/synthetic.ts";

Deno.test("CASES G1: 10,000 rows give one file on 1, 2 and 8 threads", async () => {
  const data = syntheticTable(10_000);
  const files = new Set<string>();
  for (const threads of [1, 2, 8]) {
    const model = await trainBoost(data, { rounds: 6, seed: 4, subsample: 0.7 }, { threads });
    files.add(sha256Hex(encodeModel(model)));
  }
  assertEquals(files.size, 1);
});

/**
 * The trees of `hashOfTrees`, once and for all platforms, as `tests/golden/reproducible/recipe.py`
 * grows them: a program in another language that shares no code with ours, draws included.
 */
const GOLDEN = "b9fd2975f07d6000534aaa7a24cad3996805f69f16531dc72c0b5f9d4b10c551";

Deno.test("CASES G2: other processes, with other threads, grow the trees of the golden hash", async () => {
  const script = `
    import { hashOfTrees } from ${
    JSON.stringify(new URL("../support/data/synthetic.ts", import.meta.url).href)
  };
    console.log(await hashOfTrees(Number(Deno.args[0])));
  `;
  const found = await Promise.all(["1", "3"].map(async (threads) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "-", threads],
      env: { NO_COLOR: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(script));
    await writer.close();
    return new TextDecoder().decode((await child.output()).stdout).trim();
  }));
  assertEquals([await hashOfTrees(2), ...found], [GOLDEN, GOLDEN, GOLDEN]);
});
