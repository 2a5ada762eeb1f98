/** Files as spreadsheets and other countries write them: read right, refused or told, never silently else. */
import { parse } from "@std/csv";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { trainBoost } from "../../../../src/algorithms/boost/boost.ts";
import { type CsvOptions, parseCsv, parseTable } from "../../../../src/data/csv/parse.ts";
import { csvBatches } from "../../../../src/data/csv/batches.ts";
import { createTablePass } from "../../../../src/data/csv/table.ts";
import { parseJsonLines } from "../../../../src/data/records/json_lines.ts";
import { parseLibsvm } from "../../../../src/data/libsvm/parse.ts";
import { datasetFromRows } from "../../../../src/data/records/rows.ts";
import { schemaFromDataset } from "../../../../src/data/dataset/schema.ts";
import type { Column, Dataset } from "../../../../src/data/types.ts";
import { DataError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";

/** Columns of text that is read, and what is said about it. */
function read(text: string, options: CsvOptions = {}) {
  const notes: string[] = [];
  const data = parseCsv(text, { onWarning: (note) => notes.push(note), ...options });
  return { columns: data.features.map(plain), notes };
}

function plain(column: Column): [string, readonly (number | string)[]] {
  return column.kind === "numeric"
    ? [column.name, [...column.values]]
    : [column.name, Array.from(column.codes, (code) => column.categories[code])];
}

function refusal(text: string | Uint8Array, options: CsvOptions = {}): [string, string] {
  const error = assertThrows(() => parseTable(text, options), DataError);
  return [error.code, error.message];
}

Deno.test("a first line `sep=;` separates cells and is no row, in pieces too", () => {
  const rows = 'size;price\n1;"a;b"\n2;c\n';
  const expected = parse(rows, { separator: ";" }).slice(1);
  for (const first of ["sep=;\n", "SEP=;\r\n", '"sep=;"\n', "sep=;\r", "\ufeffsep=;\r\n"]) {
    const { columns, notes } = read(first + rows);
    assertEquals(columns, [
      ["size", expected.map((row) => Number(row[0]))],
      ["price", expected.map((row) => row[1])],
    ]);
    assertEquals(notes, ['Line 1 says that ";" separates cells; it is not a row']);
    const pass = createTablePass({});
    for (const byte of new TextEncoder().encode(first + rows)) pass.push(Uint8Array.of(byte));
    const result = pass.finish();
    assertEquals(result.done && result.table.names, ["size", "price"]);
    assertEquals(result.done && result.table.lineOf(1), 4);
  }
  assertEquals(read("sep=\t\na,b\tc\n1\t2\n").columns, [["a,b", [1]], ["c", [2]]]);
  assertEquals(read("sep=;\none\n1\n").columns, [["one", [1]]]);
  // Lines are counted from the file's first.
  assertStringIncludes(refusal("sep=;\na;b\n1;2\n1\n")[1], "line 4");
});

Deno.test("a declared separator that the file does not have is refused, or overruled", () => {
  const [code, message] = refusal("sep=;\na,b\n1,2\n");
  assertEquals(code, "E_DATA_PARSE");
  assertStringIncludes(message, 'line 2: line 1 says that ";" separates cells, but here "," does');
  const { columns, notes } = read("sep=;\na,b\n1,2\n", { delimiter: "," });
  assertEquals(columns, [["a", [1]], ["b", [2]]]);
  assertEquals(notes, [
    'Line 1 says that ";" separates cells; the delimiter "," was given and is used',
  ]);
  // A name that only begins so is a name.
  assertEquals(read("sep=x,b\n1,2\n").columns, [["sep=x", [1]], ["b", [2]]]);
});

Deno.test("numbers beyond float64 are infinities, and told with column and line", async () => {
  const said = (where: string, shown: string, value: string) =>
    `Column "a" at ${where}: ${shown} is beyond the largest float64 (1.8e308) and is read as ${value}`;
  const digits = `-${"9".repeat(310)}`;
  const csv = read(`a,b\n1,2\n1e400,${digits}\n`);
  assertEquals(csv.columns, [["a", [1, Infinity]], ["b", [2, -Infinity]]]);
  assertEquals(csv.notes[0], said("line 3", '"1e400"', "Infinity"));
  assertStringIncludes(csv.notes[1], 'Column "b" at line 3: "-99999');
  // The largest float64, names of infinity and numbers too small to tell from 0 are what they are.
  assertEquals(read("a\n1.7976931348623157e308\ninf\n-Infinity\n1e-400\n").notes, []);

  const note = (make: (onWarning: (note: string) => void) => Dataset) => {
    const notes: string[] = [];
    const [column] = make((one) => notes.push(one)).features;
    return [plain(column)[1], notes];
  };
  const many = '{"a": 1}\n'.repeat(20);
  assertEquals(note((onWarning) => parseJsonLines(`${many}{"a": -1e400}\n`, { onWarning })), [
    [...Array(20).fill(1), -Infinity],
    [said("row 21 (line 21)", "a number", "-Infinity")],
  ]);
  assertEquals(note((onWarning) => parseJsonLines('{"a": "1e400"}\n{"a": 2}\n', { onWarning })), [
    [Infinity, 2],
    [said("row 1 (line 1)", '"1e400"', "Infinity")],
  ]);
  assertEquals(
    note((onWarning) => datasetFromRows([{ a: 3 }, { a: 10n ** 400n }], { onWarning }))[0],
    [
      3,
      Infinity,
    ],
  );
  // A row's own infinity may be meant.
  assertEquals(note((onWarning) => datasetFromRows([{ a: Infinity }], { onWarning })), [
    [Infinity],
    [],
  ]);
  const sparse = "0 0:1\n".repeat(1000);
  assertEquals(
    note((onWarning) =>
      parseLibsvm(`${sparse}1 0:1e400\n1 0:inf\n1 0:2\n`, {
        absent: "zero",
        featureMap: new Map([[0, "a"]]),
        onWarning,
      })
    )[1],
    [said("line 1001", '"1e400"', "Infinity")],
  );

  const schema = schemaFromDataset(
    datasetFromRows([{ a: 1, y: 0 }, { a: 2, y: 1 }], { target: "y" }),
  );
  const notes: string[] = [];
  const stream = new Blob(["a\n5\n1e309\n"]).stream();
  for await (
    const { data } of csvBatches(stream, schema, { onWarning: (one) => notes.push(one) })
  ) {
    assertEquals(plain(data.features[0])[1], [5, Infinity]);
  }
  assertEquals(notes, [said("line 3", '"1e309"', "Infinity")]);
});

Deno.test("decimal commas are numbers where another character separates cells", () => {
  const expected: [string, number[]][] = [["a", [1.5, 2.5]], ["b", [2.7, 3]]];
  const { columns, notes } = read("a;b\n1,5;2,7\n2,5;3\n");
  assertEquals(columns, expected);
  assertEquals(notes, ['Column "a" at row 1 (line 2): "1,5" is read with a decimal comma']);
  assertEquals(read('"a";"b"\n"1,5";"2,7"\n"2,5";"3"\n').columns, expected);
  // Without a header the comma would cut three cells, as often in both lines.
  assertEquals(
    read("1,5;2,7\n2,5;3,1\n", { header: false }).columns,
    [["f0", [1.5, 2.5]], ["f1", [2.7, 3.1]]],
  );
  assertEquals(
    read("1,2;x\n3,4;y\n", { header: false, delimiter: "," }).columns.length,
    2,
  );
});

Deno.test("guesses about decimal characters name column, row and line", () => {
  const note = (text: string) => read(text).notes[0].replace(/ is read.*/s, "");
  // Blank lines and newlines in quotes are lines and no rows.
  const head = 'a;b;"c\nd"\n\n1;"x\ny";2\n\n3;z;';
  assertEquals(note(`${head}1,5\n`), 'Column "c\nd" at row 2 (line 7): "1,5"');
  assertEquals(note(`${head}1.500\n4;z;2.500\n`), 'Column "c\nd" at row 2 (line 7): "1.500"');
  // 1,234 may be a thousand: what told is shown.
  assertEquals(note("a;b\n1,234;x\n0,5;y\n"), 'Column "a" at row 2 (line 3): "0,5"');
  // Text in quotes is one cell, whatever it holds.
  assertEquals(read('a;b\n"x;1,5";1\n"y";2\n').notes, []);
});

Deno.test("a sample that ends within a row tells decimal commas of its whole cells", () => {
  const wide = (cell: string) => `${cell};`.repeat(6_000).slice(0, -1);
  const names = Array.from({ length: 6_000 }, (_, i) => `f${i}`).join(";");
  const { columns, notes } = read(
    `${names}\n${wide("1,500000000001")}\n${wide("2,500000000002")}\n`,
  );
  assertEquals(columns[5_999], ["f5999", [1.500000000001, 2.500000000002]]);
  assertEquals(notes, [
    'Column "f0" at row 1 (line 2): "1,500000000001" is read with a decimal comma',
  ]);
});

Deno.test("points that may part thousands between semicolons are told", () => {
  const { columns, notes } = read("a;b\n1.234;x\n12.500;y\n");
  assertEquals(columns[0], ["a", [1.234, 12.5]]);
  assertEquals(notes, [
    'Column "a" at row 1 (line 2): "1.234" is read with a decimal point; if the points part ' +
    "thousands, write numbers without",
  ]);
  for (
    const quiet of ["a;b\n1.234;x\n1.25;y\n", "a;b\n0.123;x\n0.456;y\n", "a,b\n1.234,x\n2.345,y\n"]
  ) {
    assertEquals(read(quiet).notes, []);
  }
  assertEquals(read("a;b\n1.234;x\n2.345;y\n", { decimal: "." }).notes, []);
});

Deno.test("numbers in other dress are told with column and place, few as they may be", () => {
  const hint = (text: string, options: CsvOptions = {}) => {
    const { columns, notes } = read(text, options);
    assertEquals(typeof columns[0][1][0], "string");
    assertEquals(notes.length, 1, text);
    assertStringIncludes(notes[0], 'Column "a" is read as categories: ');
    return notes[0];
  };
  // Either thousands or decimals: nobody knows.
  assertStringIncludes(
    hint("a;b\n1,234;2\n2,345;3\n"),
    'amounts such as "1,234" at row 1 (line 2)',
  );
  assertStringIncludes(hint('a,b\n999,1\n"1,234",2\n'), 'such as "1,234" at row 2 (line 3)');
  const comma = hint('a,b\n"1,5",1\n2,2\n');
  assertStringIncludes(comma, 'decimal comma such as "1,5" at row 1 (line 2)');
  assertStringIncludes(comma, "--decimal ,");
  assertStringIncludes(hint("a;b\n1,5;2.5\n2,5;3\n"), "decimal comma");
  const point = hint("a;b\n1.5;2\n2.5;3\n", { decimal: "," });
  assertStringIncludes(point, 'numbers such as "1.5" at row 1 (line 2)');
  for (
    const cells of [
      ["5%", "7 %"],
      ["$5", "$6.50"],
      ["3 €", "4 €"],
      ["1 234", "2 345"],
      ["1'234", "2"],
      ["1.234.567", "2"],
      ["\u22125", "4"],
      ["\u00a05", "4"],
      ["1_000", "2"],
      ["0x10", "3"],
      ["1d5", "3"],
      ["#DIV/0!", "3"],
    ]
  ) {
    const odd = JSON.stringify(cells[0]);
    assertStringIncludes(hint(`a,b\n${cells.map((cell, i) => `${cell},${i}`).join("\n")}\n`), odd);
  }
  assertStringIncludes(hint("a,b\n2024-01-02,1\n2024-01-03,2\n"), 'dates such as "2024-01-02"');
  const quiet = [
    "a,b\nx,1\ny,2\n",
    "a,b\n5%,1\n5%,2\n",
    "a,b\n1,1\nlow,2\n",
    "a,b\n18-24,1\n65+,2\n",
  ];
  for (const text of quiet) assertEquals(read(text).notes, []);
  assertEquals(read("a,b\n5%,1\n7%,2\n", { types: { a: "categorical" } }).notes, []);
});

Deno.test("a target of amounts in other dress is refused, or told where they are few", () => {
  const text = (count: number) =>
    `x,y\n${Array.from({ length: count }, (_, row) => `${row},"1,${100 + row} $"`).join("\n")}\n`;
  const error = assertThrows(() => parseCsv(text(40), { target: "y" }), DataError);
  assertEquals(error.code, "E_DATA_TARGET");
  assertStringIncludes(error.message, 'amounts such as "1,100 $" at row 1 (line 2)');
  const classes = parseCsv(text(40), { target: "y", task: "classification" }).target;
  assertEquals(classes?.kind === "classification" && classes.classes.length, 40);
  assertStringIncludes(read(text(4), { target: "y" }).notes[0], 'Column "y" is read as categories');
});

Deno.test("columns without a name are told, two are refused", () => {
  const { columns, notes } = read(",a\n0,5\n1,6\n");
  assertEquals(columns, [["", [0, 1]], ["a", [5, 6]]]);
  assertStringIncludes(notes[0], "Column 1 has no name at line 1");
  assertEquals(read(",a\n0,5\n1,6\n", { drop: [0] }).columns, [["a", [5, 6]]]);
  assertEquals(refusal("a;;\n1;;\n"), [
    "E_DATA_SHAPE",
    "Cannot use two columns without a name: columns 2 and 3",
  ]);
  assertEquals(refusal("a,a\n1,2\n")[1], 'Cannot use two columns named "a": columns 1 and 2');
});

Deno.test("malformed lines are refused with line and column", () => {
  assertEquals(refusal("a,b\n1,2,\n"), [
    "E_DATA_PARSE",
    "Cannot read line 2: expected 2 cells, found 3",
  ]);
  assertEquals(refusal("a,b\n1\n"), [
    "E_DATA_PARSE",
    "Cannot read line 2: expected 2 cells, found 1",
  ]);
  assertEquals(refusal("a,b\n1,2\n1\0,2\n"), [
    "E_DATA_PARSE",
    'Cannot read column "a" at line 3: "1\\u0000" holds a NUL byte',
  ]);
  // Any mix of line ends.
  assertEquals(read("a,b\r\n1,2\n3,4\r5,6\r\n").columns, [["a", [1, 3, 5]], ["b", [2, 4, 6]]]);
  const utf16 = Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x2c, 0, 0x62, 0, 0x0a, 0);
  assertStringIncludes(refusal(utf16)[1], "UTF-16: save it as UTF-8");
});

Deno.test("quoted numbers are numbers, and zeros in front are told", () => {
  const { columns, notes } = read('a,b\n"5","1\n"\n"007","1"\n"010","2"\n');
  assertEquals(columns, [["a", [5, 7, 10]], ["b", ["1\n", "1", "2"]]]);
  assertStringIncludes(notes[0], 'Column "a" is read as numbers, where "007" at line 4 is 7');
});

Deno.test("numbers of queries with a zero in front are told, since 01 and 1 are one query", () => {
  const text = "g,hour,y\n01,01,1\n01,02,0\n1,03,2\n2,04,1\n";
  const notes: string[] = [];
  const options = { target: "y", group: "g", onWarning: (note: string) => void notes.push(note) };
  assertEquals([...parseCsv(text, options).group!], [0, 0, 0, 1]);
  assertEquals(notes.length, 1);
  assertStringIncludes(notes[0], 'Column "g" is read as numbers, where "01" at line 2 is 1');
  const named = parseCsv(text, { ...options, types: { g: "categorical" } });
  assertEquals([...named.group!], [0, 0, 1, 2]);
  assertEquals(notes.length, 1);
});

Deno.test("a number beyond float64 scores as an infinity on every way into a model", async () => {
  const rows = Array.from(
    { length: 60 },
    (_, at) => ({ a: at % 7 === 0 ? -at : at, y: at > 40 ? 5 : -1 }),
  );
  const model = await trainBoost(datasetFromRows(rows, { target: "y" }), { rounds: 3 });
  const app = createApp({ models: { m: model } });
  for (const [cell, value] of [["1e400", Infinity], ["-1e400", -Infinity]] as const) {
    const expected = model.predictRaw([{ a: value }]).data[0];
    assertEquals(model.predictRaw([{ a: cell }]).data[0], expected);
    const bodies = [
      ["application/json", `[{"a":${cell}}]`],
      ["text/csv", `a\n${cell}\n`],
    ];
    for (const [type, body] of bodies) {
      const response = await app.request("/v1/models/m/predict?kind=raw", {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
      assertEquals((await response.json()).predictions, [expected], type);
    }
    const batches = csvBatches(new Blob([`a\n${cell}\n`]).stream(), model.schema);
    for await (const { data } of batches) assertEquals(model.predictRaw(data).data[0], expected);
    assertEquals(model.predictRaw(parseJsonLines(`{"a":${cell}}\n`)).data[0], expected);
  }
});
