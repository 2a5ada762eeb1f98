/**
 * The server's entries as processes: `deno serve`, `deno run`, threads, and the Deploy example.
 *
 * @module
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { saveModel } from "../../../src/files/model_file.ts";
import { freePort } from "../../support/processes/free_port.ts";
import { serving } from "../../support/processes/process.ts";
import { numbersModel } from "../../support/models/small.ts";
import { tempFolder } from "../../support/temp.ts";
import { until } from "../../support/until.ts";

const root = new URL("../../../", import.meta.url).pathname;
const deno = Deno.execPath();

async function predict(url: string, a: number): Promise<number> {
  const response = await fetch(`${url.replace("0.0.0.0", "127.0.0.1")}/v1/models/m/predict`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ a, b: 1 }),
  });
  return (await response.json()).predictions[0];
}

Deno.test("deno run server.ts listens, follows its models and ends in order", async () => {
  await using folder = await tempFolder();
  const path = folder.file("m.tlm");
  await saveModel(numbersModel(1), path);
  await using server = await serving(deno, ["run", "-A", "--no-check", `${root}server.ts`], root, {
    TREELINE_MODELS: folder.path,
    TREELINE_RELOAD_SECONDS: "0.1",
    PORT: "0",
    HOST: "", // as if it were not set
  });
  assertEquals(await predict(server.url, 1), 1);
  await saveModel(numbersModel(2), path, { force: true });
  await until(async () => await predict(server.url, 1) === 2);
  assertEquals(await server.stop(), 0);
});

Deno.test("deno serve server.ts listens once, where it is told", async () => {
  await using folder = await tempFolder();
  await saveModel(numbersModel(), folder.file("m.tlm"));
  const port = freePort();
  const args = ["serve", "-A", "--no-check", "--host=127.0.0.1", `--port=${port}`, "server.ts"];
  await using server = await serving(deno, args, root, {
    TREELINE_MODELS: folder.path,
    PORT: String(port), // a second listener would fail on it
  });
  assertEquals(await predict(`http://127.0.0.1:${port}`, 9), 20);
  assertEquals(await server.stop(), 0);
});

Deno.test({
  name: "threads share one port and one copy of the models",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    const path = folder.file("m.tlm");
    await saveModel(numbersModel(1), path);
    const args = ["run", "-A", "--no-check", `${root}server.ts`];
    await using server = await serving(deno, args, root, {
      TREELINE_MODELS: folder.path,
      TREELINE_WORKERS: "2",
      TREELINE_RELOAD_SECONDS: "0.1",
      PORT: "0",
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => predict(server.url, 1)));
    assertEquals(answers, new Array(20).fill(1));
    // Those of both threads, whichever answers; one that is busy is not waited for long.
    let metrics = "";
    await until(async () => {
      metrics = await (await fetch(`${server.url}/metrics`)).text();
      return /requests_total\{route="[^"]*predict",status="200"\} 20\n/.test(metrics);
    }, () => metrics);
    await saveModel(numbersModel(2), path, { force: true });
    await until(async () => await predict(server.url, 1) === 2);
    assertEquals(await server.stop(), 0);
  },
});

Deno.test({
  name: "a server whose log has no room goes on answering",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    await saveModel(numbersModel(1), folder.file("m.tlm"));
    const port = freePort();
    const server = new Deno.Command("sh", {
      args: ["-c", 'exec "$0" run -A --no-check server.ts > /dev/full', deno],
      cwd: root,
      env: { TREELINE_MODELS: folder.path, PORT: String(port), HOST: "127.0.0.1" },
      stderr: "null",
    }).spawn();
    const url = `http://127.0.0.1:${port}`;
    await until(() => predict(url, 1).then((value) => value === 1, () => false));
    await new Promise((resolve) => setTimeout(resolve, 100)); // lines are written 20 ms later
    assertEquals(await predict(url, 1), 1);
    server.kill("SIGTERM");
    assertEquals((await server.status).code, 0);
  },
});

for (
  const [name, command] of [
    ["server.ts", 'run -A --no-check server.ts "$1"'],
    ["treeline serve", 'run -A --no-check cli.ts serve "$1" --port "$PORT"'],
  ]
) {
  Deno.test({
    name: `${name} outlives more connections than there may be files`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      await using folder = await tempFolder();
      await saveModel(numbersModel(1), folder.file("m.tlm"));
      const port = freePort();
      const server = new Deno.Command("sh", {
        args: ["-c", `ulimit -n 64; exec "$0" ${command}`, deno, folder.file("m.tlm")],
        cwd: root,
        env: { PORT: String(port), HOST: "127.0.0.1" },
        stdout: "null",
        stderr: "null",
      }).spawn();
      const url = `http://127.0.0.1:${port}`;
      const answered = () => until(() => predict(url, 1).then((value) => value === 1, () => false));
      await answered();
      const connections: Deno.TcpConn[] = [];
      for (let i = 0; i < 100; i++) {
        const one = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
        if (one === undefined) break;
        connections.push(one);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
      for (const one of connections) one.close();
      await answered();
      server.kill("SIGTERM");
      assertEquals((await server.status).code, 0);
    },
  });
}

Deno.test("a process without models says what is wrong and ends", async () => {
  const { code, stdout } = await new Deno.Command(deno, {
    args: ["run", "-A", "--no-check", "server.ts", "/nowhere/m.tlm"],
    cwd: root,
    env: { NO_COLOR: "1" },
  }).output();
  assertEquals(code, 6);
  assertStringIncludes(new TextDecoder().decode(stdout), "E_IO_NOT_FOUND");
});

Deno.test("the Deploy example serves its bundled model", async () => {
  const port = freePort();
  const args = ["run", "-A", "--no-check", `${root}examples/deploy/main.ts`];
  await using server = await serving(deno, args, root, {
    DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
  });
  const response = await fetch(`${server.url}/v1/models/penguins/predict`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      island: "Biscoe",
      bill_length_mm: 46.1,
      bill_depth_mm: 13.2,
      flipper_length_mm: 211,
      body_mass_g: 4500,
      sex: "FEMALE",
    }),
  });
  assertEquals((await response.json()).predictions[0].class, "Gentoo");
});

Deno.test({
  name: "threads outlive a version that cannot be loaded, and take it when it can",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    await Deno.mkdir(folder.file("m"));
    for (const label of [1, 2]) await saveModel(numbersModel(label), folder.file(`m/${label}.tlm`));
    // One that is damaged from the start keeps no other from being served.
    await Deno.writeTextFile(folder.file("n.tlm"), "damaged");
    const args = ["run", "-A", "--no-check", `${root}server.ts`];
    await using server = await serving(deno, args, root, {
      TREELINE_MODELS: folder.path,
      TREELINE_WORKERS: "2",
      TREELINE_RELOAD_SECONDS: "0.05",
      PORT: "0",
    });
    assertEquals(await predict(server.url, 1), 2);
    const statusOfN = async () => {
      const response = await fetch(`${server.url.replace("0.0.0.0", "127.0.0.1")}/v1/models/n`);
      await response.body?.cancel();
      return response.status;
    };
    assertEquals(await statusOfN(), 500);
    await Deno.writeTextFile(folder.file("m/1.tlm"), "damaged");
    await until(() => server.said().includes('"replaced m: '), server.said);
    assertEquals(await predict(server.url, 1), 2);
    await saveModel(numbersModel(1), folder.file("m/1.tlm"), { force: true });
    await saveModel(numbersModel(5), folder.file("n.tlm"), { force: true });
    await saveModel(numbersModel(3), folder.file("m/3.tlm"));
    await until(async () => await predict(server.url, 1) === 3);
    await until(async () => await statusOfN() === 200);
    assertEquals(await server.stop(), 0);
  },
});

Deno.test({
  name: "threads take a model that could not be read before, though nothing else has changed",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    await saveModel(numbersModel(1), folder.file("m.tlm"));
    const file = await Deno.readFile(folder.file("m.tlm"));
    let isAway = true;
    await using web = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => isAway ? new Response(null, { status: 503 }) : new Response(file),
    );
    const args = ["run", "-A", "--no-check", `${root}server.ts`];
    await using server = await serving(deno, args, root, {
      TREELINE_MODELS: `${folder.file("m.tlm")},n=http://127.0.0.1:${web.addr.port}/n.tlm`,
      TREELINE_WORKERS: "2",
      TREELINE_RELOAD_SECONDS: "0.05",
      PORT: "0",
      HOST: "127.0.0.1",
    });
    const statusOfN = async () => {
      const response = await fetch(`${server.url}/v1/models/n`);
      await response.body?.cancel();
      return response.status;
    };
    assertEquals([await predict(server.url, 1), await statusOfN()], [1, 500]);
    isAway = false;
    await until(async () => await statusOfN() === 200); // after the five seconds of a failure
  },
});
