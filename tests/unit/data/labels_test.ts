import { assertEquals } from "@std/assert";
import {
  compareCodePoints,
  isNumberText,
  labelOrder,
  sortVocabulary,
} from "../../../src/data/labels.ts";

Deno.test("compareCodePoints() orders astral characters after the basic plane", () => {
  const sorted = ["\u{1f600}", "\uff5e", "b", "a", "ab", ""].sort(compareCodePoints);
  assertEquals(sorted, ["", "a", "ab", "b", "\uff5e", "\u{1f600}"]);
});

Deno.test("labelOrder() sorts by number only where all are numbers", () => {
  assertEquals(labelOrder(["10", "-2", "1e1", "9"]), [1, 3, 0, 2]);
  assertEquals(labelOrder(["10", "9", ""]), [2, 0, 1]);
});

Deno.test("isNumberText() takes decimals and nothing else", () => {
  for (const text of ["1", "-1.5", "+.5", "5.", "1e-7"]) assertEquals(isNumberText(text), true);
  for (const text of ["", "0x10", "1_0", "Infinity", " 1", "."]) {
    assertEquals(isNumberText(text), false);
  }
});

Deno.test("sortVocabulary() rewrites codes and leaves missing alone", () => {
  const codes = new Int32Array([0, -1, 1, 2]);
  assertEquals(sortVocabulary(["c", "a", "b"], codes), ["a", "b", "c"]);
  assertEquals([...codes], [2, -1, 0, 1]);
});
