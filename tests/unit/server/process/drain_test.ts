import { assert, assertEquals } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { endServing } from "../../../../src/server/process/drain.ts";
import { numbersModel } from "../../../support/models/small.ts";

Deno.test("what is waited for and what follows are within the grace together", async () => {
  const app = createApp({ models: { m: numbersModel() } });
  const steps: string[] = [];
  let waited = 0;
  const drain = (millis: number) => {
    steps.push("drain");
    waited = millis;
    return Promise.resolve();
  };
  await endServing({ ...app, drain } as typeof app, undefined, 4500, () => steps.push("close"));
  // 300 ms are left for the last answers.
  assert(waited <= 4200 && waited > 4000, `${waited}`);
  assertEquals(steps, ["drain", "close"]);
});
