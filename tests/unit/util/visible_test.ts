import { assertEquals } from "@std/assert";
import { isVisible, visible, visibleLines } from "../../../src/util/visible.ts";

Deno.test("visible() escapes what moves cursors, breaks lines, turns letters or is no text", () => {
  const cases = [
    ["\x1b[2J", "\\u001b[2J"],
    ["a\r\nb\tc", "a\\u000d\\u000ab\\u0009c"],
    ["\x9b", "\\u009b"],
    ["\u202eabc\u2066", "\\u202eabc\\u2066"],
    ["\u2028\u2029\ufeff", "\\u2028\\u2029\\ufeff"],
    ["\ud800x\udc00", "\\ud800x\\udc00"],
    ["\u{e0041}", "\\udb40\\udc41"], // a letter of a tag
  ];
  for (const [text, shown] of cases) {
    assertEquals([visible(text), isVisible(text)], [shown, false]);
  }
  // Letters of all scripts, and joiners that these need.
  for (const text of ["é 中 שלום", "می\u200cخواهم", "👩\u200d🔬", '"\\', ""]) {
    assertEquals([visible(text), isVisible(text)], [text, true]);
  }
});

Deno.test("visibleLines() leaves lines as they are", () => {
  assertEquals(visibleLines("a\x1b[2J\nb\r\n"), "a\\u001b[2J\nb\\u000d\n");
});
