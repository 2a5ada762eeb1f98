/** Files as strangers have them, through every command: right results, or a typed error with a place. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cli } from "../../support/cli.ts";
import { type TempFolder, tempFolder } from "../../support/temp.ts";

const encoder = new TextEncoder();

/** `y` is "b" where x > 5 and c is not "z"; 80 rows. */
const rows = Array.from({ length: 80 }, (_, i) => {
  const x = (i * 37 % 80) / 8;
  const c = ["red", "blue", "z"][i % 3];
  return [x.toFixed(3), c, x > 5 && c !== "z" ? "b" : "a"];
});
const text = (between = ",", end = "\n", cell = (value: string) => value) =>
  [["x", "c", "y"], ...rows].map((row) => row.map(cell).join(between) + end).join("");
const plain = text();

async function gzip(content: string): Promise<Uint8Array> {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The same table in other clothes. */
async function sameTables(): Promise<{ readonly [name: string]: string | Uint8Array }> {
  const cut = plain.indexOf("\n", 400) - 3;
  return {
    "mark.csv": `\ufeff${plain}`,
    "mark_quoted.csv": `\ufeff${text(",", "\r\n", (value) => `"${value}"`)}`,
    "crlf.csv": text(",", "\r\n"),
    "cr.csv": text(",", "\r"),
    "no_end.csv": plain.trimEnd(),
    "blank.csv": `\n${plain.replaceAll("\n", "\n\n")}`,
    "semicolons.csv": text(";"),
    "commas.csv": text(";", "\n", (value) => value.replace(".", ",")),
    "tabs.tsv": text("\t"),
    "pipes.csv": text("|"),
    "long.csv": text(
      ",",
      "\n",
      (value) => value === "x" ? value : value.replace(/(\.\d+)/, "$1e+0"),
    ),
    "members.csv.gz": joined(await gzip(plain.slice(0, cut)), await gzip(plain.slice(cut))),
    "packed.csv": await gzip(plain),
    "unpacked.csv.gz": plain,
  };
}

async function outputs(folder: TempFolder, file: string, model: string) {
  const predicted = await cli(["predict", model, file, "--kind", "raw"]);
  const evaluated = await cli(["evaluate", model, file, "--json"]);
  assertEquals([predicted.code, evaluated.code], [0, 0], predicted.stderr + evaluated.stderr);
  const bytes: Uint8Array[] = [];
  for (const way of [[], ["--binned"]]) {
    const out = folder.file("again.tlm");
    const args = ["train", file, "-t", "y", "--rounds", "3", "-o", out, "--force", ...way];
    const run = await cli(args);
    assertEquals(run.code, 0, run.stderr);
    bytes.push(await Deno.readFile(out));
  }
  return [predicted.stdout, evaluated.stdout, ...bytes];
}

Deno.test("one table gives one model and one score, whatever clothes its file wears", async () => {
  await using folder = await tempFolder();
  const file = await folder.write("plain.csv", plain);
  const model = folder.file("m.tlm");
  await cli(["train", file, "-t", "y", "--rounds", "3", "-o", model]);
  const expected = await outputs(folder, file, model);
  assertEquals(expected[2], expected[3]);
  for (const [name, content] of Object.entries(await sameTables())) {
    const other = await folder.write(name, content);
    assertEquals(await outputs(folder, other, model), expected, name);
  }
});

/** Files that no command may score, with what must be said. */
async function badTables(): Promise<{ readonly [name: string]: [string | Uint8Array, string] }> {
  const packed = await gzip(plain);
  const crc = packed.slice();
  crc[crc.length - 6] ^= 1;
  return {
    "latin1.csv": [
      Uint8Array.from(`${plain}1,caf\u00e9,a\n`, (letter) => letter.charCodeAt(0)),
      'column "c" at line 82',
    ],
    "utf16.csv": [
      new Uint8Array(Uint16Array.from(plain, (letter) => letter.charCodeAt(0)).buffer),
      "UTF-16",
    ],
    "nul.csv": [`${plain}1,re\0d,a\n`, 'column "c" at line 82'],
    "short.csv": [`${plain}1,red\n`, "line 82: expected 3 cells, found 2"],
    "extra.csv": [`${plain}1,red,a,7\n`, "line 82: expected 3 cells, found 4"],
    "open.csv": [`${plain}1,"red,a\n2,red,a\n`, "its quote is never closed"],
    "twice.csv": [plain.replace("x,c,y", "x,x,y"), 'two columns named "x"'],
    "unnamed.csv": [plain.replace("x,c,y", ",,y"), "two columns without a name"],
    "empty.csv": ["", "it is empty"],
    "mark_only.csv": ["\ufeff", "it is empty"],
    "cut.csv.gz": [packed.subarray(0, packed.length >> 1), "unexpected end of file"],
    "crc.csv.gz": [crc, "gzip data are bad"],
    "tail.csv.gz": [joined(packed, encoder.encode("tail")), "gzip data are bad"],
    "zip.zip": [Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0), "zip archive"],
    "zstd.csv.zst": [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0), "Zstandard"],
  };
}

Deno.test("a file that cannot be read is a typed error with its place, in every command", async () => {
  await using folder = await tempFolder();
  const model = folder.file("m.tlm");
  await cli(["train", await folder.write("p.csv", plain), "-t", "y", "--rounds", "2", "-o", model]);
  for (const [name, [content, message]] of Object.entries(await badTables())) {
    const file = await folder.write(name, content);
    for (
      const args of [
        ["train", file, "-t", "y", "--rounds", "2", "-o", folder.file("never.tlm")],
        ["train", file, "-t", "y", "--rounds", "2", "--binned", "-o", folder.file("never.tlm")],
        ["tune", file, "-t", "y", "--trials", "1", "--rounds", "2"],
        ["predict", model, file],
        ["evaluate", model, file],
        ["explain", model, file],
      ]
    ) {
      const run = await cli(args);
      assert(run.code === 3 || run.code === 6, `${args.join(" ")}: ${run.code} ${run.stderr}`);
      assertStringIncludes(run.stderr, message, args.join(" "));
    }
    // No model is made of data.
    for (const args of [["inspect", file], ["convert", file, "-o", folder.file("never.json")]]) {
      const { code, stderr } = await cli(args);
      assert(code === 4 || code === 6, `${args.join(" ")}: ${code} ${stderr}`);
    }
  }
  for await (const { name } of Deno.readDir(folder.path)) assert(!name.startsWith("never"), name);
});

Deno.test("cells that are no number are named by line and column where the model knows a number", async () => {
  await using folder = await tempFolder();
  const model = folder.file("m.tlm");
  await cli(["train", await folder.write("p.csv", plain), "-t", "y", "--rounds", "2", "-o", model]);
  for (
    const cell of ["$5", "5 %", "0x1F", "1'000", "(3)", "\u22125", "5\u00a0", "2024-01-02", "true"]
      .concat(["#N/A", "None", "1.#IND", "1.234.5", "--1", "1e", "\u0665"])
  ) {
    const file = await folder.write("cell.csv", `${plain}${cell},red,a\n`);
    for (const verb of ["predict", "evaluate"]) {
      const run = await cli([verb, model, file]);
      assertEquals(run.code, 3, `${verb} ${cell}: ${run.stderr}`);
      assertStringIncludes(run.stderr, 'column "x" at line 82');
    }
  }
  // An infinity and a number beyond all are numbers, as Number() has them.
  const file = await folder.write("inf.csv", "x,c\n1e400,red\nInfinity,red\n-inf,red\n");
  const { stdout, code } = await cli(["predict", model, file, "--kind", "raw"]);
  const [, large, infinite, low] = stdout.split("\n");
  assertEquals([code, large], [0, infinite]);
  assert(large !== low);
});

Deno.test("no command writes its result over a file that it reads, even with --force", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", plain);
  const model = folder.file("m.tlm");
  const train = ["train", data, "-t", "y", "--rounds", "2", "--force", "-o"];
  assertEquals((await cli([...train, model])).code, 0);
  const bytes = await Deno.readFile(model);
  await Deno.symlink(data, folder.file("link.csv"));
  for (
    const args of [
      [...train, data],
      [...train, folder.file("link.csv")],
      [...train, `${folder.path}/./d.csv`],
      ["train", "-", "-t", "y", "--valid", data, "--force", "-o", data],
      ["predict", model, data, "--force", "-o", data],
      ["predict", model, data, "--force", "-o", model],
      ["explain", model, data, "--force", "-o", model],
      ["continue", model, data, "--force", "-o", data],
      ["refit", model, data, "--force", "-o", data],
      ["calibrate", model, data, "--force", "-o", data],
      ["shrink", model, "--max-size", "9kB", "--input", data, "--force", "-o", data],
      ["types", model, "--force", "-o", model],
      ["openapi", model, "--force", "-o", model],
    ]
  ) {
    const run = await cli(args, { stdin: plain });
    assertEquals(run.code, 2, `${args.join(" ")}: ${run.stderr}`);
    assertStringIncludes(run.stderr, "Cannot write the result over", args.join(" "));
    assertEquals([await Deno.readTextFile(data), await Deno.readFile(model)], [plain, bytes]);
  }
  // A model made anew takes the place of the old one.
  assertEquals((await cli(["refit", model, data, "--force", "-o", model])).code, 0);
});

Deno.test("standard input goes to one input; a second one is refused", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", plain);
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "2", "-o", model]);
  const bytes = await Deno.readFile(model);
  for (
    const [args, stdin] of [
      [["train", "-", "-t", "y", "--valid", "-"], plain],
      [["predict", "-", "-"], bytes],
      [["evaluate", "-", "-"], bytes],
      [["explain", "-", "-"], bytes],
      [["verify", model, "--input", "-", "--expected", "-"], "raw\n1\n"],
      [["shrink", "-", "--max-size", "9kB", "--input", "-", "-o", "-"], bytes],
    ] as const
  ) {
    const run = await cli(args, { stdin });
    assertEquals(run.code, 2, `${args.join(" ")}: ${run.stderr}`);
    assertStringIncludes(run.stderr, "Cannot read standard input twice");
  }
});

Deno.test("an error in a table names the file, for there may be two", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", plain);
  const held = await folder.write("held.csv", `${plain}1,red\n`);
  const run = await cli(["train", data, "-t", "y", "--valid", held]);
  assertStringIncludes(run.stderr, `line 82: expected 3 cells, found 2 (in "${held}")`);
  const piped = await cli(["train", "-", "-t", "y"], { stdin: "" });
  assertStringIncludes(piped.stderr, "it is empty (in standard input)");
});

Deno.test("errors in JSON lines and LIBSVM are not answered with flags that only CSV has", async () => {
  await using folder = await tempFolder();
  const cases = [
    ["a.jsonl", '{"x":1,"y":2}\n{"x":2 "y":3}\n', "y", "check the file near that place"],
    ["b.jsonl", '{"x":1,"y":2}\n{"x":2,"y":3}\n', "z", "check the names in the file"],
    ["c.jsonl", "", "y", "at least one row"],
    ["d.libsvm", "1 1:2 2:x\n", "label", "check the file near that place"],
    // What holds for any table is said of these, too.
    ["e.jsonl", '{"x":1,"y":2}\n{"x":[3],"y":3}\n', "y", "force a kind with --numeric"],
  ];
  for (const [name, content, target, hint] of cases) {
    const data = await folder.write(name!, content!);
    const absent = name!.endsWith("libsvm") ? ["--absent", "zero"] : [];
    for (const way of [[], ["--binned"]]) {
      const { stderr } = await cli(["train", data, "-t", target!, ...absent, ...way]);
      assertStringIncludes(stderr, `(in ${JSON.stringify(data)})`);
      assertStringIncludes(stderr, `hint: ${name === "c.jsonl" ? "the file needs " : ""}${hint}`);
      assert(!/--delimiter|header/.test(stderr), stderr);
    }
  }
  const semicolons = await folder.write("d.csv", "a;b\n1;2,5\n");
  const { stderr } = await cli(["train", semicolons, "-t", "c"]);
  assertStringIncludes(stderr, "--delimiter when it was cut wrongly");
  const twice = await folder.write("e.csv", "a,a\n1,2\n");
  assertStringIncludes((await cli(["train", twice, "-t", "a"])).stderr, "hint: check the header");
});

Deno.test("a column is read as categories or as numbers, not as both", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", plain);
  const run = await cli(["train", data, "-t", "y", "--categorical", "x,c", "--numeric", "x"]);
  assertEquals(run.code, 2);
  assertStringIncludes(run.stderr, 'column "x" as categories and as numbers');
});

Deno.test("flags that a format has no use for are refused, and no rows but CSV are scored as such", async () => {
  await using folder = await tempFolder();
  const data = await folder.write("d.csv", plain);
  const model = folder.file("m.tlm");
  await cli(["train", data, "-t", "y", "--rounds", "2", "-o", model]);
  const lines = rows.map(([x, c, y]) => `${JSON.stringify({ x: Number(x), c, y })}\n`).join("");
  const json = await folder.write("d.jsonl", lines);
  const train = ["train", json, "-t", "y", "--rounds", "2"];
  assertEquals((await cli(train)).code, 0);
  for (
    const args of [
      [...train, "--delimiter", ";"],
      [...train, "--decimal", ","],
      [...train, "--header", "false"],
      [...train, "--trim"],
      [...train, "--trim", "--binned"],
      ["train", data, "-t", "y", "--absent", "zero"],
      ["predict", model, json],
      ["explain", model, json],
      ["verify", model, "--input", json, "--expected", data],
    ]
  ) {
    const run = await cli(args);
    assertEquals([run.code, run.stdout], [2, ""], `${args.join(" ")}: ${run.stderr}`);
    assertStringIncludes(run.stderr, "error[E_USAGE]");
  }
});

Deno.test("--trim leaves spaces around text out, in training and in scoring", async () => {
  await using folder = await tempFolder();
  const clean = await folder.write("clean.csv", plain);
  const spaced = await folder.write(
    "spaced.csv",
    text(",", "\n", (cell) => /^[a-z]{2}/.test(cell) ? ` ${cell} ` : cell),
  );
  const models = [folder.file("a.tlm"), folder.file("b.tlm")];
  const train = (data: string, out: string, more: string[] = []) =>
    cli(["train", data, "-t", "y", "--rounds", "3", "-o", out, ...more]);
  await train(clean, models[0]);
  const trimmed = await train(spaced, models[1], ["--trim"]);
  assertEquals(await Deno.readFile(models[1]), await Deno.readFile(models[0]), trimmed.stderr);
  const expected = await cli(["predict", models[0], clean, "--kind", "raw"]);
  const scores = await cli(["predict", models[0], spaced, "--kind", "raw", "--trim"]);
  assertEquals([scores.stdout, scores.stderr], [expected.stdout, ""]);
});
