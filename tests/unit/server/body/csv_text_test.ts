import { assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { smallModel, smallRaw } from "../../../support/models/small.ts";

const app = createApp({ models: { small: smallModel() }, maxRows: 10_000 });

/** What a CSV body is answered, given the bytes of one cell. */
async function answer(cell: readonly number[], header = "age,job,__proto__", query = "") {
  const text = (one: string) => [...new TextEncoder().encode(one)];
  const body = Uint8Array.from([...text(`${header}\n20,`), ...cell, ...text(",1\n30,a,1\n")]);
  const response = await app.request(`/v1/models/small/predict?kind=raw${query}`, {
    method: "POST",
    headers: { "content-type": "text/csv" },
    body,
  });
  return { status: response.status, body: await response.json() };
}

Deno.test("a CSV body in another encoding, or with a NUL, is refused instead of scored as new values", async () => {
  const latin1 = await answer([0xe9]);
  assertEquals([latin1.status, latin1.body.code], [422, "E_DATA_PARSE"]);
  assertEquals(latin1.body.detail, 'Cannot read column "job" at row 1: it is not UTF-8 text');
  const nul = await answer([0x61, 0]);
  assertEquals(nul.body.detail, 'Cannot read column "job" at row 1: it holds a NUL byte');
  // What stands in a column that nobody asks for does not matter, nor does U+FFFD itself.
  const unused = await answer([0xe9], "age,zip,__proto__");
  assertEquals([unused.status, unused.body.ignored], [200, ["zip"]]);
  const mark = await answer([0xef, 0xbf, 0xbd]);
  assertEquals([mark.status, mark.body.unknown], [200, ["job"]]);
  // Only the beginning of a body may carry a byte order mark.
  const bom = await answer([0xef, 0xbb, 0xbf, 0x61]);
  assertEquals([bom.status, bom.body.unknown], [200, ["job"]]);
  const partial = await answer([0xe9], undefined, "&onError=partial");
  assertEquals(partial.status, 200);
  assertEquals(partial.body.predictions[1], smallRaw(30, "a", 1));
});

Deno.test("a CSV body of decimal commas has no points in its numbers", async () => {
  const send = async (lines: readonly string[]) => {
    const response = await app.request("/v1/models/small/predict?kind=raw", {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: `age;job;__proto__\n${lines.join("\n")}\n`,
    });
    return { status: response.status, body: await response.json() };
  };
  const { body } = await send(["20,5;a;1,5"]);
  assertEquals(body.predictions, [smallRaw(20.5, "a", 1.5)]);
  // Decimal commas are looked for in the first 64 kB.
  const many = Array.from({ length: 9000 }, () => "20,5;a;1,5");
  const late = await send([...many, "1.234;a;1,5"]);
  assertEquals([late.status, late.body.code], [422, "E_DATA_PARSE"]);
  assertEquals(/row 9001: "1\.234 \(the decimal.*is not a number/.test(late.body.detail), true);
});
