// Deno Deploy: the model lies beside this file, so nothing is fetched and a cold start stays short.
// deno.json of the project: { "deploy": { "runtime": { "type": "dynamic", "entrypoint": "./main.ts" } } }
import { loadModel } from "../../src/predict.ts"; // "@treeline/treeline/predict" in a project
import { createApp } from "../../src/server/mod.ts"; // "@treeline/treeline/server"

const app = createApp({
  // Read at the first request; Deploy keeps the instance for the next ones.
  models: { penguins: () => loadModel(new URL("./penguins.tlm", import.meta.url)) },
  maxRows: 1000,
});

// Deploy wants a listener: `export default` alone is for `deno serve`, which server.ts is for.
Deno.serve(app.fetch);
