/**
 * The command line as real processes: pipes, signals, memory.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { CLI_ARGS, serving } from "../support/processes/process.ts";
import { type TempFolder, tempFolder } from "../support/temp.ts";
import { until } from "../support/until.ts";

const linux = Deno.build.os === "linux";
const encoder = new TextEncoder();

/** Rows `x,z,y`; y depends on x and z. */
function rows(from: number, to: number): string {
  let text = "";
  for (let i = from; i < to; i++) {
    text += `${i % 1000},${"abcd"[i % 4]},${(i * 7) % 1000 > 500 ? 1 : 0}\n`;
  }
  return text;
}

function start(args: readonly string[], folder: TempFolder) {
  return new Deno.Command(Deno.execPath(), {
    args: [...CLI_ARGS, ...args],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs to the end with nothing on stdin. */
async function run(args: readonly string[], folder: TempFolder) {
  const child = start(args, folder);
  await child.stdin.close();
  const { code, stdout, stderr } = await child.output();
  return {
    code,
    stdout: new TextDecoder().decode(stdout),
    stderr: new TextDecoder().decode(stderr),
  };
}

/** A folder with a trained model `m.tlm`. */
async function withModel(): Promise<TempFolder> {
  const folder = await tempFolder();
  await folder.write("d.csv", `x,z,y\n${rows(0, 1000)}`);
  const { code, stderr } = await run(
    ["train", "d.csv", "-t", "y", "--rounds", "10", "-o", "m.tlm"],
    folder,
  );
  assertEquals(code, 0, stderr);
  return folder;
}

Deno.test("predict answers each piece of its input before the next arrives", async () => {
  await using folder = await withModel();
  const child = start(["predict", "m.tlm", "-", "--kind", "value"], folder);
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  const until = async (lines: number) => {
    while (seen.split("\n").length - 1 < lines) seen += (await reader.read()).value ?? "";
  };
  await writer.write(encoder.encode(`x,z,y\n${rows(0, 3)}`));
  await until(4);
  await writer.write(encoder.encode(rows(3, 5)));
  await until(6);
  await writer.close();
  assertEquals((await reader.read()).done, true);
  await child.stderr.cancel();
  assertEquals((await child.status).code, 0);
});

Deno.test("predict needs the same memory for any length of input", { ignore: !linux }, async () => {
  await using folder = await withModel();
  const child = start(["predict", "m.tlm", "-"], folder);
  const writer = child.stdin.getWriter();
  const drained = child.stdout.pipeTo(new WritableStream());
  const feed = async (count: number) => {
    const piece = encoder.encode(rows(0, 10_000));
    for (let i = 0; i < count; i += 10_000) await writer.write(piece);
  };
  const resident = async () => {
    const status = await Deno.readTextFile(`/proc/${child.pid}/status`);
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
  };
  await writer.write(encoder.encode("x,z,y\n"));
  await feed(300_000);
  const before = await resident();
  await feed(1_500_000);
  const after = await resident();
  await writer.close();
  await drained;
  await child.stderr.cancel();
  assertEquals((await child.status).code, 0);
  // 1.5 million rows are 15 MB of input and as many scores: held anywhere, they would show.
  assert(after - before < 60, `resident ${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`);
});

Deno.test("a full disk behind standard output is an error of writing, and no bug", {
  ignore: !linux,
}, async () => {
  const cli = new URL("../../cli.ts", import.meta.url).href;
  const script = `"$0" run -A --no-check "$1" version > /dev/full`;
  const run = await new Deno.Command("sh", {
    args: ["-c", script, Deno.execPath(), cli],
    env: { NO_COLOR: "1" },
    stderr: "piped",
  }).output();
  assertEquals(run.code, 6);
  assertStringIncludes(
    new TextDecoder().decode(run.stderr),
    "error[E_IO_WRITE]: Cannot write to standard output",
  );
});

Deno.test("predict ends quietly when its reader leaves", async () => {
  await using folder = await withModel();
  const child = start(["predict", "m.tlm", "-"], folder);
  const reader = child.stdout.getReader();
  const writer = child.stdin.getWriter();
  await writer.write(encoder.encode("x,z,y\n"));
  await writer.write(encoder.encode(rows(0, 100)));
  await reader.read();
  await reader.cancel();
  const piece = encoder.encode(rows(0, 10_000));
  try {
    for (let i = 0; i < 200; i++) await writer.write(piece);
  } catch {
    // the process has ended, as it should
  }
  await writer.abort().catch(() => {});
  const stderr = await new Response(child.stderr).text();
  assertEquals([(await child.status).code, stderr], [0, ""]);
});

Deno.test("train writes its model though nobody reads what it says", async () => {
  await using folder = await tempFolder();
  await folder.write("d.csv", `x,z,y\n${rows(0, 1000)}`);
  const child = start(["train", "d.csv", "-t", "y", "--rounds", "10", "-o", "m.tlm"], folder);
  await child.stderr.cancel();
  await Promise.all([child.stdin.close(), child.stdout.cancel()]);
  assertEquals((await child.status).code, 0);
  assertEquals((await run(["inspect", "m.tlm"], folder)).code, 0);
});

Deno.test("a killed predict leaves the old file whole", async () => {
  await using folder = await withModel();
  await folder.write("p.csv", "old\n");
  const child = start(["predict", "m.tlm", "-", "--out", "p.csv", "--force"], folder);
  const writer = child.stdin.getWriter();
  await writer.write(encoder.encode(`x,z,y\n${rows(0, 50_000)}`));
  await until(() => folder.names().length === 4);
  child.kill("SIGKILL");
  await writer.abort().catch(() => {});
  await child.stdout.cancel();
  await child.stderr.cancel();
  await child.status;
  assertEquals(await Deno.readTextFile(folder.file("p.csv")), "old\n");
});

for (const command of ["predict", "explain"]) {
  Deno.test(`${command} on Ctrl-C leaves nothing of a file it has begun, and ends with 130`, async () => {
    await using folder = await withModel();
    const before = folder.names();
    const child = start([command, "m.tlm", "-", "--out", "p.csv"], folder);
    const writer = child.stdin.getWriter();
    // The input stays open: the process waits for more of it.
    await writer.write(encoder.encode(`x,z,y\n${rows(0, 2000)}`));
    await until(() => folder.names().length > before.length);
    child.kill("SIGINT");
    const stderr = await new Response(child.stderr).text();
    await child.stdout.cancel();
    assertEquals((await child.status).code, 130, stderr);
    await writer.abort().catch(() => {});
    assertStringIncludes(stderr, "error[E_TRAIN_ABORTED]");
    assertEquals(folder.names(), before);
  });
}

Deno.test("train writes the best model so far on Ctrl-C and ends with 130", async () => {
  await using folder = await tempFolder();
  await folder.write("d.csv", `x,z,y\n${rows(0, 20_000)}`);
  const child = start(
    ["train", "d.csv", "-t", "y", "--rounds", "100000", "-o", "m.tlm", "-v"],
    folder,
  );
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  while (!seen.includes("round 5/")) seen += (await reader.read()).value ?? "";
  child.kill("SIGINT");
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    seen += value;
  }
  await child.stdin.close();
  await child.stdout.cancel();
  assertEquals((await child.status).code, 130, seen);
  assertStringIncludes(seen, "error[E_TRAIN_ABORTED]");
  const told = await run(["inspect", "m.tlm", "--json"], folder);
  assert(JSON.parse(told.stdout).rounds >= 5);
});

Deno.test("a forest writes its first trees on SIGTERM and ends with 130", async () => {
  await using folder = await tempFolder();
  await folder.write("d.csv", `x,z,y\n${rows(0, 20_000)}`);
  const flags = ["-t", "y", "-a", "random-forest", "--trees", "20000", "-o", "m.tlm", "-v"];
  const child = start(["train", "d.csv", ...flags, "--calibrate", "isotonic"], folder);
  const seen = await killWhen(child, "round 5/", "SIGTERM");
  assertEquals((await child.status).code, 130, seen);
  assertStringIncludes(seen, "error[E_TRAIN_ABORTED]");
  assertStringIncludes(seen, "rounds, not calibrated) is in m.tlm");
  const told = await run(["inspect", "m.tlm", "--json"], folder);
  const { rounds } = JSON.parse(told.stdout);
  assert(rounds >= 5 && rounds < 20_000, told.stdout);
});

Deno.test("tune prints the trials that are done on Ctrl-C and ends with 130", async () => {
  await using folder = await tempFolder();
  await folder.write("d.csv", `x,z,y\n${rows(0, 2000)}`);
  const flags = ["-t", "y", "--trials", "10000", "--folds", "2", "--only", "maxDepth", "--json"];
  const child = start(["tune", "d.csv", ...flags, "--rounds", "3", "-v"], folder);
  const printed = new Response(child.stdout).json();
  const seen = await killWhen(child, "trial 3 ", "SIGINT");
  assertEquals((await child.status).code, 130, seen);
  const { trials, best } = await printed;
  assert(trials.length >= 3 && trials.length < 10_000);
  assertEquals(best, trials[0]);
});

/** Sends a signal once stderr says something, and gives all that it says. */
async function killWhen(child: Deno.ChildProcess, text: string, signal: Deno.Signal) {
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  let seen = "";
  for (let sent = false;;) {
    const { done, value } = await reader.read();
    if (done) break;
    seen += value;
    if (sent || !seen.includes(text)) continue;
    sent = true;
    child.kill(signal);
  }
  await child.stdin.close();
  if (!child.stdout.locked) await child.stdout.cancel();
  return seen;
}

Deno.test("train goes on after it was killed, and its model is that of a run without a stop", async () => {
  await using folder = await tempFolder();
  await folder.write("d.csv", `x,z,y\n${rows(0, 20_000)}`);
  const flags = ["-t", "y", "--committee", "3", "--rounds", "90", "--subsample", "0.7"];
  const drawn = [...flags, "--features-per-node", "0.6", "--seed", "5"];
  const whole = await run(["train", "d.csv", ...drawn, "-o", "whole.tlm"], folder);
  assertEquals(whole.code, 0, whole.stderr);

  const kept = ["--checkpoint", "c.tlm", "--checkpoint-every", "5", "--resume"];
  // By itself, so that it never ends before: with a later checkpoint written that is not yet in its place.
  const dying = await folder.write(
    "dying.ts",
    `const { rename } = Deno;
    let replaced = 0;
    Deno.rename = (from, to) => {
      if (String(to).endsWith("c.tlm") && ++replaced === 3) Deno.kill(Deno.pid, "SIGKILL");
      return rename(from, to);
    };`,
  );
  const [command, ...cliArgs] = CLI_ARGS;
  const killed = await new Deno.Command(Deno.execPath(), {
    args: [
      command!,
      "--preload",
      dying,
      ...cliArgs,
      "train",
      "d.csv",
      ...drawn,
      ...kept,
      "-o",
      "m.tlm",
    ],
    cwd: folder.path,
    stdout: "null",
    stderr: "null",
  }).output();
  assertEquals(killed.signal, "SIGKILL");
  assertEquals(folder.names().filter((name) => name.includes("m.tlm")), []);

  // Without --resume nothing is overwritten.
  const refused = await run(
    ["train", "d.csv", ...drawn, "--checkpoint", "c.tlm", "-o", "m.tlm"],
    folder,
  );
  assertStringIncludes(refused.stderr, "error[E_IO_WRITE]");
  const resumed = await run(["train", "d.csv", ...drawn, ...kept, "-o", "m.tlm"], folder);
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes(resumed.stderr, "going on from c.tlm");
  assertEquals(
    await Deno.readFile(folder.file("m.tlm")),
    await Deno.readFile(folder.file("whole.tlm")),
  );
  assert(!folder.names().includes("c.tlm"), "the checkpoint is gone once the model is written");
});

Deno.test("serve listens, scores, and ends with 0 on Ctrl-C", async () => {
  await using folder = await withModel();
  await using server = await serving(
    Deno.execPath(),
    [...CLI_ARGS, "serve", "m.tlm", "--port", "0"],
    folder.path,
  );
  const health = await fetch(`${server.url}/healthz`);
  assertEquals(health.status, 200);
  await health.body?.cancel();
  const scored = await fetch(`${server.url}/v1/models/m/predict`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '[{"x": 1, "z": "a"}]',
  });
  assertEquals(scored.status, 200);
  await scored.body?.cancel();
  const { port } = new URL(server.url);
  const taken = await run(["serve", "m.tlm", "--port", port], folder);
  assertEquals(taken.code, 6);
  assertStringIncludes(taken.stderr, "another program listens there");
  assertEquals(await server.stop(), 0);
});

Deno.test("a process that only scores answers each kind, and the first rounds of any model", async () => {
  await using folder = await withModel();
  const dart = ["--drop-rate", "0.3", "--seed", "1", "--rounds", "10", "-o", "dart.tlm"];
  const trained = await run(["train", "d.csv", "-t", "y", ...dart], folder);
  assertEquals([trained.code, trained.stdout], [0, ""], trained.stderr);
  const threeRounds = ["--rounds", "3"];
  for (
    const given of [
      ...["value", "class", "proba", "raw", "leaf"].map((kind) => ["m.tlm", "-k", kind]),
      ["m.tlm", "-k", "leaf", ...threeRounds],
      ["dart.tlm", "-k", "raw", ...threeRounds],
      ["dart.tlm", "-k", "leaf", ...threeRounds, "--threads", "2"],
    ]
  ) {
    const [model, ...flags] = given;
    const found = await run(["predict", model!, "d.csv", ...flags], folder);
    assertEquals(found.code, 0, `${given}: ${found.stderr}`);
    assertEquals(found.stdout.trimEnd().split("\n").length, 1001, `${given}`);
  }
  const scores = await run(["predict", "m.tlm", "d.csv", "-k", "raw"], folder);
  await folder.write("scores.csv", scores.stdout);
  const same = ["--input", "d.csv", "--expected", "scores.csv", "--kind", "raw"];
  const verified = await run(["verify", "m.tlm", ...same], folder); // looks at the trees' arithmetic
  assertEquals(verified.code, 0, verified.stderr);
  const explained = await run(["explain", "dart.tlm", "d.csv", ...threeRounds], folder);
  assertEquals(explained.code, 0, explained.stderr);
});
