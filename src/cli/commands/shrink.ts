/**
 * `treeline shrink MODEL --max-size SIZE --out PATH`.
 *
 * @module
 */
import { probeRows, rowOf } from "../../convert/probe_rows.ts";
import type { Row } from "../../data/types.ts";
import { UsageError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import { shrinkModel } from "../../format/shrink.ts";
import type { Model } from "../../model/model.ts";
import type { Command, FlagSpec } from "../command.ts";
import { openModel } from "../models.ts";
import { columns } from "../output.ts";
import { cellOptions, READ_GROUP, readTable } from "../read_options.ts";
import { OUT_FLAGS, writeOut } from "../write_output.ts";

const FLAGS: readonly FlagSpec[] = [
  {
    name: "max-size",
    kind: "text",
    value: "SIZE",
    about: "Largest file: bytes, or a number with kB or MB",
  },
  {
    name: "input",
    short: "i",
    kind: "text",
    value: "FILE",
    about: "Rows on which the change of scores is measured, CSV",
    default: "1000 made-up rows around the model's thresholds",
  },
];

/** Rows that are made up where none are given. */
const PROBES = 1000;

const UNITS: { readonly [unit: string]: number } = { "": 1, b: 1, kb: 1e3, mb: 1e6, kib: 1024 };

function bytesOf(size: string | undefined): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(size ?? "");
  const unit = UNITS[match?.[2].toLowerCase() ?? "?"];
  if (match === null || unit === undefined) {
    throw new UsageError(
      "E_USAGE",
      size === undefined
        ? "Cannot shrink: --max-size is missing"
        : `Cannot use --max-size "${size}": expected bytes, or a number with kB or MB`,
    );
  }
  return Math.floor(Number(match[1]) * unit);
}

/** Rows on thresholds, beside them, missing and unknown, where the model does not refuse such values. */
function probesOf(model: Model): readonly Row[] {
  const { codes } = probeRows(model, PROBES);
  model.schema.features.forEach((feature, f) => {
    const unknown = feature.kind === "categorical" && feature.unknown === "error"
      ? feature.categories.length
      : NaN;
    // The last value that is allowed stands in.
    let last = 0;
    for (const row of codes) {
      if (feature.missing === "error" && Number.isNaN(row[f]) || row[f] === unknown) row[f] = last;
      else last = row[f];
    }
  });
  return codes.map((row) => rowOf(model.schema, row));
}

/** Writes a smaller model and says what it cost. */
export const shrinkCommand: Command = {
  name: "shrink",
  about: "Write a smaller model, with a proved bound on how much scores change",
  arguments: [{ name: "MODEL", about: "Path, address, or - for stdin", required: true }],
  groups: [{ title: "Size", flags: FLAGS }, { title: "Output", flags: OUT_FLAGS }, READ_GROUP],
  examples: ["treeline shrink m.tlm --max-size 50kB --input rows.csv --out small.tlm"],
  async run(call) {
    const { flags, io, out } = call;
    const maxBytes = bytesOf(flags.text("max-size"));
    const path = flags.text("out");
    if (path === undefined) throw new UsageError("E_USAGE", "Cannot shrink: --out is missing");
    const model = await openModel(io, call.args[0]!);
    const input = flags.text("input");
    const rows = input === undefined ? probesOf(model) : await readTable(
      io,
      input,
      cellOptions(flags),
    );
    const shrunk = shrinkModel(model, { maxBytes, rows });
    const { bytes, levels, pruned, trees, bound, measured } = shrunk;
    await writeOut(call, encodeModel(shrunk.model, { explain: false, attachments: false }));
    if (path === "-") return;
    const before = encodeModel(model, { explain: false, attachments: false }).length;
    const where = `${measured?.rows} ${input === undefined ? "made-up rows" : "rows"}`;
    const lines: [string, string][] = [
      ["bytes", `${bytes} of ${before}`],
      ["leaf levels", levels === undefined ? "exact" : String(levels)],
      ["pruned nodes", `${(100 * pruned).toFixed(1)} %`],
      ["trees", `${trees} of ${model.numTrees}`],
      ["largest change of a raw score, proved", bound.toPrecision(3)],
      ...(measured
        ? [
          [`largest change on ${where}`, measured.largest.toPrecision(3)],
          [`mean change on ${where}`, measured.mean.toPrecision(3)],
        ] as [string, string][]
        : []),
    ];
    await out.result(
      { bytes, before, levels, pruned, trees, bound, ...(measured && { measured }) },
      columns(lines),
    );
  },
};
