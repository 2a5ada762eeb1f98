import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";
import { columns, createOutput } from "../../../../src/cli/output/output.ts";
import type { Flags } from "../../../../src/cli/common/command.ts";
import type { CliIo } from "../../../../src/cli/common/io.ts";

function fixture(terminal: boolean, ...given: string[]) {
  let stdout = "";
  let stderr = "";
  const io: CliIo = {
    stdin: new Blob([]).stream(),
    stdout: (bytes) => Promise.resolve(void (stdout += new TextDecoder().decode(bytes))),
    stderr: (text) => void (stderr += text),
    terminal: { stdout: terminal, stderr: terminal },
    color: false,
    interrupt: new AbortController().signal,
    listen: () => Promise.reject(new Error("no")),
  };
  const flags: Flags = {
    has: (name) => given.includes(name),
    text: () => undefined,
    number: () => undefined,
    list: () => undefined,
    repeated: () => [],
  };
  const out = createOutput(io, flags);
  return { out, stdout: () => stdout, stderr: () => stderr };
}

Deno.test("createOutput() prints the result as text, or as JSON with --json", async () => {
  const text = fixture(false);
  await text.out.result({ a: 1 }, "a is 1\n");
  assertEquals([text.stdout(), text.stderr()], ["a is 1\n", ""]);
  const json = fixture(false, "json");
  await json.out.result({ a: 1 }, "a is 1\n");
  assertEquals(JSON.parse(json.stdout()), { a: 1 });
});

Deno.test("createOutput() shows progress only on a terminal, and wipes it before a note", () => {
  const seen = fixture(true);
  seen.out.progress("1/2");
  seen.out.progress("2/2");
  seen.out.note("done");
  assertEquals(seen.stderr(), "\r1/2\x1b[K\r2/2\x1b[K\r\x1b[Kdone\n");
  const piped = fixture(false);
  piped.out.progress("1/2");
  piped.out.note("done");
  assertEquals(piped.stderr(), "done\n");
});

Deno.test("createOutput() keeps warnings and drops notes with --quiet", () => {
  const { out, stderr } = fixture(true, "quiet");
  out.progress("1/2");
  out.note("note");
  out.warn("careful");
  assertEquals(stderr(), "warning: careful\n");
});

Deno.test("columns() pads all cells but the last of a row", () => {
  assertEquals(columns([["a", "bb", "c"], ["aaa", "b"]]), "a    bb  c\naaa  b\n");
});

Deno.test("columns() shows escapes where a terminal would obey", () => {
  assertEquals(columns([["\x1b[2J", "b"], ["a\nb", "c"]]), "\\u001b[2J  b\na\\u000ab   c\n");
});

Deno.test("names in errors, warnings and notes cannot move the terminal", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", '"a\x1b[2J","b\x9b1m",y\n1, q,2\n2,Q ,3\n3,q,4\n');
  const train = (...more: string[]) => cli(["train", data, "-t", "y", "--rounds", "2", ...more]);
  for (const run of [await train(), await train("--drop", "zz")]) {
    assertStringIncludes(run.stderr, "\\u009b1m");
    assert(!/(?!\n)\p{Cc}/u.test(run.stderr), run.stderr);
  }
});
