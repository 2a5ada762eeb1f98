/**
 * A server as it is deployed (examples/deploy/main.ts), to measure its cold start: the model is read
 * at the first request.
 *
 * Usage: deno run -A bench/runs/cold_serve.ts PORT MODEL
 *
 * @module
 */
import { loadModel } from "../../src/predict.ts";
import { createApp } from "../../src/server/app.ts";

const [port, path] = Deno.args;
const app = createApp({ models: { m: () => loadModel(path) } });
Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, app.fetch);
