import { assertEquals } from "@std/assert";
import { listSpace, nodeLists, partList, sortColumn } from "../../../../src/grow/exact/lists.ts";
import { createRng } from "../../../../src/util/rng.ts";

const plain = (bytes: number) => new ArrayBuffer(bytes);

Deno.test("lists keep the rows of each node together in order of value, and let go of the others", () => {
  const rng = createRng(3);
  const numRows = 500;
  const values = Float64Array.from(
    { length: numRows },
    () => rng.nextInt(8) === 0 ? NaN : rng.nextInt(40),
  );
  const column = sortColumn(values);
  const lists = nodeLists([column], plain);
  const space = listSpace(numRows);
  const leafOf = Int32Array.from({ length: numRows }, () => rng.nextInt(9) === 0 ? -1 : 0);
  // Nodes by number; those of a level are consecutive, and one in four is not split.
  let level = [0];
  let next = 1;
  for (let depth = 0; depth < 8; depth++) {
    partList(column, 0, lists, leafOf, level[0], level.length, space);
    level.forEach((node, i) => {
      const found = [...lists.rows[0].subarray(space.starts[i], space.starts[i + 1])];
      const expected = [...column.rows].filter((row) => leafOf[row] === node);
      assertEquals(found, expected, `depth ${depth}, node ${node}`);
      assertEquals(
        [...lists.values[0].subarray(space.starts[i], space.starts[i + 1])],
        expected.map((row) => values[row]),
      );
    });
    const split = level.filter((_, i) => depth === 0 || (i + depth) % 4 !== 0);
    const childOf = new Map(split.map((node) => [node, (next += 2) - 2]));
    level = split.flatMap((node) => [childOf.get(node)!, childOf.get(node)! + 1]);
    for (let row = 0; row < numRows; row++) {
      const child = childOf.get(leafOf[row]);
      if (child !== undefined) leafOf[row] = child + rng.nextInt(2);
    }
  }
});
