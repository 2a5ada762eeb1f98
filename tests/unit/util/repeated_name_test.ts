import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { repeatedName } from "../../../src/util/repeated_name.ts";

Deno.test("repeatedName() finds a name that comes twice in one object, and where", () => {
  const cases: [string, string | undefined, number?][] = [
    ['{"a":1,"a":2}', "a", 7],
    ['{"a":1,"b":{"a":2}}', undefined],
    ['[{"a":1},{"a":2}]', undefined],
    ['{"a":{"b":1},"c":[{"b":1,"b":2}]}', "b", 25],
    ['{"a":"a","b":"a"}', undefined], // values are no names
    ['{"a":"\\"a\\":1","b":1}', undefined],
    ['{"a\\\\":1,"a":2}', undefined], // a backslash in the first name
    ['{"\\u0061":1,"a" : 2}', "a", 12], // another spelling of the same name
    ['{"__proto__":1,"__proto__":2}', "__proto__", 15],
    ["3", undefined],
    ['"a"', undefined],
  ];
  for (const [text, name, offset] of cases) {
    JSON.parse(text);
    assertEquals([text, repeatedName(text)], [
      text,
      name === undefined ? undefined : { name, offset: offset! },
    ]);
  }
});

Deno.test("repeatedName() finds none in what JSON.stringify writes, one where a member is doubled", () => {
  fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), (value) => {
    const text = JSON.stringify(value, undefined, 1);
    assertEquals(repeatedName(text), undefined);
    const name = Object.keys(value)[0];
    const doubled = `{${JSON.stringify(name)}:0,${text.slice(1)}`;
    assertEquals(repeatedName(doubled)?.name, name);
  }));
});
