import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { scanJson } from "../../../src/server/body/json_scan.ts";
import { repeatedName } from "../../../src/util/repeated_name.ts";

const DEEP = 1000;

/** What `JSON.parse` and a walk over the text say: the specification of `scanJson`. */
function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return repeatedName(text) === undefined;
  } catch {
    return false;
  }
}

const PIECES = [
  ...'{}[],:"\\ \t\n\r-+.eE019nulltrefsaNIy\0\u001f\u00a0\ufeffé\ud800/bu',
  '"a"',
  '"b"',
  '"\\u0061"',
  '"\\u00',
  "null",
  "true",
  "false",
  "1.5e-3",
  "-0",
  "01",
  '{"a":',
  "[1,",
];

Deno.test("scanJson() accepts what JSON.parse accepts where no name comes twice, and no more", () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join("")),
    // JSON with one piece put in or taken out somewhere.
    fc.tuple(fc.json(), fc.constantFrom(...PIECES, ""), fc.nat(), fc.nat(3)).map(
      ([json, piece, at, cut]) => {
        const from = at % (json.length + 1);
        return json.slice(0, from) + piece + json.slice(from + cut);
      },
    ),
    fc.json(),
  );
  fc.assert(
    fc.property(text, (text) => {
      const { fault, words } = scanJson(text, DEEP);
      assertEquals(
        fault === undefined && words.length === 0,
        isPlainJson(text),
        JSON.stringify(text),
      );
    }),
    { numRuns: 20_000, seed: 8 },
  );
});

Deno.test("scanJson() says where a text ceases to be the beginning of JSON", () => {
  // The place is right when what is before it can be completed and one more character cannot.
  const places = {
    "": 0,
    "  ": 2,
    '{"age":': 7,
    '{"a":1,}': 7,
    "[1,]": 3,
    "[1 2]": 3,
    '{"a" 1}': 5,
    "{a:1}": 1,
    "[1]]": 3,
    "[1}": 2,
    "-": 1,
    "-x": 1,
    "01": 1,
    "1.": 2,
    "1.e1": 2,
    "1e+": 3,
    '"a\tb"': 2,
    '"\\x"': 2,
    '"\\u12g4"': 2,
    '"abc': 4,
    "nul": 0,
    "[nulll]": 5,
    "1 1": 2,
  };
  for (const [text, offset] of Object.entries(places)) {
    assertEquals(scanJson(text, DEEP).fault, { kind: "syntax", offset }, JSON.stringify(text));
  }
});

Deno.test("scanJson() takes Python's words as values only, and says where they are", () => {
  for (const [text, at] of [["NaN", 0], ["[Infinity]", 1], ['{"a":-Infinity}', 5]] as const) {
    assertEquals(scanJson(text, DEEP), { fault: undefined, words: [at] }, text);
  }
  for (const text of ["{NaN:1}", "-NaN", "1Infinity", "NaN1", "[Infinit]"]) {
    assertEquals(scanJson(text, DEEP).fault?.kind, "syntax", text);
  }
  assertEquals(scanJson('["NaN","-Infinity"]', DEEP), { fault: undefined, words: [] });
});

Deno.test("scanJson() counts what is open at once, and names by their object", () => {
  assertEquals(scanJson("[[],[[]]]", 3).fault, undefined);
  assertEquals(scanJson("[[],[[]]]", 2).fault, { kind: "depth", offset: 5 });
  assertEquals(scanJson('"[[[["', 1).fault, undefined);
  assertEquals(scanJson('[{"a":1},{"a":{"a":2},"b":3}]', DEEP).fault, undefined);
  assertEquals(scanJson('{"a":{"b":1,"a":2},"\\u0061":1}', DEEP).fault, {
    kind: "repeated",
    offset: 19,
    name: "a",
  });
});

Deno.test("scanJson() counts different names, each once at its depth", () => {
  const same = '[{"a":1,"b":1},{"b":1,"a":{"c":1,"d":1}}]';
  assertEquals(scanJson(same, DEEP, { maxNames: 2 }).fault, undefined);
  assertEquals(scanJson(same, DEEP, { maxNames: 1 }).fault, { kind: "names", offset: 8 });
  assertEquals(scanJson('[{"a":1},{"a":1,"a":1}]', DEEP, { maxNames: 1 }).fault?.kind, "repeated");
});

Deno.test("scanJson() counts the elements of lists that are rows by their place, and of no others", () => {
  const list = "[1,{},3]";
  for (
    const [head, name] of [
      [""],
      ['{"rows":', "rows"],
      ['{"x":[1,2],"instances":', "instances"],
      ['{"params":{"a":[1]},"columns":{"x":[1,2],"y":', "columns"],
      ['{"inputs":{"x":', "inputs"],
      ['{"dataframe_split":{"index":[],"data":', "dataframe_split"],
    ] as const
  ) {
    const tail = "}".repeat(head.split("{").length - head.split("}").length);
    const text = `${head}${list}${tail}`;
    assertEquals([text, scanJson(text, DEEP, { maxRows: 3 }).fault], [text, undefined]);
    const offset = head.length + list.lastIndexOf(",");
    const fault = { kind: "rows" as const, offset, ...(name === undefined ? {} : { name }) };
    assertEquals(scanJson(text, DEEP, { maxRows: 2 }).fault, fault, text);
  }
  for (
    const text of [
      `[{"zip":${list}},{"zip":[${list},[${list}]]}]`,
      `{"meta":{"x":${list}}}`,
      `{"columns":{"x":[1]},"meta":{"x":${list},"a":1,"b":2,"c":3}}`,
      `{"inputs":[{"data":${list}},{"data":[${list},${list},${list}]}]}`,
      '{"a":1,"b":{"c":1,"d":2,"e":3,"f":4},"g":5}',
      '[{"a":1,"b":2,"c":3,"d":4},{"a":1}]',
    ]
  ) assertEquals([text, scanJson(text, DEEP, { maxRows: 2 }).fault], [text, undefined]);
});

Deno.test("scanJson() counts lists and objects wherever they are", () => {
  const text = '[{"a":[1,[]]},{}]';
  assertEquals(scanJson(text, DEEP, { maxParts: 5 }).fault, undefined);
  assertEquals(scanJson(text, DEEP, { maxParts: 4 }).fault, { kind: "parts", offset: 14 });
});
