import { assertEquals } from "@std/assert";

async function compile(...args: string[]) {
  const tool = new URL("../../../../tools/build/compile.ts", import.meta.url).pathname;
  const run = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", tool, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  return [
    run.code,
    new TextDecoder().decode(run.stderr).split("\n").map((line) => line.slice(0, 40)),
  ];
}

Deno.test("deno task compile says how it is used, without a stack", async () => {
  const use = "Use: deno task compile [--model m.tlm]…";
  assertEquals(await compile("--help"), [0, [`${use} `, ""]]);
  assertEquals(await compile("--modle", "m.tlm"), [2, ["Cannot use --modle", `${use} `, ""]]);
  assertEquals(await compile("m.tlm"), [2, ["Cannot use m.tlm", `${use} `, ""]]);
  const [code, lines] = await compile("--out");
  assertEquals([code, lines], [2, ["Cannot use --out: a value must follow it", `${use} `, ""]]);
});
