/**
 * `treeline convert MODEL --to FORMAT`.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import { encodeModel } from "../../format/binary.ts";
import { modelToJson } from "../../format/json.ts";
import type { Model } from "../../model/model.ts";
import type { Command } from "../command.ts";
import { openModel } from "../models.ts";
import { OUT_FLAGS, writeOut } from "../write_output.ts";

/** Formats by name. */
const WRITERS: { readonly [format: string]: (model: Model) => Uint8Array | string } = {
  tlm: encodeModel,
  json: modelToJson,
};

const ENDINGS: { readonly [ending: string]: string } = { tlm: "tlm", json: "json" };

/** Writes a model in another format. */
export const convertCommand: Command = {
  name: "convert",
  about: "Write a model in another format",
  arguments: [{ name: "MODEL", about: "Path, address, or - for stdin", required: true }],
  groups: [{
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
    "treeline convert adult.json --out adult.tlm",
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
    const model = await openModel(call.io, call.args[0]!);
    await writeOut(call, WRITERS[format]!(model));
    if (path !== undefined && path !== "-") call.out.note(`wrote ${path}`);
  },
};
