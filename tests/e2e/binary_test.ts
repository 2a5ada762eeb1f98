// deno-lint-ignore-file no-console
/**
 * The single binary, run from an empty folder with nothing beside it.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { compile } from "../../tools/build/compile.ts";
import { findCompiler } from "../support/processes/denort.ts";
import { serving } from "../support/processes/process.ts";
import { tempFolder } from "../support/temp.ts";

const compiler = await findCompiler();
const ignore = "reason" in compiler;
if (ignore) console.log(`skipped: the single binary: ${compiler.reason}`);

const numbers = `x,z,y\n${
  Array.from({ length: 300 }, (_, i) => `${i},${"abc"[i % 3]},${i > 150 ? "yes" : "no"}\n`).join("")
}`;

Deno.test(
  "CASES N2: the single binary trains, predicts and serves from an empty folder",
  { ignore },
  async () => {
    if ("reason" in compiler) return;
    await using build = await tempFolder();
    await using folder = await tempFolder();
    const binary = build.file("treeline");
    await compile({ ...compiler, out: binary, quiet: true });
    if (compiler.denort !== undefined) {
      // The program itself, 1.75 MB, with workers that share its files (apart they hold 1.1 more): no
      // package of development is inside (the smallest, fast-check, has 1.6).
      const bytes = await Deno.readFile(binary);
      const added = bytes.subarray((await Deno.stat(compiler.denort)).size);
      assert(added.length < 2.2e6, `${added.length} bytes beside the runtime`);
      const servers = new TextDecoder().decode(added).split("Cannot serve two models").length - 1;
      assertEquals(servers, 1, "every start reads all of the binary: it holds the server once");
    }
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(binary, {
        args,
        cwd: folder.path,
        clearEnv: true,
        env: { NO_COLOR: "1" },
      }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      return { code, stdout: decode(stdout), stderr: decode(stderr) };
    };
    await folder.write("d.csv", numbers);
    const trained = await run(
      "train",
      "d.csv",
      "--target",
      "y",
      "--rounds",
      "20",
      "--out",
      "m.tlm",
    );
    assertEquals([trained.code, trained.stdout], [0, ""], trained.stderr);
    assert(!trained.stderr.includes("warning"), trained.stderr); // wasm is inside
    await folder.write("l.csv", `x,z,y\n${numbers.slice(6).repeat(20)}`);
    for (const algorithm of ["boost", "gbdt", "random-forest"]) {
      const onTwo = await run(
        "train",
        "l.csv",
        "--target",
        "y",
        "--algorithm",
        algorithm,
        "--threads",
        "2",
        "--out",
        `${algorithm}.tlm`,
        "--verbose",
      );
      assertEquals(onTwo.code, 0, onTwo.stderr);
      assert(!onTwo.stderr.includes("warning"), onTwo.stderr); // workers are inside
      assertStringIncludes(onTwo.stderr, "2 threads");
    }
    const folds = ["evaluate", "gbdt.tlm", "l.csv", "--folds", "2", "--threads"];
    const [one, two] = [await run(...folds, "1"), await run(...folds, "2")];
    assertEquals([two.code, two.stdout], [0, one.stdout], two.stderr);
    assert(!two.stderr.includes("warning"), two.stderr);
    const predicted = await run("predict", "m.tlm", "d.csv", "--kind", "class");
    assertEquals(predicted.code, 0, predicted.stderr);
    const lines = predicted.stdout.trimEnd().split("\n");
    assertEquals([lines.length, lines[0], lines[1], lines[300]], [301, "prediction", "no", "yes"]);
    assertEquals((await run("predict", "none.tlm", "d.csv")).code, 6);

    const library = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", new URL("../../cli.ts", import.meta.url).pathname]
        .concat(["train", "d.csv", "--target", "y", "--rounds", "20", "--out", "-"]),
      cwd: folder.path,
    }).output();
    assertEquals(
      library.stdout,
      await Deno.readFile(folder.file("m.tlm")),
      "the same bytes everywhere",
    );

    const embedded = build.file("with-model");
    await compile({ ...compiler, out: embedded, models: [folder.file("m.tlm")], quiet: true });
    await Deno.remove(folder.file("m.tlm"));
    await using server = await serving(embedded, ["serve", "--port", "0"], folder.path);
    const answer = await fetch(`${server.url}/v1/models/m/predict`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ x: 3, z: "a" }, { x: 290, z: "b" }]),
    });
    assert(answer.ok);
    const body = await answer.text();
    assertStringIncludes(body, '"no"');
    assertStringIncludes(body, '"yes"');

    // What the first answers do not need lies in files of its own.
    const many = await fetch(`${server.url}/v1/models/m/predict?reasons=1`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(Array(100).fill({ x: 3, z: "a" })),
    });
    assertEquals((await many.json()).reasons.length, 100);
    for (
      const [path, found] of [["/", "<html"], ["/openapi.json", '"3.1'], ["/metrics", "_rows"]]
    ) {
      assertStringIncludes(await (await fetch(`${server.url}${path}`)).text(), found!);
    }
    assertStringIncludes((await run("help", "serve")).stdout, "--port"); // of the server's own file
    for (
      const [given, code, says] of [
        [[], 2, "MODEL is missing"],
        [["--help"], 0, ""],
        [["none.tlm"], 6, "hint: check the path"],
        [["l.csv"], 4, "the model comes first"],
      ] as const
    ) {
      const { code: ended, stderr } = await run("serve", ...given);
      assertEquals(ended, code, stderr);
      assertStringIncludes(stderr, says);
    }
  },
);
