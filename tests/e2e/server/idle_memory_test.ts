/**
 * What callers leave behind: connections that stay open after a large body.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { saveModel } from "../../../src/files/model_file.ts";
import { CLI_ARGS, serving } from "../../support/processes/process.ts";
import { numbersModel } from "../../support/models/small.ts";
import { tempFolder } from "../../support/temp.ts";

const CALLERS = 40;
const linux = Deno.build.os === "linux";

/** Resident megabytes of a process. */
async function resident(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

// Read at once, the bodies would stay in memory twice over, 400 MB of them.
Deno.test(
  "idle connections do not hold the large bodies that they brought",
  { ignore: !linux },
  async () => {
    await using folder = await tempFolder();
    const path = folder.file("m.tlm");
    await saveModel(numbersModel(), path);
    const args = [...CLI_ARGS, "serve", path, "--port", "0"];
    await using server = await serving(Deno.execPath(), args, folder.path);
    const { hostname, port } = new URL(server.url);
    const body = `{"a":1,"b":2${" ".repeat(5_000_000)}}`;
    const request = new TextEncoder().encode(
      "POST /v1/models/m/predict HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n" +
        `content-length: ${body.length}\r\n\r\n${body}`,
    );
    const callers: Deno.Conn[] = [];
    const call = async () => {
      const connection = await Deno.connect({ hostname, port: Number(port) });
      callers.push(connection);
      for (let at = 0; at < request.length;) at += await connection.write(request.subarray(at));
      const answer = new Uint8Array(512);
      const count = await connection.read(answer);
      return new TextDecoder().decode(answer.subarray(0, count!)).slice(0, 15);
    };
    assertEquals(await call(), "HTTP/1.1 200 OK");
    const before = await resident(server.pid);
    for (let i = 1; i < CALLERS; i++) assertEquals(await call(), "HTTP/1.1 200 OK");
    const grown = await resident(server.pid) - before;
    for (const connection of callers) connection.close();
    assert(grown < 150, `${Math.round(grown)} MB more with ${CALLERS} idle connections`);
  },
);
