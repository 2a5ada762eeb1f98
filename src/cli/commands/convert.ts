/**
 * `treeline convert MODEL --to FORMAT`.
 *
 * @module
 */
import type { ForeignFormat } from "../../convert/detect.ts";
import type { ImportOptions } from "../../convert/import_model.ts";
import { UsageError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import { modelToJson } from "../../format/json.ts";
import type { Model } from "../../model/model.ts";
import type { Command, FlagSpec, Invocation } from "../command.ts";
import { openModel } from "../models.ts";
import { OUT_FLAGS, writeOut } from "../write_output.ts";

/** Formats by name. */
const WRITERS: { readonly [format: string]: (model: Model) => Uint8Array | string } = {
  tlm: encodeModel,
  json: modelToJson,
};

const FORMATS: readonly ForeignFormat[] = [
  "xgboost-json",
  "xgboost-ubj",
  "xgboost-binary",
  "lightgbm-text",
  "onnx",
  "catboost-json",
  "sklearn-json",
];

/** How files of other libraries are read. */
const SOURCE_FLAGS: readonly FlagSpec[] = [
  {
    name: "from",
    kind: "text",
    value: "FORMAT",
    choices: FORMATS,
    about: "Format of a file of another library",
    default: "by its content",
  },
  {
    name: "classes",
    kind: "list",
    value: "A,B",
    about: "Labels of the classes in the library's order, where the file has none",
  },
  {
    name: "feature-names",
    kind: "list",
    value: "A,B",
    about: "Names of the columns in the library's order, where the file has none",
  },
  { name: "target", kind: "text", value: "NAME", about: "Name of the target" },
];

const ENDINGS: { readonly [ending: string]: string } = { tlm: "tlm", json: "json" };

/** Writes a model in another format. */
export const convertCommand: Command = {
  name: "convert",
  about: "Write a model in another format, or import one of another library",
  arguments: [{ name: "MODEL", about: "Path, address, or - for stdin", required: true }],
  groups: [{ title: "Source", flags: SOURCE_FLAGS }, {
    title: "Output",
    flags: [
      {
        name: "to",
        kind: "text",
        value: "FORMAT",
        choices: Object.keys(WRITERS),
        about: "The format",
        default: "by the ending of --out",
      },
      ...OUT_FLAGS,
    ],
  }],
  examples: [
    "treeline convert adult.tlm --to json --out adult.json",
    "treeline convert booster.ubj --classes no,yes --out m.tlm",
  ],
  async run(call) {
    const path = call.flags.text("out");
    const format = call.flags.text("to") ?? ENDINGS[path?.split(".").at(-1) ?? ""];
    if (format === undefined) {
      throw new UsageError(
        "E_USAGE",
        `Cannot convert: --to is missing; expected ${Object.keys(WRITERS).join(", ")}`,
      );
    }
    const model = await openModel(call.io, call.args[0]!, importOptions(call));
    await writeOut(call, WRITERS[format]!(model));
    if (path !== undefined && path !== "-") call.out.note(`wrote ${path}`);
  },
};

function importOptions({ flags, out }: Invocation): ImportOptions {
  const from = flags.text("from") as ForeignFormat | undefined;
  const classes = flags.list("classes");
  const featureNames = flags.list("feature-names");
  const target = flags.text("target");
  return {
    ...(from !== undefined && { from }),
    ...(classes !== undefined && { classes }),
    ...(featureNames !== undefined && { featureNames }),
    ...(target !== undefined && { target }),
    onWarning: (message) => out.warn(message),
  };
}
