import { assert, assertEquals, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { shrinkModel } from "../../../src/format/shrink.ts";
import { createModel } from "../../../src/model/model.ts";
import { randomParts, randomRows } from "../../support/models.ts";

Deno.test("shrinkModel() reaches each size, and no row changes by more than the bound it proves", () => {
  const specs = [
    { seed: 1, trees: 20, depth: 6 },
    { seed: 2, trees: 16, depth: 6, categorical: 2, f32: false, weights: true },
    { seed: 3, trees: 10, depth: 5, outputs: 3, leafWidth: 3, aggregate: "average" },
  ] as const;
  for (const spec of specs) {
    const model = createModel(randomParts(spec));
    const rows = randomRows(model.schema, 300, 4);
    const full = encodeModel(model, { explain: false }).length;
    let last = 0;
    for (const share of [1, 0.8, 0.6]) {
      const maxBytes = Math.ceil(share * full);
      const shrunk = shrinkModel(model, { maxBytes, rows });
      assert(shrunk.bytes <= maxBytes, `${shrunk.bytes} > ${maxBytes}`);
      const options = { explain: false, attachments: false };
      assertEquals(encodeModel(shrunk.model, options).length, shrunk.bytes);
      const { largest, mean } = shrunk.measured!;
      assert(mean <= largest && largest <= shrunk.bound, `${largest} > ${shrunk.bound}`);
      assert(shrunk.bound >= last, "smaller files are no more exact");
      last = shrunk.bound;
      if (share === 1) assertEquals([largest, shrunk.bound, shrunk.pruned], [0, 0, 0]);
    }
  }
});

Deno.test("shrinkModel() says when a size cannot be reached", () => {
  const model = createModel(randomParts({ seed: 1, trees: 5 }));
  assertThrows(() => shrinkModel(model, { maxBytes: 300 }), ModelError, "smallest");
});
