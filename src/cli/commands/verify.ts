/**
 * `treeline verify MODEL --input X --expected Y`: does a model give the scores it should?
 *
 * @module
 */
import { csvBatches } from "../../data/csv/batches.ts";
import { parseTable } from "../../data/csv/parse.ts";
import { CheckError, DataError, UsageError } from "../../errors.ts";
import type { Model } from "../../model/model.ts";
import { rowSchema, takeOffset } from "../../model/offset_column.ts";
import { openBytes, openStream } from "../../runtime/open.ts";
import type { CommandBody, FlagSpec, Invocation } from "../common/command.ts";
import { type CliIo, namingSource, takeStdin } from "../common/io.ts";
import { MODEL_ARGUMENT, openModel } from "../input/models.ts";
import { columns } from "../output/output.ts";
import { cellOptions, needCsv, READ_GROUP } from "../input/read_options.ts";
import { type Kind, KINDS, scoreColumns } from "../output/score_columns.ts";

const FLAGS: readonly FlagSpec[] = [
  { name: "input", short: "i", kind: "text", value: "FILE", about: "Rows to score, CSV" },
  {
    name: "expected",
    short: "e",
    kind: "text",
    value: "FILE",
    about: "Their scores, CSV with a header, one column for each score",
  },
  {
    name: "kind",
    short: "k",
    kind: "text",
    value: "KIND",
    choices: KINDS.filter((kind) => kind !== "class"),
    about: "What the scores are",
    default: "proba if there are as many columns as classes, otherwise value",
  },
  {
    name: "tolerance",
    kind: "number",
    value: "X",
    about:
      "Largest difference allowed, absolute or relative to the expected score, whichever is larger",
    default: "0: equal to the last bit",
  },
];

/** What was compared. */
interface Parity {
  readonly rows: number;
  readonly columns: number;
  readonly kind: Kind;
  readonly tolerance: number;
  /** Scores that are the same number. */
  readonly equal: number;
  readonly failed: number;
  readonly maxAbsolute: number;
  readonly maxRelative: number;
  /** The largest difference: row from 1. */
  readonly worst?: {
    readonly row: number;
    readonly column: string;
    readonly expected: number;
    readonly got: number;
  };
}

/** Compares a model's scores with expected ones. */
export const verifyCommand: CommandBody = {
  arguments: [MODEL_ARGUMENT],
  groups: [{ title: "Comparing", flags: FLAGS }, READ_GROUP],
  examples: [
    "treeline verify m.tlm --input rows.csv --expected scores.csv --kind raw --tolerance 1e-9",
  ],
  async run(call) {
    const { args, out } = call;
    const model = await openModel(call, args[0]!);
    const parity = await compare(call, model);
    await out.result(parity, parityText(parity));
    if (parity.failed > 0) {
      throw new CheckError(
        "E_CHECK_FAILED",
        `Cannot confirm the scores: ${parity.failed} of ${
          parity.rows * parity.columns
        } differ by more than ${parity.tolerance}`,
        { details: { ...parity, hint: "the report above names the largest difference" } },
      );
    }
  },
};

async function compare({ flags, io, out }: Invocation, model: Model): Promise<Parity> {
  const path = (name: string) => {
    const value = flags.text(name);
    if (value === undefined) throw new UsageError("E_USAGE", `Cannot verify: --${name} is missing`);
    return value;
  };
  const tolerance = flags.number("tolerance") ?? 0;
  if (tolerance < 0) {
    throw new UsageError("E_USAGE", `Cannot use --tolerance ${tolerance}: expected 0 or more`);
  }
  const input = path("input");
  needCsv(input);
  const expected = await readScores(path("expected"), io);
  const kind = (flags.text("kind") as Kind | undefined) ?? kindOf(model, expected.columns.length);
  const scored = scoreColumns(model, kind);
  const order = matchColumns(expected.columns.map(({ name }) => name), scored.names);
  const cells: number[] = [];
  const stream = await openStream(input === "-" ? takeStdin(io) : input);
  const reading = { ...cellOptions(flags), onWarning: (message: string) => out.warn(message) };
  for await (const { data } of csvBatches(stream, rowSchema(model), reading)) {
    const batch = scored.score(takeOffset(model, data), {});
    for (let i = 0; i < batch.length; i++) cells.push(Number(batch[i]));
  }
  const rows = cells.length / scored.names.length;
  if (rows !== expected.rows) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot compare ${rows} rows with ${expected.rows} rows of expected scores: expected as many`,
    );
  }
  // Raw scores of float32 libraries are float32 numbers, written in as many digits as those need.
  const round = kind === "raw" && model.ensemble.profile.sum === "f32"
    ? Math.fround
    : (x: number) => x;
  const scoreAt = (row: number, column: number) => cells[row * scored.names.length + column]!;
  return measure(kind, tolerance, expected, order, scoreAt, round);
}

interface Scores {
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly values: ArrayLike<number> }[];
}

async function readScores(path: string, io: CliIo): Promise<Scores> {
  const bytes = await openBytes(path === "-" ? takeStdin(io) : path);
  const table = namingSource(path, () => parseTable(bytes, { missing: ["", "nan", "NaN"] }));
  const columns = table.columns.flatMap((column) => {
    if (column === undefined) return [];
    if (column.kind === "numeric") return [column];
    throw new DataError(
      "E_DATA_TYPE",
      `Cannot compare column "${column.name}" of "${path}": expected numbers`,
      {
        details: { column: column.name, hint: "`treeline predict` writes them with --kind raw" },
      },
    );
  });
  return { rows: table.numRows, columns };
}

function kindOf(model: Model, width: number): Kind {
  return width > 1 && width === model.schema.classes.length ? "proba" : "value";
}

/** Columns by name where the names are the model's, else by position. */
function matchColumns(given: readonly string[], own: readonly string[]): number[] {
  if (given.length !== own.length) {
    throw new DataError(
      "E_DATA_SHAPE",
      `Cannot compare ${given.length} columns of scores: the model gives ${own.length} (${
        own.slice(0, 8).join(", ")
      })`,
    );
  }
  const named = given.every((name) => own.includes(name));
  return given.map((name, at) => named ? own.indexOf(name) : at);
}

function measure(
  kind: Kind,
  tolerance: number,
  expected: Scores,
  order: readonly number[],
  scoreAt: (row: number, column: number) => number,
  round: (score: number) => number,
): Parity {
  let equal = 0;
  let failed = 0;
  let maxAbsolute = 0;
  let maxRelative = 0;
  let worst: Parity["worst"];
  expected.columns.forEach(({ name, values }, k) => {
    for (let row = 0; row < expected.rows; row++) {
      const wanted = round(values[row]!);
      const got = scoreAt(row, order[k]!);
      if (Object.is(wanted, got) || wanted === got) {
        equal++;
        continue;
      }
      const absolute = Number.isNaN(wanted) || Number.isNaN(got)
        ? Infinity
        : Math.abs(wanted - got);
      const relative = absolute / Math.abs(wanted);
      if (absolute > maxAbsolute) worst = { row: row + 1, column: name, expected: wanted, got };
      maxAbsolute = Math.max(maxAbsolute, absolute);
      maxRelative = Math.max(maxRelative, relative);
      if (!(Math.min(absolute, relative) <= tolerance)) failed++;
    }
  });
  return {
    rows: expected.rows,
    columns: expected.columns.length,
    kind,
    tolerance,
    equal,
    failed,
    maxAbsolute,
    maxRelative,
    ...(worst !== undefined && { worst }),
  };
}

function parityText(parity: Parity): string {
  const { worst } = parity;
  const total = parity.rows * parity.columns;
  return columns([
    ["compared", `${total} scores (${parity.kind}) of ${parity.rows} rows`],
    ["equal to the last bit", `${parity.equal}`],
    ["outside the tolerance", `${parity.failed} (tolerance ${parity.tolerance})`],
    ["largest difference", `${parity.maxAbsolute}`],
    ["largest relative difference", `${parity.maxRelative}`],
    ...(worst === undefined ? [] : [[
      "where",
      `row ${worst.row}, column "${worst.column}": expected ${worst.expected}, got ${worst.got}`,
    ]]),
  ]);
}
