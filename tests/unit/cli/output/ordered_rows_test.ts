import { assertEquals, assertRejects } from "@std/assert";
import { orderedRows, type Written } from "../../../../src/cli/output/ordered_rows.ts";
import { csvWriter } from "../../../../src/cli/output/table_writer.ts";

const batch = (id: string, score: number): Written => ({
  count: 1,
  texts: [[id]],
  cells: new Float64Array([score]),
});

function table() {
  const said: string[] = [];
  const rows = orderedRows(csvWriter(["id"], ["y"], true), (text) => {
    said.push(text);
    return Promise.resolve();
  });
  return { said, rows };
}

Deno.test("orderedRows() writes batches in the order they came, whichever is ready first", async () => {
  const { said, rows } = table();
  const slow = Promise.withResolvers<Written>();
  await rows.add(slow.promise, 2);
  await rows.add(Promise.resolve(batch("b", 2)), 2);
  assertEquals(said, []);
  const third = rows.add(Promise.resolve(batch("c", 3)), 2); // the first has to be written now
  slow.resolve(batch("a", 1));
  await third;
  assertEquals(said, ["id,y\n", "a,1\n"]);
  await rows.end();
  assertEquals(said.join(""), "id,y\na,1\nb,2\nc,3\n");
});

Deno.test("orderedRows() writes nothing where the first batch is refused", async () => {
  const { said, rows } = table();
  const refused = Promise.reject(new Error("refused"));
  const later = Promise.reject(new Error("later")); // nobody awaits it: no unhandled rejection
  await rows.add(refused, 3);
  await rows.add(later, 3);
  await assertRejects(() => rows.end(), Error, "refused");
  assertEquals(said, []);
});

Deno.test("orderedRows() writes head and end of a table without rows", async () => {
  const { said, rows } = table();
  await rows.end();
  assertEquals(said.join(""), "id,y\n");
});

Deno.test("orderedRows() writes a batch once it is ready, though no other one comes", async () => {
  const { said, rows } = table();
  await rows.add(Promise.resolve(batch("a", 1)), 2);
  await rows.settle();
  assertEquals(said, ["id,y\n", "a,1\n"]);
});

Deno.test("orderedRows() takes no more batches than are asked for while the writing waits", async () => {
  const taken = Promise.withResolvers<void>();
  const said: string[] = [];
  const rows = orderedRows(csvWriter(["id"], ["y"], true), async (text) => {
    said.push(text);
    if (text.startsWith("a")) await taken.promise;
  });
  let added = 0;
  const adding = (async () => {
    for (const id of "abcdefgh") {
      added++;
      await rows.add(Promise.resolve(batch(id, 0)), 3);
    }
  })();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([added, said.length], [4, 2]); // a is being written, b, c and d wait
  taken.resolve();
  await adding;
  await rows.end();
  assertEquals(said.join(""), `id,y\n${[..."abcdefgh"].map((id) => `${id},0\n`).join("")}`);
});

Deno.test("orderedRows() writes nothing after a batch that is refused, and tells who adds", async () => {
  const { said, rows } = table();
  await rows.add(Promise.resolve(batch("a", 1)), 3);
  await rows.add(Promise.reject(new Error("refused")), 3);
  await rows.add(Promise.resolve(batch("c", 3)), 3);
  await assertRejects(() => rows.settle(), Error, "refused");
  await assertRejects(() => rows.add(Promise.resolve(batch("d", 4)), 1), Error, "refused");
  await assertRejects(() => rows.end(), Error, "refused");
  assertEquals(said.join(""), "id,y\na,1\n");
});

Deno.test("orderedRows() tells who adds what the writing met", async () => {
  const rows = orderedRows(
    csvWriter(["id"], ["y"], true),
    () => Promise.reject(new Error("disk full")),
  );
  await rows.add(Promise.resolve(batch("a", 1)), 1);
  await assertRejects(() => rows.add(Promise.resolve(batch("b", 2)), 1), Error, "disk full");
});
