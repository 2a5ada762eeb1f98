import { assertEquals } from "@std/assert";
import { circleIn, staticImports } from "../../../tools/check/circles.ts";
import { relative } from "../../../tools/paths.ts";

const root = new URL("../../../", import.meta.url);

const folderOf = (file: string) => file.slice(0, file.lastIndexOf("/"));

/** The folders within a folder, itself among them, with those that each takes something from. */
async function foldersIn(top: string): Promise<Map<string, string[]>> {
  const needs = new Map<string, string[]>();
  for (const file of await relative(root, top, [".ts"])) {
    const folder = folderOf(file);
    const others = staticImports(await Deno.readTextFile(new URL(file, root)))
      .map((one) => folderOf(new URL(one, `file:///${file}`).pathname.slice(1)))
      .filter((other) => other !== folder && `${other}/`.startsWith(`${top}/`));
    needs.set(folder, [...needs.get(folder) ?? [], ...others]);
  }
  return needs;
}

for (
  const top of [
    "src/grow",
    "src/ensemble",
    "src/algorithms",
    "src/parallel",
    "src/data",
    "src/convert",
    "src/server",
    "src/cli",
    "src/kernels",
  ]
) {
  Deno.test(`the folders of ${top} need each other one way`, async () => {
    const needs = await foldersIn(top);
    assertEquals([needs.size > 1, circleIn(needs)], [true, undefined]);
  });
}
