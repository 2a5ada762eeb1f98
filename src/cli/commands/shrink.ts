/**
 * `treeline shrink MODEL --max-size SIZE --out PATH`.
 *
 * @module
 */
import { numBroken } from "../../algorithms/boost/monotone_proof.ts";
import { probeRows, rowOf } from "../../convert/probe_rows.ts";
import type { Row } from "../../data/types.ts";
import { UsageError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import type { FeatureRange } from "../../format/shrink/ranges.ts";
import type { Shrunk } from "../../format/shrink/report.ts";
import { shrinkModel } from "../../format/shrink/shrink.ts";
import type { Model } from "../../model/model.ts";
import { needOut, writeChanged } from "../output/changed_model.ts";
import type { CommandBody, FlagSpec } from "../common/command.ts";
import { MODEL_ARGUMENT, openModel } from "../input/models.ts";
import { cellOptions, READ_GROUP, readTable } from "../input/read_options.ts";
import { OUT_FLAGS } from "../output/write.ts";

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
    default: "1000 made-up rows around the model's thresholds; for linear leaves its self-test",
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

const NO_BOUND = "no bound: linear terms grow with their features";

/** Which nodes were pruned first. */
const PRUNED_BY = {
  covers: ", those first that tell least of the training rows",
  branches: ", with all branches of a node as one: the model has no covers",
} as const;

/** What a file has no room for. */
const OMITTED = {
  "explanations": "covers and gains, which explanations need",
  "statistics": "statistics of the training rows, which tell drift",
  "self-test": "the self-test",
} as const;

/** What is proved. */
function proofOf({ bound, within }: Shrunk): string {
  if (!Number.isFinite(bound)) return NO_BOUND;
  return bound.toPrecision(3) + (within ? " in the ranges below" : "");
}

/** Most ranges that are listed; JSON has all. */
const LISTED = 20;

/** Where the bound of linear leaves holds. */
function rangeLines(within: readonly FeatureRange[]): [string, string][] {
  const lines = within.slice(0, LISTED).map(({ name, least, most }): [string, string] => [
    `  ${name}`,
    least === undefined ? "missing" : `${least} to ${most}, or missing`,
  ]);
  if (within.length > LISTED) lines.push(["  …", `${within.length - LISTED} more with --json`]);
  return [...lines, ["beyond these ranges", NO_BOUND]];
}

/** Writes a smaller model and says what it cost. */
export const shrinkCommand: CommandBody = {
  arguments: [MODEL_ARGUMENT],
  groups: [{ title: "Size", flags: FLAGS }, { title: "Output", flags: OUT_FLAGS }, READ_GROUP],
  examples: ["treeline shrink m.tlm --max-size 50kB --input rows.csv --out small.tlm"],
  async run(call) {
    const { flags, io } = call;
    const maxBytes = bytesOf(flags.text("max-size"));
    needOut(call, "shrink");
    const model = await openModel(call, call.args[0]!);
    const input = flags.text("input");
    // Made-up rows may lie anywhere, and linear leaves grow with them: those of the model's
    // self-test count.
    const isLinear = model.ensemble.linear !== undefined;
    const rows = input !== undefined
      ? await readTable(io, input, { ...cellOptions(flags), schema: model.schema })
      : isLinear
      ? undefined
      : probesOf(model);
    const shrunk = shrinkModel(model, { maxBytes, ...(rows && { rows }) });
    const { levels, pruned, prunedBy, trees, bound, within, measured, omitted } = shrunk;
    const before = encodeModel(model).length;
    const broken = numBroken(shrunk.model);
    const kind = input !== undefined ? "rows" : isLinear ? "self-test rows" : "made-up rows";
    const where = `${measured?.rows} ${kind}`;
    const lines: [string, string][] = [
      ["leaf levels", levels === undefined ? "exact" : String(levels)],
      ["pruned nodes", `${(100 * pruned).toFixed(1)} %${prunedBy ? PRUNED_BY[prunedBy] : ""}`],
      ["trees", `${trees} of ${model.numTrees}`],
      ["largest change of a raw score, proved", proofOf(shrunk)],
      ...(within ? rangeLines(within) : []),
      ...(measured
        ? [
          [`largest change on ${where}`, measured.largest.toPrecision(3)],
          [`mean change on ${where}`, measured.mean.toPrecision(3)],
        ] as [string, string][]
        : []),
      ...(omitted.length > 0
        ? [["left out", omitted.map((part) => OMITTED[part]).join("; ")]] as [string, string][]
        : []),
      ...(model.calibration && bound > 0
        ? [["calibration", "kept; it was fitted to the scores before"]] as [string, string][]
        : []),
      ...(broken > 0
        ? [["not monotone", `${broken} of ${trees} trees break the order`]] as [string, string][]
        : []),
      ["bytes before", String(before)],
    ];
    await writeChanged(call, {
      model: shrunk.model,
      facts: {
        byteLengthBefore: before,
        omitted,
        brokenTrees: broken,
        levels,
        pruned,
        ...(prunedBy && { prunedBy }),
        // JSON has no Infinity: null is no bound.
        bound: Number.isFinite(bound) ? bound : null,
        ...(within && { within }),
        ...(measured && { measured }),
      },
      lines,
    });
  },
};
