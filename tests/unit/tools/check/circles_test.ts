import { assertEquals } from "@std/assert";
import { circleIn, staticImports } from "../../../../tools/check/circles.ts";

Deno.test("staticImports() finds statements on any number of lines, types too, and nothing that is loaded later", () => {
  const source = [
    'import { a } from "./a.ts";',
    "import {",
    "  b,",
    "  type B,",
    '} from "../b.ts";',
    'import type { C } from "./c.ts";',
    'import "./d.ts";',
    'export * from "./e.ts";',
    'export type { F } from "./f.ts";',
    'import { z } from "zod";',
    '/** import { x } from "./x.ts"; */',
    'const later = () => import("./later.ts");',
    'new Worker(new URL("./worker.ts", import.meta.url));',
  ].join("\n");
  assertEquals(staticImports(source), [
    "./a.ts",
    "../b.ts",
    "./c.ts",
    "./d.ts",
    "./e.ts",
    "./f.ts",
  ]);
});

Deno.test("circleIn() names a circle, and none where ways meet again without one", () => {
  assertEquals(
    circleIn(new Map([["a", ["b", "c"]], ["b", ["d"]], ["c", ["d"]], ["d", []]])),
    undefined,
  );
  const circle = new Map([["a", ["b"]], ["b", ["c"]], ["c", ["d", "b"]], ["d", []]]);
  assertEquals(circleIn(circle), ["b", "c", "b"]);
  assertEquals(circleIn(new Map([["a", ["a"]]])), ["a", "a"]);
});
