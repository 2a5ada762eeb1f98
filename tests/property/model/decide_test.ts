import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { decideAbove } from "../../../src/model/decide.ts";
import { createModel } from "../../../src/model/model.ts";
import { randomParts, randomRows } from "../../support/models/random.ts";

Deno.test("decideAbove() answers as the full sum does, at thresholds that are scores themselves", () => {
  let walked = 0;
  let total = 0;
  let once = 0;
  fc.assert(fc.property(
    fc.record({
      seed: fc.nat(),
      trees: fc.nat(30),
      categorical: fc.nat(1),
      f32: fc.boolean(),
      weights: fc.boolean(),
      shared: fc.boolean(),
      profile: fc.record({ sum: fc.constantFrom("f32" as const, "f64" as const) }),
    }),
    (spec) => {
      const parts = randomParts(spec);
      // Few distinct leaves, which a model keeps once each.
      const leaf = parts.ensemble.trees.leaf.map((value) => spec.shared ? Math.sign(value) : value);
      const trees = { ...parts.ensemble.trees, leaf };
      const model = createModel({ ...parts, ensemble: { ...parts.ensemble, trees } });
      const { storage } = model;
      if (storage.layout === "packed" && storage.packed.leafIndex !== undefined) once++;
      const rows = randomRows(model.schema, 20, spec.seed);
      const raw = model.predictRaw(rows).data;
      // The hardest thresholds: the scores, and the numbers next to them.
      for (const threshold of [raw[0], raw[7], raw[3] + 1e-15, -5, 2.5]) {
        const decisions = decideAbove(model, rows, threshold);
        assertEquals([...decisions.above], Array.from(raw, (value) => +(value > threshold)));
        walked += decisions.treesWalked;
        total += decisions.treesTotal;
      }
    },
  ));
  assert(once > 20, `${once} models share leaves`);
  assert(walked < 0.95 * total, `${walked} of ${total} trees were walked`);
});
