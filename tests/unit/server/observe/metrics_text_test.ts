import { assertEquals } from "@std/assert";
import { valueText } from "../../../../src/server/observe/metrics_text.ts";

Deno.test("valueText() writes numbers as Prometheus reads them", () => {
  // Prometheus parses values with Go's ParseFloat, which knows these words and forms.
  const texts = [0, -0, 12, 0.1, 1e21, 5e-324, NaN, Infinity, -Infinity].map(valueText);
  assertEquals(
    texts,
    ["0", "0", "12", "0.1", "1e+21", "5e-324", "NaN", "Infinity", "-Infinity"],
  );
});
