import { assertEquals, assertThrows } from "@std/assert";
import { parseTolerantJson } from "../../../../src/convert/wire/tolerant_json.ts";
import { ConversionError } from "../../../../src/errors.ts";

Deno.test("parseTolerantJson() reads bare NaN and infinities", () => {
  const value = parseTolerantJson(`{"a": [1, NaN, -Infinity, Infinity, -2.5e-3], "b": {"c": []}}`);
  assertEquals(JSON.stringify(value), `{"a":[1,null,null,null,-0.0025],"b":{"c":[]}}`);
  const list = (value as unknown as { a: number[] }).a;
  assertEquals(list, [1, NaN, -Infinity, Infinity, -0.0025]);
});

Deno.test("parseTolerantJson() agrees with JSON.parse where that succeeds, NaN or not", () => {
  const texts = [
    `[]`,
    `{}`,
    `[[],{}]`,
    `{"x":{"y":[1,{"z":"\\u00e9\\n\\""}]}}`,
    `"a"`,
    `12`,
    `null`,
  ];
  for (const text of texts) {
    // A bare NaN beside it forces the slow path.
    const value = parseTolerantJson(`[NaN,${text}]`) as unknown[];
    assertEquals(JSON.stringify(value[1]), JSON.stringify(JSON.parse(text)));
  }
});

Deno.test("parseTolerantJson() says where it stopped", () => {
  for (
    const [text, offset] of [
      [`{"a":NaN,}`, 9],
      [`[1 2]`, 3],
      [`{"a" 1}`, 5],
      [`[NaN`, 4],
      [
        `[NaN]x`,
        5,
      ],
      [`{]`, 1],
      [`[}`, 1],
      [`[,]`, 1],
      [`[NaN,007]`, 6],
      [`[NaN,-00.5]`, 7],
    ] as const
  ) {
    const error = assertThrows(() => parseTolerantJson(text), ConversionError);
    assertEquals([text, error.details.offset], [text, offset]);
  }
});

Deno.test("parseTolerantJson() takes nesting of any depth without recursion", () => {
  const deep = "[".repeat(100_000) + "NaN" + "]".repeat(100_000);
  let value = parseTolerantJson(deep);
  let depth = 0;
  for (; Array.isArray(value); depth++) value = value[0];
  assertEquals(depth, 100_000);
});
