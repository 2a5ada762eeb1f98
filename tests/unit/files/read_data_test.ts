import { assertEquals, assertRejects } from "@std/assert";
import {
  formatOf,
  readData,
  readFeatureMap,
  readNumberList,
} from "../../../src/files/read_data.ts";
import { readBinned } from "../../../src/files/read_binned.ts";
import { DataError, ParameterError } from "../../../src/errors.ts";

const url = (text: string) => `data:text/plain,${encodeURIComponent(text)}`;

Deno.test("CASES L2: formatOf() goes by the extension alone", () => {
  const expected = {
    "a.csv": "csv",
    "a.jsonl.gz": "jsonl",
    "b.NDJSON": "jsonl",
    "c.libsvm": "libsvm",
    "c.svm.gz": "libsvm",
    "-": "csv",
    "https://x.org/d.jsonl?v=1": "jsonl",
    "rank.train": "csv",
  };
  for (const [name, format] of Object.entries(expected)) assertEquals(formatOf(name), format);
});

Deno.test("readData() reads each format by name or by option", async () => {
  const lines = new TextEncoder().encode(`{"x": 1, "y": 2}\n`);
  assertEquals((await readData(lines, { format: "jsonl", target: "y" })).target?.name, "y");
  assertEquals((await readData(url("x,y\n1,2\n"))).features.length, 2);
  const sparse = url("1 0:2\n0 1:1\n");
  assertEquals((await readData(sparse, { format: "libsvm", absent: "zero" })).sparse, "zero");
  await assertRejects(() => readData(sparse, { format: "libsvm" }), ParameterError);
  await assertRejects(() => readData(lines, { format: "libsvm", absent: "zero" }), DataError);
});

Deno.test("roles that columns of LIBSVM do not have are refused, not passed over", async () => {
  const sparse = url("1 0:2 1:7\n0 1:1\n");
  const options = { format: "libsvm", absent: "zero" } as const;
  const roles = [{ drop: ["f1"] }, { weight: "f1" }, { group: "f1" }, { offset: 1 }, {
    types: { f1: "categorical" },
  }] as const;
  for (const role of roles) {
    const error = await assertRejects(
      () => readData(sparse, { ...options, ...role }),
      ParameterError,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", Object.keys(role)[0]]);
    await assertRejects(() => readBinned(sparse, { ...options, ...role }), ParameterError);
  }
  assertEquals((await readData(sparse, { ...options, types: { f1: "numeric" } })).numRows, 2);
});

Deno.test("readFeatureMap() and readNumberList() read their files", async () => {
  assertEquals(await readFeatureMap(url("1 a i\n")), new Map([[1, "a"]]));
  assertEquals(await readNumberList(url("1\n2.5\n")), new Float64Array([1, 2.5]));
  // A name in Latin-1 would become one that no data have.
  const latin1 = Uint8Array.from("1 gr\xf6\xdfe q\n", (c) => c.charCodeAt(0));
  const error = await assertRejects(() => readFeatureMap(latin1), DataError);
  assertEquals([error.code, error.details], ["E_DATA_PARSE", { offset: 4 }]);
  assertEquals(await readFeatureMap(url("1 \ufffd q\n")), new Map([[1, "\ufffd"]]));
});
