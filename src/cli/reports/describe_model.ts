/**
 * What `inspect` tells about a model: as data, and as text.
 *
 * @module
 */
import type { InputFeature } from "../../data/types.ts";
import { readSections } from "../../format/sections.ts";
import { encodeModel } from "../../format/binary.ts";
import type { Model } from "../../model/model.ts";
import { treeDepth } from "../../model/trees.ts";
import { NodeKind, type NumericProfile } from "../../model/types.ts";
import { columns } from "../output/output.ts";
import { modelFacts } from "../output/told.ts";

/** A model in plain data. */
export function describeModel(model: Model): ModelDescription {
  const { schema, info, ensemble } = model;
  const { treeStart, kind } = ensemble.trees;
  const numNodes = treeStart.at(-1)!;
  let numLeaves = 0;
  for (let node = 0; node < numNodes; node++) if (kind[node] === NodeKind.leaf) numLeaves++;
  let deepest = 0;
  for (let tree = 0; tree < model.numTrees; tree++) {
    deepest = Math.max(deepest, treeDepth(ensemble.trees, tree));
  }
  const bytes = encodeModel(model);
  return {
    ...modelFacts(model),
    extraColumns: schema.extraColumns,
    absentColumns: schema.absentColumns,
    ...(schema.missingCells && { missingCells: schema.missingCells }),
    nodes: numNodes,
    leaves: numLeaves,
    depth: deepest,
    outputs: model.numOutputs,
    aggregate: ensemble.aggregate,
    link: ensemble.postprocess,
    baseScore: [...ensemble.baseScore],
    profile: ensemble.profile,
    calibrated: model.calibration !== undefined,
    info,
    byteLength: bytes.length,
    sections: readSections(bytes, false, {}).map(({ id, bytes }) => ({
      id,
      byteLength: bytes.length,
    })),
  };
}

/** What {@linkcode describeModel} gives. */
export interface ModelDescription {
  readonly algorithm: string;
  readonly task: string;
  readonly target?: string;
  readonly classes: readonly string[];
  readonly features: readonly InputFeature[];
  readonly extraColumns: string;
  readonly absentColumns: string;
  readonly missingCells?: readonly string[];
  readonly schemaHash: string;
  readonly rounds: number;
  readonly trees: number;
  readonly nodes: number;
  readonly leaves: number;
  readonly depth: number;
  readonly outputs: number;
  readonly aggregate: string;
  readonly link: { readonly name: string };
  readonly baseScore: readonly number[];
  readonly profile: NumericProfile;
  readonly calibrated: boolean;
  readonly info: { readonly algorithm: string; readonly [key: string]: unknown };
  /** Of the model as a `.tlm` file. */
  readonly byteLength: number;
  readonly sections: readonly { readonly id: string; readonly byteLength: number }[];
}

/** The numeric profile in words. */
function arithmetic({ input, sum, base }: NumericProfile): string {
  const width = { f32: "float32", f64: "float64" };
  return `features compared as ${width[input]}, trees added in ${width[sum]}, base score ${base}`;
}

/** The description for people. */
export function describeText(model: ModelDescription): string {
  const { info } = model;
  const rows: string[][] = [
    ["algorithm", model.algorithm],
    ["task", model.target === undefined ? model.task : `${model.task} of "${model.target}"`],
  ];
  if (model.classes.length > 0) rows.push(["classes", list(model.classes)]);
  rows.push(
    [
      "trees",
      `${model.trees} in ${model.rounds} ${
        model.rounds === 1 ? "round" : "rounds"
      }, ${model.nodes} nodes, depth ${model.depth}`,
    ],
    [
      "scores",
      `${model.aggregate} of trees, base ${model.baseScore.join(", ")}, link ${model.link.name}`,
    ],
    ["arithmetic", arithmetic(model.profile)],
  );
  if (info["offset"] !== undefined) {
    rows.push(["offset", `column ${JSON.stringify(info["offset"])}: rows start from it`]);
  }
  if (info["numRows"] !== undefined) rows.push(["trained on", `${info["numRows"]} rows`]);
  const best = info["best"] as
    | { metric: string; set: string; value: number; round: number }
    | undefined;
  if (best !== undefined) {
    rows.push(["best round", `${best.round}: ${best.metric} ${best.value} on ${best.set}`]);
  }
  const shrunk = info["shrunk"] as { bound: number | null } | null | undefined;
  if (shrunk) {
    const { bound } = shrunk;
    const by = bound === null ? "without a bound" : `by at most ${bound}`;
    rows.push(["shrunk", `raw scores changed ${by}`]);
  }
  const broken = info["monotoneBroken"] as { trees: readonly number[]; first: string } | undefined;
  if (broken !== undefined) {
    rows.push(["not monotone", `${broken.trees.length} trees break the order; ${broken.first}`]);
  }
  const params = info["params"];
  if (params !== undefined) rows.push(["parameters", JSON.stringify(params)]);
  if (info["origin"] !== undefined) rows.push(["origin", JSON.stringify(info["origin"])]);
  rows.push(
    [
      "file",
      `${model.byteLength} bytes: ${
        model.sections.map(({ id, byteLength }) => `${id} ${byteLength}`).join(", ")
      }`,
    ],
    ["schema", model.schemaHash],
    ["columns", `absent: ${model.absentColumns}, unknown to the model: ${model.extraColumns}`],
  );
  if (model.missingCells !== undefined) {
    rows.push(["missing", model.missingCells.map((cell) => JSON.stringify(cell)).join(", ")]);
  }
  const features = model.features.map((feature) => [
    `  ${feature.name}`,
    feature.kind,
    `missing: ${feature.missing}`,
    feature.kind === "numeric"
      ? feature.zeroIsMissing === true ? "zeros are missing" : ""
      : `unknown: ${feature.unknown}; ${feature.categories.length} categories: ${
        list(feature.categories)
      }`,
  ]);
  return `${columns(rows)}\nFeatures:\n${columns(features)}`;
}

/** The first few names. */
function list(names: readonly string[]): string {
  const shown = names.slice(0, 8).join(", ");
  return names.length > 8 ? `${shown}, … (${names.length})` : shown;
}
