import { assertEquals } from "@std/assert";
import { numbers, post } from "../../support/protocol_apps.ts";

Deno.test("bodies may be gzipped; damaged or unknown encodings are refused", async () => {
  const text = '{"instances":[[1,2]]}';
  const zipped = new Uint8Array(
    await new Response(
      new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const send = (body: BodyInit, encoding: string) =>
    post(numbers, "/v1/models/numbers:predict", body, { "content-encoding": encoding });
  assertEquals((await send(zipped, "gzip")).body, { predictions: [10] });
  assertEquals((await send(zipped.slice(0, 20), "gzip")).status, 422);
  assertEquals((await send(zipped, "br")).status, 415);
  const bomb = new Uint8Array(
    await new Response(
      new Blob([new Uint8Array(20 << 20)]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  assertEquals((await send(bomb, "gzip")).status, 413);
});
