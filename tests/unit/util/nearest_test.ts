import { assertEquals } from "@std/assert";
import { editDistance, nearest } from "../../../src/util/nearest.ts";

Deno.test("editDistance() counts a swap of neighbours as one edit", () => {
  assertEquals(editDistance("kitten", "sitting"), 3);
  assertEquals(editDistance("loss", "lsos"), 1);
  assertEquals(editDistance("", "abc"), 3);
});

Deno.test("nearest() ignores case, dashes and underscores", () => {
  assertEquals(nearest("Max-Depht", ["maxBins", "maxDepth"]), "maxDepth");
});

Deno.test("nearest() says nothing when nothing is near", () => {
  assertEquals(nearest("zzzzzz", ["alpha", "gamma"]), undefined);
});

Deno.test("nearest() takes a word that begins so before one of few edits", () => {
  assertEquals(nearest("acc", ["mcc", "accuracy", "accuracyAt"]), "accuracy");
  assertEquals(nearest("outfile", ["force", "out", "ou"]), "out");
  assertEquals(nearest("ac", ["mcc", "accuracy"]), undefined);
});

Deno.test("nearest() allows one edit below five letters, two from there, a third from nine on", () => {
  assertEquals(nearest("lsos", ["loss"]), "loss");
  assertEquals(nearest("lxys", ["loss"]), undefined);
  assertEquals(nearest("depxx", ["depth"]), "depth");
  assertEquals(nearest("binary", ["regression", "classification"]), undefined);
  assertEquals(nearest("sigmoid", ["isotonic", "platt"]), undefined);
  assertEquals(nearest("learxxxgrate", ["learningrate"]), "learningrate");
  assertEquals(nearest("-y", ["--cp", "--x"]), undefined);
});
