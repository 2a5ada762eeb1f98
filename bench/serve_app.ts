/**
 * One server of the serving benchmark: `bare` parses the body and answers a constant, `treeline`
 * scores it, `hello` answers a word.
 *
 * Usage: deno run -A bench/serve_app.ts bare|treeline|hello PORT [MODEL]
 *
 * @module
 */
import { Hono } from "hono";

const [kind, port, path] = Deno.args;

async function handler(): Promise<(request: Request) => Response | Promise<Response>> {
  if (kind === "treeline") {
    const { createApp } = await import("../src/server/app.ts");
    const { loadModel } = await import("../src/files/model_file.ts");
    return createApp({ models: { m: () => loadModel(path) } }).fetch;
  }
  const app = new Hono();
  app.get("/healthz", (c) => c.text("ok"));
  app.post("/v1/models/m/predict", async (c) => {
    await c.req.json();
    return c.json({ predictions: [0.5] });
  });
  return app.fetch;
}

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, await handler());
