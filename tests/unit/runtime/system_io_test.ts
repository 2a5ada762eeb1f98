import { assertEquals } from "@std/assert";
import { systemIo } from "../../../src/runtime/system_io.ts";

Deno.test("listen() answers what is running when it is to stop, and ends", async () => {
  const stop = new AbortController();
  const running = Promise.withResolvers<void>();
  const { url, finished } = await systemIo().listen(async (request) => {
    if (new URL(request.url).pathname === "/last") stop.abort();
    else await running.promise;
    running.resolve();
    return new Response("answered");
  }, { port: 0, hostname: "127.0.0.1", signal: stop.signal });
  const textOf = async (path: string) => await (await fetch(url + path)).text();
  assertEquals(await Promise.all([textOf("/first"), textOf("/last")]), ["answered", "answered"]);
  await finished;
});
