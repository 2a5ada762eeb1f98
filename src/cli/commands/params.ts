/**
 * `treeline params [NAME]`.
 *
 * @module
 */
import { describeRange } from "../../params/check_value.ts";
import { explainParam, resolveAlgorithm } from "../../params/resolve.ts";
import { ALGORITHM_NAMES, paramsOf } from "../../params/table.ts";
import type { ParamSpec } from "../../params/types.ts";
import type { CommandBody } from "../common/command.ts";
import { columns } from "../output/output.ts";
import { flagOfParam } from "../flags/params.ts";

/** Lists the hyperparameters of an algorithm, or explains one. */
export const paramsCommand: CommandBody = {
  arguments: [{ name: "NAME", about: "A parameter, by any of its names", required: false }],
  groups: [{
    title: "Choice",
    flags: [{
      name: "algorithm",
      short: "a",
      kind: "text",
      value: "NAME",
      suggested: ALGORITHM_NAMES,
      about: `Algorithm whose parameters are meant: ${ALGORITHM_NAMES.join(", ")}`,
      default: "boost",
    }],
  }],
  examples: ["treeline params", "treeline params max_depth", "treeline params -a random-forest"],
  async run({ args, flags, out }) {
    const algorithm = resolveAlgorithm(flags.text("algorithm") ?? "boost");
    const [name] = args;
    if (name !== undefined) {
      const spec = explainParam(name, algorithm);
      return await out.result(spec, explain(spec.name, spec));
    }
    const all = [...paramsOf(algorithm)];
    const rows = all.map((
      [key, spec],
    ) => [key, shortType(spec), showDefault(spec), firstSentence(spec)]);
    await out.result(
      all.map(([key, spec]) => ({ name: key, ...spec })),
      columns([["NAME", "TYPE", "DEFAULT", "MEANING"], ...rows]),
    );
  },
};

function explain(name: string, spec: ParamSpec): string {
  const rows = [
    ["name", name],
    ["flag", flagOfParam(name)],
    ["type", longType(spec)],
    ["default", showDefault(spec)],
    ["also known as", spec.aliases.join(", ") || "–"],
    ["algorithms", spec.algorithms.join(", ")],
    ...(spec.search === undefined ? [] : [["tuned over", JSON.stringify(spec.search)]]),
  ];
  return `${spec.doc}\n\n${columns(rows)}`;
}

function longType(spec: ParamSpec): string {
  const range = spec.kind === "number" || spec.kind === "integer" ? describeRange(spec) : spec.kind;
  return spec.choices === undefined ? range : `${range}: ${spec.choices.join(", ")}`;
}

function shortType(spec: ParamSpec): string {
  return spec.kind === "choice" ? spec.choices!.join("|") : spec.kind;
}

function showDefault(spec: ParamSpec): string {
  if (spec.default === undefined) return "–";
  return typeof spec.default === "string" ? spec.default : JSON.stringify(spec.default);
}

function firstSentence(spec: ParamSpec): string {
  return /^.*?[.](?=\s|$)/.exec(spec.doc)?.[0] ?? spec.doc;
}
