// deno-lint-ignore-file no-console
/**
 * The `./predict` bundle in a real browser: loads a model over HTTP and gives the golden scores.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { encodeModel } from "../../src/format/binary.ts";
import { createModel, type Model } from "../../src/model/model.ts";
import { bundle } from "../../tools/build/bundle.ts";
import { findChromium, launchBrowser } from "../support/processes/browser.ts";
import { randomParts, randomRows } from "../support/models/random.ts";
import { smallModel, smallRaw } from "../support/models/small.ts";

const chromium = findChromium();
const ignore = chromium === undefined;
if (ignore) console.log("skipped: the browser test: there is no chromium (or CHROMIUM_BIN)");

/** Raw scores of rows (JSON text, so that `__proto__` survives), loaded and scored in a page. */
async function scoreInBrowser(model: Model, rows: string): Promise<number[]> {
  const script = await bundle("src/predict.ts");
  const files: { readonly [path: string]: readonly [string, Uint8Array<ArrayBuffer>] } = {
    "/": ["text/html", new TextEncoder().encode("<!doctype html><title>Treeline</title>")],
    "/predict.js": ["text/javascript", script],
    "/m.tlm": ["application/octet-stream", encodeModel(model)],
  };
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const found = files[new URL(request.url).pathname];
    if (found === undefined) return new Response(null, { status: 404 });
    return new Response(found[1], { headers: { "content-type": found[0] } });
  });
  const browser = await launchBrowser(chromium!);
  try {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.addr.port}/`);
    const module = "/predict.js"; // resolved by the browser, not here
    return await page.evaluate(async ([module, rows]) => {
      const { loadModel } = await import(module as string);
      const model = await loadModel("/m.tlm");
      return [...model.predictRaw(JSON.parse(rows)).data] as number[];
    }, [module, rows] as const);
  } finally {
    await browser.close();
  }
}

Deno.test(
  "CASES N4: the predict bundle gives hand-computed scores in a browser",
  { ignore },
  async () => {
    const cases = [[30, "b", 1], [null, "a", 0], [31, null, null], [-5, "zzz", 1]] as const;
    const rows = cases.map(([age, job, proto]) =>
      `{"age": ${age}, "job": ${JSON.stringify(job)}, "__proto__": ${proto}}`
    );
    const expected = cases.map(([age, job, proto]) => smallRaw(age, job, proto));
    assertEquals(await scoreInBrowser(smallModel(), `[${rows}]`), expected);
  },
);

Deno.test("the predict bundle scores as in Deno to the last bit", { ignore }, async () => {
  const model = createModel(randomParts({ seed: 11, categorical: 2, outputs: 3, trees: 40 }));
  const rows = JSON.stringify(randomRows(model.schema, 300, 12));
  const expected = [...model.predictRaw(JSON.parse(rows)).data];
  assertEquals(await scoreInBrowser(model, rows), expected);
});
