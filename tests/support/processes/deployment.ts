// deno-lint-ignore-file camelcase -- names of columns
/**
 * Requests to the worked deployment (examples/deploy), and what it should answer.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { ServerApp } from "../../../src/server/mod.ts";

/** Where it predicts. */
export const PREDICT = "/v1/models/penguins/predict";
const bird = { island: "Biscoe", bill_length_mm: 39.1, bill_depth_mm: 18.7, sex: "FEMALE" };
const json = (body: unknown) => ({ type: "application/json", body: JSON.stringify(body) });

/** One request of each part that is loaded at first use. */
export const ASKED: readonly (readonly [string, { type: string; body: string }?])[] = [
  [PREDICT, json(bird)],
  [PREDICT, json(bird)], // the second takes the short way
  [PREDICT, json(Array(200).fill({ ...bird, island: "Nowhere" }))],
  [`${PREDICT}?reasons=2`, json([bird, { sex: null }])],
  [PREDICT, { type: "text/csv", body: "island,bill_length_mm\nDream,50\n" }],
  [PREDICT, { type: "text/csv", body: "island\nDream,50\n" }], // an error of a part is one of the file's
  [PREDICT, { type: "application/x-ndjson", body: '{"sex":"MALE"}\n' }],
  [PREDICT, json({ bill_length_mm: "long" })],
  ["/v1/models/penguins/explain", json(bird)],
  ["/v1/models/penguins:predict", json({ instances: [bird] })],
  ["/v2/models/penguins"],
  ["/invocations", json({ dataframe_records: [bird] })],
  ["/v1/models/penguins"],
  ["/nowhere"],
];

async function answerOf(ask: () => Promise<Response>): Promise<unknown[]> {
  const response = await ask();
  // Numbers of requests differ between processes.
  const text = (await response.text()).replace(/"(requestId|instance)":"[^"]*"/g, "");
  return [response.status, response.headers.get("content-type"), text];
}

/** Asks a server and the application all of {@linkcode ASKED}. */
export async function answersAs(app: ServerApp, url: string): Promise<void> {
  for (const [path, sent] of ASKED) {
    const init = sent === undefined ? {} : {
      method: "POST",
      headers: { "content-type": sent.type },
      body: sent.body,
    };
    assertEquals(
      await answerOf(() => fetch(url + path, init)),
      await answerOf(async () => await app.request(path, init)),
      path,
    );
  }
  for (const path of ["/", "/openapi.json", "/metrics"]) {
    const response = await fetch(url + path);
    await response.body?.cancel();
    assertEquals(response.status, 200, path);
  }
}
