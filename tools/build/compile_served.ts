/**
 * `treeline serve` of the single binary as one file that starts soon: what its first answers do not need lies
 * in files of its own (parts.ts), and the functions that run until then are compiled ahead (ahead.ts). All
 * other commands read a file or two; a server reads fifty that commands share.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { pathToFileURL } from "node:url";
import { encodeModel } from "../../src/format/binary.ts";
import { createModel } from "../../src/model/model.ts";
import { randomParts } from "../../tests/support/models/random.ts";
import { callsIn, compileAhead, scriptsIn } from "./ahead.ts";
import { joinEarly, splitEntry } from "./parts.ts";

/** A file small enough to be read without a kernel, and one of each layout that is not; with categories. */
const SAMPLES = [
  { seed: 1, trees: 10, depth: 3 },
  { seed: 2, trees: 4000, depth: 2 },
  { seed: 3, trees: 60, depth: 9, numeric: 8 },
];

/** Models, as `NAME.tlm` in a folder, and a row for each, as a body of JSON. */
export async function writeSamples(folder: string): Promise<{ name: string; body: string }[]> {
  const asked: { name: string; body: string }[] = [];
  for (const [i, sample] of SAMPLES.entries()) {
    const model = createModel(randomParts(sample));
    await Deno.writeFile(`${folder}/${i}.tlm`, encodeModel(model));
    const row = model.schema.features.map((feature) =>
      [feature.name, feature.kind === "numeric" ? 0 : feature.categories[0]] as const
    );
    asked.push({ name: `${i}`, body: JSON.stringify(Object.fromEntries(row)) });
  }
  return asked;
}

/**
 * Bundles an entry that exports `serve`, which runs the command.
 *
 * @param out Where the file is written to; its parts are beside it.
 * @returns The folder of the parts.
 */
export async function bundleServed(entry: string, out: string, root: URL): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const asked = await writeSamples(folder);
    const { href: url } = pathToFileURL(out);
    const args = ["serve", ...asked.map(({ name }) => `${folder}/${name}.tlm`)];
    const callsOf = async (code: string) => {
      await Deno.writeTextFile(out, code);
      return await callsIn(folder, driver(url, JSON.stringify(asked)), url, args);
    };
    const { core } = await joinEarly(await splitEntry(entry, root), out, async ({ core }) => {
      await callsOf(core);
      return await scriptsIn(folder);
    });
    await Deno.writeTextFile(out, await compileAhead(core, callsOf, true));
    return out.replace(/\.js$/, ".parts");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A program that takes the server's handler and asks it; nothing listens. */
function driver(url: string, asked: string): string {
  return `
  const { promise: handler, resolve } = Promise.withResolvers();
  Deno.serve = (_options, handler) => {
    resolve(handler);
    return { addr: { hostname: "localhost", port: 80 }, finished: new Promise(() => {}) };
  };
  const { serve } = await import(${JSON.stringify(url)});
  serve();
  const answer = await handler;
  const headers = { "content-type": "application/json" };
  for (const { name, body } of ${asked}) {
    const address = "http://localhost/v1/models/" + name + "/predict";
    const response = await answer(new Request(address, { method: "POST", headers, body }));
    if (!response.ok) throw new Error(await response.text());
    await response.text();
  }
  Deno.exit(0);`;
}
