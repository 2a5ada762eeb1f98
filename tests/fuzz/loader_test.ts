import { assert, assertThrows } from "@std/assert";
import { ModelError } from "../../src/errors.ts";
import { decodeModel } from "../../src/format/binary.ts";
import { exercise, fuzzLoader } from "./loader.ts";

Deno.test("decodeModel() refuses or reads whatever 20,000 mutations make of a file", () => {
  const report = fuzzLoader({ seed: 1, count: 20_000 });
  // The fuzzer must reach models that are damaged and yet well-formed, or it tests only the checksum.
  assert(report.accepted > 100, `only ${report.accepted} were accepted`);
});

const CORPUS = new URL("corpus/", import.meta.url);

for (const entry of Deno.readDirSync(CORPUS)) {
  if (!entry.name.endsWith(".bin")) continue;
  Deno.test(`decodeModel() refuses or reads corpus/${entry.name}`, () => {
    const bytes = Deno.readFileSync(new URL(entry.name, CORPUS));
    try {
      exercise(decodeModel(bytes));
    } catch (error) {
      assertThrows(() => {
        throw error;
      }, ModelError);
    }
  });
}
