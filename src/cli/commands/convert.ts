/**
 * `treeline convert MODEL --to FORMAT`.
 *
 * @module
 */
import { FOREIGN_FORMATS, type ForeignFormat } from "../../convert/detect.ts";
import { EXPORT_FORMATS, type ExportFormat, exportModel } from "../../convert/export_model.ts";
import type { ImportOptions } from "../../convert/import_model.ts";
import { UsageError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import { modelToJson } from "../../format/json.ts";
import type { Model } from "../../model/model.ts";
import type { CommandBody, FlagSpec, Invocation } from "../common/command.ts";
import { MODEL_ARGUMENT, openModel } from "../input/models.ts";
import { tellFile } from "../output/told.ts";
import { OUT_FLAGS, writeOut } from "../output/write.ts";

/** Our own formats by name. */
const WRITERS: { readonly [format: string]: (model: Model) => Uint8Array | string } = {
  tlm: (model) => encodeModel(model),
  json: modelToJson,
};

const TARGETS: readonly string[] = [...Object.keys(WRITERS), ...EXPORT_FORMATS];

/** How files of other libraries are read. */
const SOURCE_FLAGS: readonly FlagSpec[] = [
  {
    name: "from",
    kind: "text",
    value: "FORMAT",
    choices: FOREIGN_FORMATS,
    about: "Format of a file of another library",
    default: "by content",
  },
  {
    name: "classes",
    kind: "list",
    value: "A,B",
    about: "Labels of the classes in the library's order, if the file has none",
  },
  {
    name: "feature-names",
    kind: "list",
    value: "A,B",
    about: "Names of the columns in the library's order, if the file has none",
  },
  { name: "target", kind: "text", value: "NAME", about: "Name of the target" },
  {
    name: "rounds",
    kind: "text",
    value: "N",
    about: "Rounds that count: all, best (up to the best of early stopping), or so many",
    default: "all; of a folder of xgboost.spark those that the stage scores with",
  },
];

const ENDINGS: { readonly [ending: string]: string } = {
  tlm: "tlm",
  json: "json",
  ubj: "xgboost-ubj",
  onnx: "onnx",
  ts: "typescript",
};

/** Writes a model in another format. */
export const convertCommand: CommandBody = {
  arguments: [MODEL_ARGUMENT],
  groups: [{ title: "Source", flags: SOURCE_FLAGS }, {
    title: "Output",
    flags: [
      {
        name: "to",
        kind: "text",
        value: "FORMAT",
        choices: TARGETS,
        about: "The format",
        default: "by the file name of --out",
      },
      {
        name: "rounding",
        kind: "text",
        value: "TYPE",
        choices: ["float32"],
        about: "Accept float32 features, leaves and sums, and report what they change",
        default: "none: what a format cannot hold exactly is refused",
      },
      {
        name: "trees",
        kind: "text",
        value: "FORM",
        choices: ["bits", "plain"],
        about: "How a tlm file holds trees: bits are smaller, plain ones load faster",
        default: "bits if they save a third",
      },
      {
        name: "without-offset",
        kind: "switch",
        about: "Write the trees alone of a model with an offset column",
      },
      ...OUT_FLAGS,
    ],
  }],
  examples: [
    "treeline convert adult.tlm --to json --out adult.json",
    "treeline convert booster.ubj --classes no,yes --out m.tlm",
    "treeline convert m.tlm --to onnx --out m.onnx",
    "treeline convert forest.tlm --trees plain --out sooner.tlm",
    "treeline convert m.tlm --rounding float32 --out m.ubj",
  ],
  async run(call) {
    const path = call.flags.text("out");
    const format = call.flags.text("to") ?? ENDINGS[path?.split(".").at(-1) ?? ""];
    if (format === undefined) {
      throw new UsageError(
        "E_USAGE",
        `Cannot convert: --to is missing; expected ${TARGETS.join(", ")}`,
      );
    }
    const model = await openModel(call, call.args[0]!, importOptions(call));
    const content = written(call, model, format);
    await writeOut(call, content, { inPlace: true });
    // On stdout the file is the result.
    if (path === undefined || path === "-") return;
    call.out.note(`wrote ${path}`);
    await tellFile(call, content, { format });
  },
};

/** The model in the format; a foreign one is checked first, and what it rounds is said. */
function written({ out, flags }: Invocation, model: Model, format: string): Uint8Array | string {
  const write = WRITERS[format];
  const isRounded = flags.text("rounding") !== undefined;
  const withoutOffset = flags.has("without-offset");
  const { offset } = model.info;
  if (withoutOffset && (write !== undefined || offset === undefined)) {
    throw new UsageError(
      "E_USAGE",
      offset === undefined
        ? "Cannot leave an offset column out: the model has none"
        : `Cannot leave the offset column out of ${format}, which holds it: expected ` +
          `--without-offset with ${EXPORT_FORMATS.join(", ")}`,
    );
  }
  const form = flags.text("trees");
  if (form !== undefined && format !== "tlm") {
    throw new UsageError("E_USAGE", `Cannot write trees as ${form}: expected --trees with tlm`);
  }
  if (write !== undefined) {
    if (form !== undefined && !isRounded) return encodeModel(model, { inBits: form === "bits" });
    if (!isRounded) return write(model);
    throw new UsageError(
      "E_USAGE",
      `Cannot round a model to ${format}, which holds all of it: expected --rounding with ${
        EXPORT_FORMATS.join(", ")
      }`,
    );
  }
  const { bytes, checkedRows, difference, differenceOnFloat32Rows } = exportModel(
    model,
    format as ExportFormat,
    { ...(isRounded && { rounding: "float32" }), withoutOffset },
  );
  out.note(`read back: raw scores of ${checkedRows} rows on the thresholds are equal`);
  if (format === "onnx" && model.schema.features.some(({ kind }) => kind === "categorical")) {
    out.note(
      "X takes each category as its place, from 0, in the list of metadata treeline.schema, any " +
        "other number as one that the model never saw, and NaN as missing",
    );
  }
  if (isRounded) {
    const [all, rounded] = [difference, differenceOnFloat32Rows].map((x) => x.toExponential(1));
    out.warn(
      `rounded to float32: raw scores differ from this model's by up to ${all} of max(1, |score|), by ${rounded} where the numbers of a row are float32`,
    );
  }
  if (withoutOffset) {
    out.warn(`raw scores of the file lack column ${JSON.stringify(offset)}: add it to them`);
  }
  return bytes;
}

function importOptions({ flags, out }: Invocation): ImportOptions {
  const from = flags.text("from") as ForeignFormat | undefined;
  const classes = flags.list("classes");
  const featureNames = flags.list("feature-names");
  const target = flags.text("target");
  const rounds = flags.text("rounds");
  return {
    ...(from !== undefined && { from }),
    ...(classes !== undefined && { classes }),
    ...(featureNames !== undefined && { featureNames }),
    ...(target !== undefined && { target }),
    ...(rounds !== undefined && { rounds: roundsOf(rounds) }),
    onWarning: (message) => out.warn(message),
  };
}

function roundsOf(text: string): "all" | "best" | number {
  if (text === "all" || text === "best") return text;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError("E_USAGE", `Cannot use --rounds ${text}: expected all, best or a number`, {
    details: { flag: "--rounds", value: text },
  });
}
