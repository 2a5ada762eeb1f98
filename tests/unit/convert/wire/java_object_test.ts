import { assert, assertEquals, assertThrows } from "@std/assert";
import { importFiles } from "../../../../src/convert/directory.ts";
import { shapeOfJava, stringsOfJava } from "../../../../src/convert/wire/java_object.ts";
import { ConversionError, TreelineError } from "../../../../src/errors.ts";

const stage = Deno.readFileSync(
  new URL(
    "../../../golden/directories/synapseml_stage/complexParams/lightGBMBooster",
    import.meta.url,
  ),
);
const BOOSTER = "complexParams/lightGBMBooster";

Deno.test("shapeOfJava() reads the numbers of SynapseML's booster", () => {
  const { name, fields } = shapeOfJava(stage);
  assertEquals(name, "com.microsoft.azure.synapse.ml.lightgbm.booster.LightGBMBooster");
  // −1: no early stopping. The others are made on demand and not yet there.
  assertEquals(fields.get("bestIteration"), -1);
  assertEquals(fields.get("startIteration"), 0);
});

Deno.test("importFiles() refuses a booster of SynapseML that scores with a part of its trees", () => {
  // bestIteration is the first number after the class: 78 70, then four bytes.
  const at = stage.findIndex((byte, i) =>
    byte === 0x78 && stage[i + 1] === 0x70 && stage[i + 2] === 0xff
  );
  const stopped = stage.slice();
  stopped.set([0, 0, 0, 3], at + 2);
  assertThrows(
    () => importFiles(new Map([[BOOSTER, stopped]])),
    ConversionError,
    "bestIteration is 3",
  );
});

Deno.test("stringsOfJava() reads short and long strings, and refuses Java's own letters", () => {
  const text = (x: string) => new TextEncoder().encode(x);
  const short = Uint8Array.of(0x74, 0, 6, ...text("tree\nx"));
  const long = Uint8Array.of(0x7c, 0, 0, 0, 0, 0, 0, 0, 7, ...text("tree\nyz"));
  const found = stringsOfJava(Uint8Array.of(1, ...short, 2, ...long, ...text("tree\n")), "tree\n");
  assertEquals(found.map((bytes) => new TextDecoder().decode(bytes)), ["tree\nx", "tree\nyz"]);
  // U+1F332 as Java writes it: two surrogates of three bytes.
  const letters = [0xed, 0xa0, 0xbc, 0xed, 0xbc, 0xb2];
  const strange = Uint8Array.of(0x74, 0, 11, ...text("tree\n"), ...letters);
  assertThrows(() => stringsOfJava(strange, "tree\n"), ConversionError, "basic plane");
});

Deno.test("importFiles() refuses every prefix of a Java object with a typed error", () => {
  let refused = 0;
  for (let length = 0; length < stage.length; length += length < 500 ? 1 : 97) {
    try {
      importFiles(new Map([[BOOSTER, stage.slice(0, length)]]));
    } catch (error) {
      assert(error instanceof TreelineError, String(error));
      refused++;
    }
  }
  assertEquals(refused, 500 + Math.ceil((stage.length - 500) / 97));
});
