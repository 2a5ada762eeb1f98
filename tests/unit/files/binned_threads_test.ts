import { assertEquals, assertRejects } from "@std/assert";
import { boostSample } from "../../../src/algorithms/boost/bin_sample.ts";
import { trainBoost } from "../../../src/algorithms/boost/boost.ts";
import { DataError, SourceError } from "../../../src/errors.ts";
import type { BinAnswer, BinTask } from "../../../src/files/bin_work.ts";
import {
  type BinnedOptions,
  readBinned,
  readBinnedOnThreads,
  readBinnedParts,
} from "../../../src/files/read_binned.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { createRng } from "../../../src/util/rng.ts";
import { createFakeBinner } from "../../support/stand_ins/binner.ts";
import { tempFolder } from "../../support/temp.ts";
import { refuseWorker, withWorkers, workersThatFail } from "../../support/stand_ins/workers.ts";

/** Numbers with many and with few values, holes, a text column, and one whose text comes late. */
function table(rows: number): string {
  const rng = createRng(9);
  const lines = Array.from({ length: rows }, (_, i) => {
    const late = i === rows - 1 ? "x" : i % 5;
    const hole = rng.nextInt(10) === 0 ? "" : (rng.nextFloat() ** 4).toFixed(5);
    const numbers = Array.from({ length: 4 }, () => rng.nextFloat() * 100 - 50);
    const y = numbers[0] > 3 ? "yes" : "no";
    return [...numbers, rng.nextInt(40), hole, `l${rng.nextInt(6)}`, late, 1 + i % 3, y].join(",");
  });
  return `a,b,c,d,few,hole,text,late,w,y\n${lines.join("\n")}\n`;
}

const alone = { threads: 2, open: () => createFakeBinner() };

for (const threads of [2, 3, 8]) {
  Deno.test(`readBinnedOnThreads() gives on ${threads} threads the model bytes of one`, async () => {
    await using folder = await tempFolder();
    const path = await folder.write("a.csv", table(5000));
    const params = { rounds: 5, maxBins: 30, earlyStoppingRounds: 3, seed: 2 };
    for (
      const more of [
        {},
        // Beyond 1,024 distinct values cuts come from sketches then.
        { sketchBytes: 1 },
        // All columns of all threads share the memory: beyond some 2,000 values, of which each alone
        // would have room for 20,000.
        { sketchBytes: 400_000 },
        { weight: "w", sample: boostSample(params), sketchBytes: 1 },
      ]
    ) {
      const said: [string[], string[]] = [[], []];
      const options = (at: 0 | 1): BinnedOptions => ({
        target: "y",
        maxBins: 30,
        ...more,
        onWarning: (message) => void said[at].push(message),
      });
      const one = await readBinned(path, options(0));
      const [other] = (await readBinnedOnThreads(path, options(1), { threads }))!;
      assertEquals(said[1], said[0]);
      assertEquals("sketchBytes" in more, said[0].some((text) => text.includes("sketch")));
      const own = "sample" in more ? params : { rounds: 5, maxBins: 30 };
      const [a, b] = [
        await trainBoost(one, own, { threads: 1 }),
        await trainBoost(other, own, { threads: 1 }),
      ];
      assertEquals(encodeModel(b), encodeModel(a));
    }
  });
}

Deno.test("readBinnedOnThreads() divides rows as one thread does", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", table(300));
  const options = { target: "y", dropMissingTarget: true };
  const split = { fractions: [0.6, 0.4], seed: 1, stratify: true };
  const shown = (parts: Awaited<ReturnType<typeof readBinnedParts>>) =>
    parts.map(({ features, target }) => [
      target,
      features.map((one) => one.kind === "numeric" ? [one.name, one.values] : one),
    ]);
  const parts = await readBinnedOnThreads(path, options, alone, split);
  assertEquals(parts && shown(parts), shown(await readBinnedParts(path, options, split)));
});

Deno.test("readBinnedOnThreads() gives other threads their share of the columns", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", table(50));
  const seen: number[] = [];
  const onAnswer = (answer: BinAnswer) => void seen.push(...answer.seen.map(({ at }) => at));
  const open = () => createFakeBinner({ onAnswer });
  await readBinnedOnThreads(path, { target: "y" }, { threads: 3, open });
  // Of a, b, c, d, few, hole and w this thread has the first of each three.
  assertEquals(seen.sort((a, b) => a - b), [1, 2, 4, 5]);
});

Deno.test("readBinnedOnThreads() throws and says what one thread does", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", `${table(50)}1,2\n`);
  const read = () => readBinnedOnThreads(path, { target: "y" }, alone);
  await assertRejects(read, DataError, "line 52");
  const said: string[] = [];
  const options: BinnedOptions = {
    target: "y",
    badRows: "skip:1",
    onWarning: (message) => void said.push(message),
  };
  assertEquals((await readBinnedOnThreads(path, options, alone))?.[0].numRows, 50);
  assertEquals(said, ["Left out 1 bad row, the first at line 52"]);
});

Deno.test("readBinnedOnThreads() leaves a file to one thread where another fails, and says nothing of it", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", `${table(50)}1,2\n`);
  for (const step of ["see", "weigh", "write"] as const) {
    let failed = 0;
    const onTask = (task: BinTask) => {
      if (task.step !== step || failed++ > 0) return;
      throw new RangeError("no memory");
    };
    const said: string[] = [];
    const options: BinnedOptions = {
      target: "y",
      weight: "w",
      badRows: "skip:1",
      onWarning: (message) => void said.push(message),
    };
    const run = { threads: 3, open: () => createFakeBinner({ onTask }) };
    assertEquals(await readBinnedOnThreads(path, options, run), undefined, step);
    assertEquals([failed, said], [2, []], step);
  }
});

Deno.test("readBinnedOnThreads() leaves a file to one thread where workers do not start", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", table(50));
  for (const open of workersThatFail(createFakeBinner)) {
    assertEquals(await readBinnedOnThreads(path, {}, { threads: 3, open }), undefined);
  }
});

Deno.test("readBinnedOnThreads() leaves packed files and addresses to one thread", async () => {
  await using folder = await tempFolder();
  const packed = new Blob(["a,b\n1,2\n"]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const path = await folder.write("a.csv.gz", bytes);
  assertEquals(await readBinnedOnThreads(path, {}, alone), undefined);
  assertEquals(await readBinnedOnThreads("data:text/csv,a,b\n1,2\n", {}, alone), undefined);
});

Deno.test("readBinnedOnThreads() does not mix a file with another that takes its place", async () => {
  await using folder = await tempFolder();
  const rows = (value: number) => `a,b\n${`${value},${value}\n`.repeat(500)}`;
  for (const step of ["see", "write"]) {
    const path = await folder.write("a.csv", rows(1));
    const onTask = (task: BinTask) => {
      if (task.step !== step) return;
      Deno.writeTextFileSync(`${path}.new`, rows(2));
      Deno.renameSync(`${path}.new`, path);
    };
    const run = { threads: 2, open: () => createFakeBinner({ onTask }) };
    assertEquals(await readBinnedOnThreads(path, {}, run), undefined, step);
  }
});

Deno.test("readBinnedOnThreads() refuses a file that grows between its passes", async () => {
  await using folder = await tempFolder();
  const path = await folder.write("a.csv", "a,b\n1,2\n2,3\n");
  const onTask = (task: BinTask) => {
    if (task.step === "see") Deno.writeTextFileSync(path, "3,4\n", { append: true });
  };
  const run = { threads: 2, open: () => createFakeBinner({ onTask }) };
  await assertRejects(
    () => readBinnedOnThreads(path, {}, run),
    SourceError,
    "it changed between two readings",
  );
});

Deno.test("readBinned() opens the threads that it is given for a large file", async () => {
  await using folder = await tempFolder();
  const long = `2${" ".repeat((1 << 20) - 4)},3\n`;
  const large = await folder.write("a.csv", `a,b\n${long.repeat(129)}`);
  const small = await folder.write("b.csv", "a,b\n2,3\n");
  let opened = 0;
  const worker = class {
    constructor() {
      opened++;
      refuseWorker();
    }
  };
  const read = async (path: string, threads: number) => {
    opened = 0;
    const data = await withWorkers(worker, () => readBinned(path, { threads }));
    return [data.numRows, opened];
  };
  assertEquals(await read(large, 2), [129, 1]);
  assertEquals(await read(large, 1), [129, 0]);
  assertEquals(await read(small, 2), [1, 0]);
});
