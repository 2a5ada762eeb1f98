import { assertEquals } from "@std/assert";
import { mixed, post } from "../../../support/processes/protocol_apps.ts";

const ROW = { age: 20, job: "b", ["__proto__"]: 1 };
const BODIES: { readonly [path: string]: unknown } = {
  "/v1/models/small/predict": ROW,
  "/v1/models/small/explain": ROW,
  "/v1/models/small:predict": { instances: [ROW] },
  "/invocations": { dataframe_records: [ROW] },
};

for (const [path, body] of Object.entries(BODIES)) {
  Deno.test(`${path} takes UTF-8 and refuses another charset`, async () => {
    for (
      const [charset, status] of [
        ["; charset=utf-8", 200],
        ['; Charset="UTF-8"', 200],
        ["; charset=us-ascii", 200],
        ["; profile=x", 200],
        ["; charset=latin1", 415],
        ["; charset=utf-16", 415],
      ]
    ) {
      const answer = await post(mixed, path, body, {
        "content-type": `application/json${charset}`,
      });
      assertEquals([charset, answer.status], [charset, status], answer.text);
      if (status === 415) assertEquals(answer.body.code, "E_HTTP_TYPE");
    }
  });
}
