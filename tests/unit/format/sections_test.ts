import { assert, assertEquals, assertThrows } from "@std/assert";
import { ModelError } from "../../../src/errors.ts";
import { decodeModel, encodeModel } from "../../../src/format/binary.ts";
import { readSections } from "../../../src/format/sections.ts";
import { sealSections, writeSections } from "../../../src/format/write_sections.ts";
import { createModel } from "../../../src/model/model.ts";
import { annotatedExample, exampleFile } from "../../support/models/format_example.ts";
import { randomParts } from "../../support/models/random.ts";

const docs = new URL("../../../docs/", import.meta.url);

Deno.test("docs/format.md shows the file that encodeModel() writes, and docs/example.tlm is it", () => {
  assert(Deno.readTextFileSync(new URL("format.md", docs)).includes(annotatedExample()));
  const file = Deno.readFileSync(new URL("example.tlm", docs));
  assertEquals(exampleFile(), file);
  const model = decodeModel(file);
  const rows = [{ x: 0.5, c: "b" }, { x: 1, c: "a" }, { x: 8, c: "b" }, { c: null, x: null }];
  assertEquals([...model.predictRaw(rows).data], [1, 2, 4, 2]);
});

Deno.test("decodeModel() skips unknown optional sections and refuses unknown required ones", () => {
  const bytes = encodeModel(createModel(randomParts({ seed: 1 })));
  const sections = readSections(bytes, true, {});
  const extra = (required: boolean) =>
    writeSections([...sections, { id: "NEW1", required, bytes: Uint8Array.of(1, 2, 3) }]);
  assertEquals(decodeModel(extra(false)).ensemble, decodeModel(bytes).ensemble);
  const error = assertThrows(() => decodeModel(extra(true)), ModelError, "NEW1");
  assertEquals(error.code, "E_MODEL_VERSION");
});

Deno.test("readSections() compares counts with the bytes that are there before it allocates", () => {
  const bytes = encodeModel(createModel(randomParts({ seed: 1 })));
  const tree = readSections(bytes, true, {}).find(({ id }) => id === "TREE")!;
  for (let word = 0; word < 16; word++) {
    for (const value of [0x7fffffff, 0xffffffff, 0x10000000]) {
      const damaged = bytes.slice();
      new DataView(damaged.buffer).setUint32(tree.offset! + 4 * word, value, true);
      sealSections(damaged);
      const before = Deno.memoryUsage().external;
      const error = assertThrows(() => decodeModel(damaged), ModelError);
      assert(typeof error.details.offset === "number");
      assert(Deno.memoryUsage().external - before < 1 << 20);
    }
  }
});

Deno.test("CASES M6: decodeModel() refuses a file of 5 GB and a newer major version with a clear message", () => {
  const bytes = encodeModel(createModel(randomParts({ seed: 1 })));
  const large = bytes.slice();
  new DataView(large.buffer).setBigUint64(16, 5_000_000_000n, true);
  assertEquals(assertThrows(() => decodeModel(large), ModelError).code, "E_MODEL_LIMIT");
  assertEquals(
    assertThrows(() => decodeModel(bytes, { limits: { maxBytes: 100 } }), ModelError).code,
    "E_MODEL_LIMIT",
  );
  const newer = bytes.slice();
  newer[8] = 2;
  assertEquals(assertThrows(() => decodeModel(newer), ModelError).code, "E_MODEL_VERSION");
});
