/**
 * One server of the serving benchmark: `bare` parses the body and answers a constant, `treeline`
 * scores it, `hello` answers a word; `soak` is `treeline`, and `soak-bare` a Hono application that
 * reads any body as text, which tell their memory after a collection.
 *
 * Usage: deno run -A bench/runs/serve_app.ts bare|treeline|hello|soak|soak-bare PORT [MODEL]
 *
 * @module
 */
import { Hono } from "hono";

const [kind, port, path] = Deno.args;

async function handler(): Promise<(request: Request) => Response | Promise<Response>> {
  if (kind === "treeline" || kind === "soak") {
    const { createApp } = await import("../../src/server/app.ts");
    const { loadModel } = await import("../../src/files/model_file.ts");
    const { fetch } = createApp({ models: { m: () => loadModel(path) } });
    return kind === "soak" ? (request) => memory(request) ?? fetch(request) : fetch;
  }
  const app = new Hono();
  if (kind === "soak-bare") {
    app.all("*", async (c) => {
      await c.req.text();
      return c.json({ predictions: [0.5] });
    });
    return (request) => memory(request) ?? app.fetch(request);
  }
  app.get("/healthz", (c) => c.text("ok"));
  app.post("/v1/models/m/predict", async (c) => {
    await c.req.json();
    return c.json({ predictions: [0.5] });
  });
  return app.fetch;
}

/** Memory, with `?gc` after a collection; that needs `--v8-flags=--expose-gc`. */
function memory(request: Request): Response | undefined {
  const found = /\/memory(\?gc)?$/.exec(request.url);
  if (found === null) return undefined;
  const { gc } = globalThis as { readonly gc?: () => void };
  for (let i = 0; found[1] !== undefined && i < 3; i++) gc?.();
  return Response.json(Deno.memoryUsage());
}

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, await handler());
