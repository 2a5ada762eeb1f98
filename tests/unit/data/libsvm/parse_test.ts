import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  type LibsvmOptions,
  parseFeatureMap,
  parseLibsvm,
  parseLibsvmStream,
  parseNumberList,
} from "../../../../src/data/libsvm/parse.ts";
import { schemaFromDataset } from "../../../../src/data/dataset/schema.ts";
import { withGroupSizes, withWeight } from "../../../../src/data/dataset/dataset.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";
import { hasShared, sharedPath } from "../../../support/shared.ts";
import { streamOf } from "../../../support/stand_ins/pieces.ts";

const zero: LibsvmOptions = { absent: "zero" };

Deno.test("parseLibsvm() wants to be told what absent entries mean, and keeps the answer", () => {
  const text = "1 1:2\n0 0:3\n";
  assertThrows(() => parseLibsvm(text, {}), ParameterError, "zero");
  const missing = parseLibsvm(text, { absent: "missing" });
  assertEquals(missing.features[0], {
    kind: "numeric",
    name: "f0",
    values: new Float64Array([NaN, 3]),
  });
  const schema = schemaFromDataset(missing);
  assertEquals(schema.sparse, "missing");
  assertEquals(parseLibsvm(text, { schema }).features, missing.features);
  assertThrows(() => parseLibsvm(text, { schema, absent: "zero" }), ParameterError, "learnt");
});

Deno.test("parseLibsvm() reads labels, weights, queries, comments and every line ending", () => {
  const data = parseLibsvm(
    "# head\n2:0.5 qid:7 0:1 # a\r\n0:2 qid:7\r\n\r\n1 qid:9 1:nan 0:-inf",
    zero,
  );
  assertEquals(data.target, {
    kind: "regression",
    name: "label",
    values: new Float64Array([2, 0, 1]),
  });
  assertEquals(data.sampleWeight, new Float64Array([0.5, 2, 1]));
  assertEquals([...data.group ?? []], [0, 0, 1]);
  assertEquals(data.features.map((c) => c.kind === "numeric" && [...c.values]), [
    [1, 0, -Infinity],
    [0, 0, NaN],
  ]);
});

Deno.test("parseLibsvm() takes -1 and 1, or 0 and 1, for classes", () => {
  const target = parseLibsvm("-1 0:1\n+1 0:2\n", zero).target;
  assertEquals(target?.kind === "classification" && target.classes, ["-1", "1"]);
});

Deno.test("parseLibsvm() names columns by a feature map and fills up a model's columns", () => {
  const featureMap = parseFeatureMap("0\tcap=bell\ti\n2 size of it q\n");
  const data = parseLibsvm("1 1:5\n0 0:1\n", { ...zero, featureMap });
  assertEquals(data.features.map((column) => column.name), ["cap=bell", "f1", "size of it"]);
  const schema = schemaFromDataset(data);
  const other = parseLibsvm("1 0:7\n", { schema, featureMap: new Map([[0, "cap=bell"]]) });
  assertEquals(other.features.map((column) => column.name), ["cap=bell", "f1", "size of it"]);
  assertThrows(() => parseFeatureMap("0 a i\nx b i\n"), DataError, "line 2");
  assertThrows(() => parseFeatureMap("0 a i\n0 b i\n"), DataError, "line 2");
});

Deno.test("parseLibsvm() names the line of what it cannot read", () => {
  const failure = (text: string, options = zero) =>
    assertThrows(() => parseLibsvm(text, options), DataError);
  for (
    const bad of ["x 0:1", "1 0:a", "1 0", "1 -1:2", "1 1.5:2", "1 0:1 0:2", "1 :2", "1 qid:x"]
  ) {
    const error = failure(`1 0:1\n${bad}\n`);
    assertEquals([error.code, error.details.line], ["E_DATA_PARSE", 2], bad);
  }
  assertEquals(failure("").code, "E_DATA_EMPTY");
  assertEquals(failure("1 99999999:1\n").code, "E_DATA_LIMIT");
  assertEquals(failure("1 0:1\n2 0:2\n", { ...zero, limits: { rows: 1 } }).code, "E_DATA_LIMIT");
  assertEquals(failure("nan 0:1\n").details.line, 1);
});

Deno.test("parseLibsvm() leaves bad lines out when told to", () => {
  const said: string[] = [];
  const onWarning = (message: string) => said.push(message);
  const data = parseLibsvm("1 0:1\nx\n2 0:2\n", { ...zero, badRows: "skip:1", onWarning });
  assertEquals(data.numRows, 2);
  assertStringIncludes(said[0], "line 2");
});

Deno.test("parseLibsvm() gives rows without a weight the weight 1, before and after rows that have one", () => {
  for (const count of [5, 5000]) {
    const plain = "1 1:2\n".repeat(count);
    const text = `${plain}0:0.25 1:3\n${plain}0:4 1:3\n`;
    const { sampleWeight } = parseLibsvm(text, { absent: "zero" });
    const ones = new Array(count).fill(1);
    assertEquals([...sampleWeight!], [...ones, 0.25, ...ones, 4]);
  }
});

Deno.test("parseNumberList() reads weights and queries, withWeight() and withGroupSizes() add them", () => {
  const data = parseLibsvm("0 0:1\n1 0:2\n2 0:3\n", { ...zero, task: "regression" });
  assertEquals(withWeight(data, parseNumberList("1\n0.5\n2\n")).sampleWeight?.[1], 0.5);
  assertEquals([...withGroupSizes(data, parseNumberList("1\r\n2")).group ?? []], [0, 1, 1]);
  assertThrows(() => parseNumberList("1\nx\n"), DataError, "line 2");
  assertThrows(() => withGroupSizes(data, [1, 1]), DataError);
  assertThrows(() => withWeight(data, new Float64Array(2)), DataError);
});

Deno.test({
  name: "parseLibsvm() reads agaricus and lambdarank as their manifest says",
  ignore: !hasShared("datasets/agaricus_train.libsvm"),
  async fn() {
    const read = (name: string) => Deno.readFile(sharedPath(`datasets/${name}`));
    const agaricus = parseLibsvm(await read("agaricus_train.libsvm"), { absent: "missing" });
    assertEquals([agaricus.numRows, agaricus.features.length], [6513, 127]);
    assertEquals(agaricus.target?.kind, "classification");
    const rank = parseLibsvm(await read("lambdarank_train"), {
      absent: "zero",
      task: "regression",
    });
    const sizes = parseNumberList(new TextDecoder().decode(await read("lambdarank_train.query")));
    const grouped = withGroupSizes(rank, sizes);
    assertEquals([rank.numRows, rank.features.length], [3005, 301]);
    assertEquals(new Set(grouped.group).size, 201);
  },
});

Deno.test("parseLibsvm() puts each entry in its row and column, few or many of them", () => {
  // Value of an entry that is there; rows are more than one block in any layout.
  const value = (row: number, column: number) => (row * 31 + column * 7) % 1000 / 8;
  for (const [numRows, numColumns, step] of [[9000, 5, 2], [3000, 40, 3], [1200, 300, 97]]) {
    for (const absent of ["zero", "missing"] as const) {
      const has = (row: number, column: number) => (row + column) % step === 0;
      const lines = Array.from(
        { length: numRows },
        (_, row) =>
          `${row % 2}` +
          Array.from({ length: numColumns }, (_, column) =>
            has(row, column) ? ` ${column}:${value(row, column)}` : "").join(""),
      );
      const { features } = parseLibsvm(lines.join("\n"), { absent, numFeatures: numColumns });
      assertEquals(features.length, numColumns);
      let wrong = 0;
      features.forEach((feature, column) => {
        if (feature.kind !== "numeric") throw new TypeError("not numbers");
        for (let row = 0; row < numRows; row++) {
          const other = absent === "zero" ? 0 : NaN;
          const expected = has(row, column) ? value(row, column) : other;
          if (!Object.is(feature.values[row], expected)) wrong++;
        }
      });
      assertEquals(wrong, 0);
    }
  }
});

Deno.test("parseLibsvm() keeps the sign of zeros, indicators, full and late columns apart", () => {
  // Many rows, so that whole blocks hold one value; a comment sends a row the other way.
  const numRows = 40_000;
  const kinds: { readonly [name: string]: (row: number, column: number) => string | undefined } = {
    ones: (row, column) => (row + column) % 3 === 0 ? "1" : undefined,
    zeros: (row, column) => (row * 7 + column) % 2 === 0 ? (row % 2 ? "-0" : "0") : undefined,
    full: (row, column) => String((row * 3 + column) % 7 - 3),
    late: (row, column) => column === 0 || row > 30_000 ? "2.5" : undefined,
    mixed: (row, column) => row % 20_000 < 10_000 ? (column === 1 ? "1" : undefined) : `${row}e-3`,
  };
  for (const [name, cell] of Object.entries(kinds)) {
    const lines = Array.from(
      { length: numRows },
      (_, row) =>
        "1" + [0, 1, 2].map((at) => cell(row, at) === undefined ? "" : ` ${at}:${cell(row, at)}`)
          .join("") +
        (row % 9973 === 5 ? " # odd" : ""),
    );
    const { features } = parseLibsvm(lines.join("\n"), {
      absent: "missing",
      targetName: "y",
      allowSingleClass: true,
      numFeatures: 3,
    });
    features.forEach((feature, column) => {
      if (feature.kind !== "numeric") throw new TypeError("not numbers");
      const wrong = Array.from(feature.values).findIndex((value, row) =>
        !Object.is(value, Number(cell(row, column) ?? NaN))
      );
      assertEquals(wrong, -1, `${name}, column ${column}`);
    });
  }
});

Deno.test("parseLibsvmStream() gives the same dataset for pieces of any size", async () => {
  const text = "1:0.5 qid:7 0:2.5 3:-1e3 # é\r\n0 qid:7 1:4\n-1 qid:8\n";
  const bytes = new TextEncoder().encode(text);
  const whole = parseLibsvm(text, zero);
  assertEquals([whole.numRows, whole.features.length], [3, 4]);
  for (let size = 1; size <= bytes.length; size++) {
    assertEquals(await parseLibsvmStream(streamOf(bytes, size), zero), whole);
  }
});
