/**
 * Random ensembles of every kind, for laws about scoring and files.
 *
 * @module
 */
import type { InputFeature, Row, Schema } from "../../../src/data/types.ts";
import { createTreeBuilder, packTrees, type TreeBuilder } from "../../../src/model/trees.ts";
import type { Ensemble, ModelParts } from "../../../src/model/types.ts";
import { createRng, type Rng } from "../../../src/util/rng.ts";

/** What a random model is made of. */
export interface RandomModel {
  readonly seed: number;
  readonly trees?: number;
  readonly depth?: number;
  readonly numeric?: number;
  readonly categorical?: number;
  /** Features with categories come first. */
  readonly categoricalFirst?: boolean;
  readonly outputs?: number;
  readonly leafWidth?: number;
  /** Leaves and thresholds that float32 holds exactly. */
  readonly f32?: boolean;
  readonly aggregate?: Ensemble["aggregate"];
  readonly profile?: Partial<Ensemble["profile"]>;
  readonly weights?: boolean;
  /** Chance of a node of the kinds that only the general layout has. */
  readonly exotic?: number;
  readonly unknown?: "heavier" | "missing" | "node";
}

/** Makes the parts of a random model. */
export function randomParts(spec: RandomModel): ModelParts {
  const rng = createRng(spec.seed);
  const { numeric = 4, categorical = 0, outputs = 1, trees = 10, depth = 4 } = spec;
  const leafWidth = spec.leafWidth ?? 1;
  const features: InputFeature[] = [];
  for (let f = 0; f < numeric; f++) {
    features.push({ kind: "numeric", name: `x${f}`, missing: "learnt" });
  }
  for (let f = 0; f < categorical; f++) {
    features.push({
      kind: "categorical",
      name: `c${f}`,
      missing: "learnt",
      unknown: spec.unknown ?? "heavier",
      categories: Array.from({ length: 3 + 20 * f }, (_, k) => `k${k}`),
    });
  }
  if (spec.categoricalFirst) features.reverse();
  const builders = Array.from(
    { length: trees * outputs / leafWidth },
    () => randomTree(rng, features, depth, leafWidth, spec),
  );
  const classification = outputs > 1;
  const schema: Schema = {
    features,
    target: { name: "y" },
    task: classification ? "classification" : "regression",
    classes: classification ? Array.from({ length: outputs }, (_, k) => `class ${k}`) : [],
    extraColumns: "ignore",
    absentColumns: "missing",
  };
  const cut = spec.f32 === false ? (x: number) => x : Math.fround;
  return {
    schema,
    info: { version: "0.1.0", algorithm: "random", seed: spec.seed },
    ensemble: {
      trees: packTrees(builders, leafWidth),
      leafWidth,
      numOutputs: outputs,
      treeOutput: Int32Array.from(builders, (_, t) => leafWidth > 1 ? 0 : t % outputs),
      treeWeight: Float64Array.from(builders, () => spec.weights ? cut(rng.nextFloat() + 0.5) : 1),
      treesPerRound: leafWidth > 1 ? 1 : outputs,
      aggregate: spec.aggregate ?? "sum",
      baseScore: Float64Array.from({ length: outputs }, () => cut(rng.nextFloat() - 0.5)),
      postprocess: { name: classification ? "softmax" : "identity" },
      profile: { input: "f64", sum: "f64", base: "first", shownTest: "<=", ...spec.profile },
    },
  };
}

function randomTree(
  rng: Rng,
  features: readonly InputFeature[],
  depth: number,
  leafWidth: number,
  spec: RandomModel,
): TreeBuilder {
  const cut = spec.f32 === false ? (x: number) => x : Math.fround;
  const tree = createTreeBuilder(leafWidth);
  const grow = (node: number, level: number, cover: number) => {
    tree.setValue(node, Array.from({ length: leafWidth }, () => cut(rng.nextFloat() * 2 - 1)));
    tree.setStats(node, cover, 0);
    if (level >= depth || rng.nextFloat() < 0.2) return;
    const f = rng.nextInt(features.length);
    const input = features[f];
    const exotic = rng.nextFloat() < (spec.exotic ?? 0);
    const missing = exotic && rng.nextFloat() < 0.5
      ? (rng.nextInt(2) === 0 ? 254 : 255)
      : rng.nextInt(2);
    tree.setStats(node, cover, cut(rng.nextFloat()));
    let first: number;
    let children = 2;
    if (input.kind === "numeric") {
      const threshold = cut(Math.round((rng.nextFloat() * 2 - 1) * 50) / 30);
      first = exotic && rng.nextFloat() < 0.3
        ? tree.splitEqual(node, f, threshold, missing)
        : tree.splitThreshold(node, f, threshold, missing);
    } else {
      const codes = input.categories.length + 1;
      if (exotic) {
        children = 3;
        const table = Uint32Array.from(
          { length: codes },
          (_, k) => k < 3 ? k : rng.nextFloat() < 0.2 ? 0xffffffff : rng.nextInt(3),
        );
        first = tree.splitMultiway(node, f, table, 3, missing);
      } else {
        const words = new Uint32Array((codes - 1 >>> 5) + 1);
        for (let k = 0; k < codes; k++) words[k >>> 5] |= rng.nextInt(2) << (k & 31);
        first = tree.splitSubset(node, f, words, missing);
      }
    }
    let rest = cover;
    for (let c = 0; c < children; c++) {
      const part = c === children - 1 ? rest : Math.round(rest * rng.nextFloat());
      rest -= part;
      grow(first + c, level + 1, part);
    }
  };
  grow(0, 0, 1000);
  return tree;
}

/** Random rows for a model: ordinary values, values at thresholds, missing and unknown ones. */
export function randomRows(schema: Schema, rows: number, seed: number): Row[] {
  const rng = createRng(seed);
  return Array.from({ length: rows }, () => {
    const row: { [name: string]: string | number | null } = {};
    for (const feature of schema.features) {
      const dice = rng.nextFloat();
      if (dice < 0.1) row[feature.name] = dice < 0.05 ? null : NaN;
      else if (feature.kind === "categorical") {
        const k = rng.nextInt(feature.categories.length + 1);
        row[feature.name] = feature.categories[k] ?? "never seen";
      } else if (dice < 0.13) row[feature.name] = dice < 0.115 ? Infinity : -Infinity;
      else row[feature.name] = Math.round((rng.nextFloat() * 2 - 1) * 50) / 30;
    }
    return row;
  });
}

/** Trees of one long way with leaves beside it: most rows end early. */
export function spines(spec: RandomModel, length: number): ModelParts {
  const { ensemble, ...rest } = randomParts(spec);
  const rng = createRng(spec.seed);
  const { features } = rest.schema;
  const numTrees = ensemble.treeOutput.length;
  const builders = Array.from({ length: numTrees }, (_, t) => {
    const tree = createTreeBuilder(ensemble.leafWidth);
    const value = () =>
      Array.from({ length: ensemble.leafWidth }, () => Math.fround(rng.nextFloat() - 0.5));
    tree.setValue(0, value());
    // Every fifth tree is one leaf.
    for (let at = 0, level = 0; level < (t % 5 === 3 ? 0 : length); level++) {
      const f = rng.nextInt(features.length);
      const feature = features[f];
      const first = feature.kind === "numeric"
        ? tree.splitThreshold(at, f, Math.round(rng.nextFloat() * 100) / 30 - 1.5, rng.nextInt(2))
        : tree.splitSubset(at, f, Uint32Array.of(rng.nextInt(2 ** 20)), rng.nextInt(2));
      tree.setValue(first, value());
      tree.setValue(first + 1, value());
      at = first + rng.nextInt(2);
    }
    return tree;
  });
  return { ...rest, ensemble: { ...ensemble, trees: packTrees(builders, ensemble.leafWidth) } };
}
