/**
 * What a cold start of the server is compared with: a Hono application that parses the body and
 * answers a constant, and carries nothing else.
 *
 * Usage: deno run -A bench/runs/cold_hono.ts PORT
 *
 * @module
 */
import { Hono } from "hono";

const app = new Hono();
app.post("/v1/models/m/predict", async (c) => {
  await c.req.json();
  return c.json({ predictions: [0.5] });
});
Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, app.fetch);
