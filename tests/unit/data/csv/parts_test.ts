/** The small parts of the CSV reader, each alone. */
import { assertEquals, assertThrows } from "@std/assert";
import { createBadRows } from "../../../../src/data/reading/bad_rows.ts";
import { createCategoryReader, createCellReader } from "../../../../src/data/csv/cells.ts";
import { delimiterByte } from "../../../../src/data/csv/delimiter.ts";
import { readHead } from "../../../../src/data/csv/dialect.ts";
import { createDictionary } from "../../../../src/data/reading/dictionary.ts";
import { createFloats, createInts } from "../../../../src/data/reading/growing.ts";
import { createLevelReader } from "../../../../src/data/csv/levels.ts";
import { createLineMap } from "../../../../src/data/reading/lines.ts";
import { parseNumber } from "../../../../src/data/csv/number.ts";
import { blockRows } from "../../../../src/data/csv/scan.ts";
import { createTokens, tokenize } from "../../../../src/data/csv/tokenize.ts";
import { createLineDecoder, createLineReader } from "../../../../src/data/reading/line_reader.ts";
import { DataError, ParameterError } from "../../../../src/errors.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

Deno.test("createDictionary() numbers distinct strings in order and finds them again", () => {
  const dictionary = createDictionary();
  const texts = Array.from({ length: 5000 }, (_, i) => `value ${i * 7}`);
  texts.forEach((text, entry) => {
    const bytes = bytesOf(text);
    assertEquals(dictionary.find(bytes, 0, bytes.length), -1);
    assertEquals(dictionary.add(bytes, 0, bytes.length), entry);
  });
  const line = bytesOf("x,value 21,y");
  assertEquals(dictionary.find(line, 2, 10), 3);
  assertEquals(dictionary.find(line, 2, 9), -1);
  assertEquals([dictionary.size(), dictionary.bytesOf(3)], [5000, bytesOf("value 21")]);
});

Deno.test("createFloats() and createInts() keep what is appended, over many pieces", () => {
  const floats = createFloats();
  const block = Float64Array.from({ length: 1000 }, (_, i) => i);
  floats.fill(NaN, 3);
  assertEquals(floats.hasNumber(), false);
  for (let i = 0; i < 400; i++) floats.append(block, 10, 1000);
  assertEquals([floats.length(), floats.hasNumber()], [3 + 400 * 990, true]);
  const all = floats.take();
  assertEquals([all.length, all[3], all[3 + 990], all[all.length - 1]], [396_003, 10, 10, 999]);
  assertEquals(floats.length(), 0);
  const ints = createInts();
  ints.fill(-1, 2);
  ints.reserve(5);
  ints.append(new Int32Array([7, 8, 9]), 1, 3);
  assertEquals([...ints.take()], [-1, -1, 8, 9]);
});

Deno.test("createLineMap() finds lines across gaps", () => {
  const map = createLineMap();
  map.add(0, 2);
  map.add(3, 5);
  map.add(4, 8);
  map.add(6, 12);
  assertEquals([0, 3, 4, 5, 6, 9].map(map.lineOf), [2, 5, 8, 9, 12, 15]);
});

Deno.test("parseNumber() reads decimals with spaces around, and nothing else", () => {
  const read = (text: string, decimal = ".") => {
    const bytes = bytesOf(text);
    return parseNumber(bytes, 0, bytes.length, decimal.charCodeAt(0));
  };
  assertEquals([" 1.5\t", "+3", "-.5e-1", "5.", "INF", "-infinity"].map((text) => read(text)), [
    1.5,
    3,
    -0.05,
    5,
    Infinity,
    -Infinity,
  ]);
  assertEquals(read("1,5", ","), 1.5);
  for (const text of ["", " ", ".", "1e", "0x1", "1 2", "1,5", "nan", "infin", "--1"]) {
    assertEquals(read(text), NaN, text);
  }
});

Deno.test("tokenize() counts cells beyond those that are kept, and keeps the first ones", () => {
  const tokens = createTokens(3);
  const told = (text: string) => {
    tokenize(bytesOf(text), 0, text.length, 0x2c, true, tokens);
    return [[...tokens.ends], tokens.more, tokens.next];
  };
  assertEquals(told("a,bb,c,,e\n"), [[1, 3, 4], 2, 10]);
  assertEquals(told("a,bb,c\n"), [[1, 3, 4], 0, 7]);
});

Deno.test("readHead() counts columns beyond the limit, whatever separates them", () => {
  for (const limits of [undefined, { columns: 100_000 }, { columns: 3 }]) {
    const limit = limits?.columns ?? 100_000;
    for (const delimiter of [",", ";", "\t", "|"]) {
      const head = (columns: number) =>
        readHead(bytesOf(`a${`${delimiter}a`.repeat(columns - 1)}\n1\n`), true, {
          ...(limits && { limits }),
          header: false,
        });
      assertEquals(head(limit)!.names.length, limit);
      const { code, message } = assertThrows(() => head(limit + 2), DataError);
      assertEquals(code, "E_DATA_LIMIT");
      assertEquals(message, `Cannot read ${limit + 2} columns: the limit is ${limit}`);
    }
  }
});

Deno.test("readHead() chooses a delimiter by all cells, those beyond the limit too", () => {
  const cases = [
    // Semicolons make five cells of either line, commas four.
    ["a;b;c;d;e,f,g,h\n1;2;3;4;5,6,7,8\n", 5],
    // Commas make five cells of either line, semicolons six and five.
    ["a;b,c,d,e,f;g;h;i;j\n1;2,3,4,5,6;7;8;9\n", 5],
    // Semicolons make six cells of either line, commas five.
    ["a;b,c,d,e,f;g;h;i;j\n1;2,3,4,5,6;7;8;9;0\n", 6],
  ] as const;
  for (const [text, columns] of cases) {
    assertThrows(
      () => readHead(bytesOf(text), true, { limits: { columns: 3 } }),
      DataError,
      `Cannot read ${columns} columns: the limit is 3`,
    );
  }
});

Deno.test("tokenize() waits for what is not whole and says what is wrong with what is", () => {
  const tokens = createTokens();
  const read = (text: string, final: boolean) => {
    const bytes = bytesOf(text);
    return tokenize(bytes, 0, bytes.length, 0x2c, final, tokens);
  };
  for (const text of ["a,b", `"a`, `"a"`, "a,b\r", `"a""`]) assertEquals(read(text, false), false);
  assertEquals(read(`"a\r\nb",,"c""d"\r\nnext`, true), true);
  assertEquals([tokens.ends, tokens.next, tokens.lines, tokens.problem], [
    [4, 4, 7],
    16,
    2,
    undefined,
  ]);
  assertEquals(read(`a,b"c\nnext`, true), true);
  assertEquals([tokens.problemCell, tokens.next], [1, 6]);
  assertEquals(read(`"a\nb`, true), true);
  assertEquals([tokens.problem, tokens.next, tokens.lines], ["its quote is never closed", 3, 1]);
});

Deno.test("readHead() asks for more until it can tell, and then tells", () => {
  const head = (text: string, final: boolean) => readHead(bytesOf(text), final, {});
  assertEquals(head("a,b\n1,2", false), undefined);
  assertEquals(head("a,b\n1,2\n", false)?.names, ["a", "b"]);
  assertEquals(head("\n\r\na;b\n1;2\n", true), {
    delimiter: 0x3b,
    decimal: 0x2e,
    names: ["a", "b"],
    start: 7,
    line: 4,
  });
  assertEquals(delimiterByte("\\t"), 9);
  for (const bad of ["", "ab", "5", "é", "\n"]) {
    assertThrows(() => delimiterByte(bad), ParameterError);
  }
});

Deno.test("createCategoryReader() knows a vocabulary before missing tokens", () => {
  const cells = createCellReader(["", "?"]);
  const reader = createCategoryReader(cells, false, ["a", "?"]);
  const code = (text: string) => reader.code(bytesOf(text), 0, bytesOf(text).length);
  assertEquals(["a", "?", "", " ? ", "z"].map(code), [0, 1, -1, -1, 2]);
  const open = createLevelReader(cells, true);
  const read = (text: string) => open.code(bytesOf(text), 0, bytesOf(text).length);
  assertEquals([" b", "b ", "?", "c"].map(read), [0, 0, -1, 1]);
  assertEquals(open.code(new Uint8Array([0xff]), 0, 1), -2);
  const codes = new Int32Array([1, 0, -1]);
  assertEquals([open.finish(codes), [...codes]], [["b", "c"], [1, 0, -1]]);
});

Deno.test("createBadRows() counts up to its number, then throws", () => {
  const said: string[] = [];
  const bad = createBadRows({ badRows: "skip:2", onWarning: (message) => said.push(message) });
  bad.add(3, "x");
  bad.add(5, "y");
  bad.report();
  assertEquals(said, ["Left out 2 bad rows, the first at line 3"]);
  assertThrows(() => bad.add(9, "z", 0, "a"), DataError, `column "a" at line 9: z`);
});

Deno.test("createLineReader() cuts at every line ending and bounds a line", () => {
  const lines: [string | undefined, number][] = [];
  const decode = createLineDecoder();
  const reader = createLineReader(
    (bytes, start, end, line) => lines.push([decode(bytes, start, end), line]),
    8,
  );
  for (const piece of ["\ufeffa\r", "\nb\rc", "", "d\n", "\n", "e"]) reader.push(bytesOf(piece));
  reader.push(new Uint8Array([0xff]));
  reader.finish();
  assertEquals(lines, [["a", 1], ["b", 2], ["cd", 3], ["", 4], [undefined, 5]]);
  assertThrows(() => createLineReader(() => {}, 8).push(bytesOf("123456789")), DataError);
});

Deno.test("blockRows() keeps blocks in the cache and small inputs in small blocks", () => {
  // 511 cache lines of 8 numbers a column, 3 lines, a record of 4 bytes.
  assertEquals([blockRows(28, 1 << 18), blockRows(10_000, 1 << 18), blockRows(4, 1024)], [
    4088,
    24,
    256,
  ]);
  // An odd number of lines: neighbours in a row lie in different sets of the cache.
  for (let numColumns = 1; numColumns < 1000; numColumns++) {
    assertEquals(blockRows(numColumns, 1 << 18) % 16, 8);
  }
});
