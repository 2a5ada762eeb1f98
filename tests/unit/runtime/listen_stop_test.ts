import { assert, assertEquals, assertRejects } from "@std/assert";
import { SourceError } from "../../../src/errors.ts";
import { checkFree, listenHttp, placeText } from "../../../src/runtime/listen.ts";
import { freePort } from "../../support/processes/free_port.ts";

for (const graceMillis of [0, 50]) {
  Deno.test({
    name: `stop(${graceMillis}) ends without an error while a caller is still sending`,
    // The connection that is left ends with the process.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const came = Promise.withResolvers<void>();
      const listener = await listenHttp(async (request) => {
        came.resolve();
        await request.text().catch(() => {});
        return new Response("late");
      }, { port: 0, hostname: "127.0.0.1" });
      using socket = await Deno.connect({ hostname: "127.0.0.1", port: listener.port });
      const head = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{";
      await socket.write(new TextEncoder().encode(head));
      await came.promise;
      const started = performance.now();
      await listener.stop(graceMillis);
      await listener.finished; // though a caller is still there
      assert(performance.now() - started >= graceMillis - 5);
      await new Promise((resolve) => setTimeout(resolve, 10)); // an uncaught error would fail the test
      const closed = await Deno.connect({ hostname: "127.0.0.1", port: listener.port })
        .then((again) => (again.close(), false), () => true);
      assertEquals(closed, true);
    },
  });
}

for (const graceMillis of [0, 1000]) {
  Deno.test(`stop(${graceMillis}) while a server waits to listen again ends it for good`, async () => {
    let opened = 0;
    // Deno ends a server for which the system has no file left; its shutdown() then has nothing to do.
    const broken = Promise.reject(new Error("Too many open files"));
    broken.catch(() => {});
    const { serve } = Deno;
    const deno = Deno as { serve: unknown };
    deno.serve = ({ onListen }: { onListen: (address: object) => void }) => {
      onListen({ hostname: "127.0.0.1", port: 8000 });
      const finished = opened++ === 0 ? broken : Promise.resolve();
      return { finished, shutdown: () => Promise.resolve() };
    };
    try {
      const listener = await listenHttp(() => new Response(), { port: 0, hostname: "127.0.0.1" });
      await listener.stop(graceMillis);
      await listener.finished;
      assertEquals(opened, 1);
    } finally {
      deno.serve = serve;
    }
  });
}

Deno.test("listenHttp() says that a port is not free", async () => {
  using taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = taken.addr;
  const error = await assertRejects(
    () => listenHttp(() => new Response(), { port, hostname: "127.0.0.1" }),
    SourceError,
  );
  const message = `Cannot listen on 127.0.0.1:${port}: another program listens there`;
  assertEquals([error.code, error.message], ["E_IO_READ", message]);
});

Deno.test("a port that was found free still is", () => {
  const place = { port: freePort(), hostname: "127.0.0.1" };
  checkFree(place);
  Deno.listen(place).close();
});

Deno.test("an address of IPv6 stands in brackets before its port, once", () => {
  const places = ["::", "::1", "[::1]", "127.0.0.1", "localhost"].map((host) =>
    placeText(host, 80)
  );
  assertEquals(places, ["[::]:80", "[::1]:80", "[::1]:80", "127.0.0.1:80", "localhost:80"]);
  for (const place of places) assertEquals(URL.canParse(`http://${place}`), true);
});
