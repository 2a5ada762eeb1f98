import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import {
  type JsonLinesOptions,
  parseJsonLines,
  parseJsonLinesStream,
} from "../../../../src/data/records/json_lines.ts";
import { DataError } from "../../../../src/errors.ts";
import { streamOf } from "../../../support/stand_ins/pieces.ts";

const failure = (text: string, options: JsonLinesOptions = {}) =>
  assertThrows(() => parseJsonLines(text, options), DataError);

Deno.test("parseJsonLines() reads objects by key, whatever their order", () => {
  const data = parseJsonLines(
    `\ufeff{"x": 1, "c": "a", "y": 2}\r\n\r\n{"y": 3.5, "c": null, "x": "4"}\n{"y": 1, "new": true}`,
    { target: "y" },
  );
  assertEquals(data.features, [
    { kind: "numeric", name: "x", values: new Float64Array([1, 4, NaN]) },
    { kind: "categorical", name: "c", codes: new Int32Array([0, -1, -1]), categories: ["a"] },
    { kind: "categorical", name: "new", codes: new Int32Array([-1, -1, 0]), categories: ["true"] },
  ]);
  assertEquals(data.target, {
    kind: "regression",
    name: "y",
    values: new Float64Array([2, 3.5, 1]),
  });
});

Deno.test("parseJsonLines() names the line of what it cannot read", () => {
  assertEquals(failure(`{"x": 1}\n{"x": }\n`).details.line, 2);
  assertEquals(failure(`{"x": 1}\n\n[1]\n`).details.line, 3);
  const nested = failure(`{"x": 1}\n{"x": {"y": 1}}\n`);
  assertEquals([nested.code, nested.details.line, nested.details.column], ["E_DATA_TYPE", 2, "x"]);
  assertEquals(failure(`{"x": ${"[".repeat(100_000)}`).code, "E_DATA_PARSE");
  assertEquals(failure("\n\n").code, "E_DATA_EMPTY");
  const twice = failure(`{"x": 1}\n{"x": 1, "x": 2}\n`);
  assertEquals([twice.code, twice.details.line], ["E_DATA_PARSE", 2]);
  assertEquals(failure(`{"y": 1}\n{"x": 1, "y": null}`, { target: "y" }).details.rows, [2]);
  assertEquals(failure(`{"x": 1}\n{"x": 2}\n`, { limits: { rows: 1 } }).code, "E_DATA_LIMIT");
  assertEquals(
    failure(`{"x": "${"y".repeat(2000)}"}`, { limits: { recordBytes: 1000 } }).code,
    "E_DATA_LIMIT",
  );
});

Deno.test("parseJsonLines() refuses what is almost JSON, behind lines of the same kind", () => {
  const plain = '{"x": 1, "c": "a", "b": true}';
  const almost = [
    '{"x" 1}',
    '{"x"; 1}',
    '{"x": 01}',
    '{"x": -01.5}',
    '{"x": 1.}',
    '{"x": .5}',
    '{"x": +1}',
    '{"x": 1e}',
    '{"c": "a\tb"}',
    '{"c": "a}',
    '{"b": tru}',
    '{"b": falsy}',
    '{"c": nul}',
    '{"x": 1; "c": "a"}',
    '{"x": 1, "c": "a"',
    '{"x": 1,}',
    '{"x": 1}}',
  ];
  for (const line of almost) {
    assertThrows(() => JSON.parse(line));
    const error = failure(`${plain}\n${plain}\n${line}\n`);
    assertEquals([error.code, error.details.line], ["E_DATA_PARSE", 3], line);
  }
});

Deno.test("parseJsonLines() leaves bad lines out when told to, without a trace", () => {
  const said: string[] = [];
  const data = parseJsonLines(`{"x": 1}\n{"x": 2, "z": [1]}\nnope\n{"x": 3}\n`, {
    badRows: "skip:2",
    onWarning: (message) => said.push(message),
  });
  assertEquals(data.features, [{ kind: "numeric", name: "x", values: new Float64Array([1, 3]) }]);
  assertStringIncludes(said[0], "Left out 2 bad rows, the first at line 2");
});

Deno.test("parseJsonLinesStream() gives the same dataset for pieces of any size", async () => {
  const text = `{"x": 1, "é": "ü😀"}\r\n{"x": 2.5, "é": null}\r{"x": -3, "é": "b"}`;
  const bytes = new TextEncoder().encode(text);
  const whole = parseJsonLines(text);
  assertEquals(whole.numRows, 3);
  for (let size = 1; size <= bytes.length; size++) {
    assertEquals(await parseJsonLinesStream(streamOf(bytes, size)), whole);
  }
});
