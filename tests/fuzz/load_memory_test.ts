import { assert } from "@std/assert";

interface Line {
  readonly name: string;
  readonly bytes: number;
  readonly total: number;
  readonly refused: boolean;
}

/** What docs/format.md states: so many times the file, garbage included, or 1 MiB for small files. */
const TIMES = 64;
const LEAST = 1 << 20;

Deno.test("decodeModel() allocates no more than 64 times the file, whatever is in it", async () => {
  const program = new URL("../support/processes/load_memory.ts", import.meta.url).pathname;
  // A young generation that holds all that is allocated: garbage is counted too.
  const flags = "--v8-flags=--min-semi-space-size=1024,--max-semi-space-size=1024";
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", flags, program],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const lines = new TextDecoder().decode(stdout).trim().split("\n").map((l): Line => JSON.parse(l));
  // The counts count.
  assert(lines[0].total >= 1e7 && lines[1].total >= 1.6e7 && lines[2].total >= 100 * 65536);
  const files = lines.slice(3);
  assert(files.length > 600 && files.some((f) => f.refused) && files.some((f) => !f.refused));
  for (const { name, bytes, total } of files) {
    assert(total <= Math.max(LEAST, TIMES * bytes), `${name}: ${total} for ${bytes} bytes`);
  }
});
