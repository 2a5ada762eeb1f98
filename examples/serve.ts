// deno-lint-ignore-file no-console
// A model behind HTTP: `deno run -A examples/serve.ts`, then POST rows to it. Ctrl-C stops.
import { readCsv, train } from "../mod.ts";
import { createApp } from "../src/server/mod.ts";

const people = await readCsv(new URL("data/adult.csv.gz", import.meta.url), { target: "income" });
const model = await train(people, { rounds: 50 });
const app = createApp({ models: { adult: model }, maxRows: 1000 });
const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, app.fetch);

if (Deno.args.includes("--once")) { // as CI runs it: ask once, then stop
  const card = await fetch(`http://localhost:${server.addr.port}/v1/models/adult`);
  console.log(card.status, (await card.json()).classes);
  await server.shutdown();
}
