/**
 * docs/format.md is enough: a reader written from that page alone (tests/support/slow/tlm.ts) scores
 * every layout as the library does, bit for bit, and the models of other libraries as they do.
 */
import { assert, assertEquals } from "@std/assert";
import { importModel } from "../../../src/convert/mod.ts";
import { encodeModel } from "../../../src/format/binary.ts";
import { withSelfTest } from "../../../src/format/self_test.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { parseCsv, train } from "../../../mod.ts";
import { differentBits32, worst } from "../../support/reference/parity.ts";
import { type RandomModel, randomParts, randomRows } from "../../support/models/random.ts";
import { openCutParts } from "../../support/models/open_cuts.ts";
import { readSlowly, type SlowModel } from "../../support/slow/tlm.ts";
import { surrogateParts } from "../../support/models/surrogate.ts";
import { readTable } from "../../support/reference/tables.ts";

/** Values of one feature that take all ways: between, at and beyond thresholds, missing, unknown. */
function valuesOf(slow: SlowModel, feature: number): number[] {
  const { kind, categories = [] } = slow.meta.schema.features[feature];
  return kind === "numeric"
    ? [-Infinity, -2, -0.5, 0, 0.25, 0.5, 1 / 3, 1, 3, 7, 9, Infinity, NaN]
    : [...categories.keys(), categories.length, NaN];
}

/** Compares raw scores of rows that mix all values; returns the layout. */
function assertAsLibrary(model: Model, bytes: Uint8Array, label: string): number {
  const slow = readSlowly(bytes);
  const numFeatures = model.schema.features.length;
  const values = Array.from({ length: numFeatures }, (_, f) => valuesOf(slow, f));
  const rows = Array.from(
    { length: 60 },
    (_, r) => values.map((list, f) => list[(r * (f + 1) + r * r * f + f) % list.length]),
  );
  const known = rows.filter((row) =>
    row.every((x, f) => {
      const feature = model.schema.features[f];
      const isUnknown = feature.kind === "categorical" && x === feature.categories.length;
      return !(isUnknown && feature.unknown === "missing");
    })
  );
  const out = new Float64Array(known.length * model.numOutputs);
  model.positional(model.schemaHash).rawRowsInto(Float64Array.from(known.flat()), out);
  assertEquals(known.flatMap((row) => slow.raw(row)), [...out], label);
  return slow.layout;
}

const SPECS: readonly Omit<RandomModel, "seed">[] = [
  { trees: 3, depth: 3 },
  { trees: 9, depth: 6, categorical: 2, f32: false },
  { trees: 5, depth: 4, profile: { input: "f32", sum: "f32" } },
  { trees: 4, depth: 4, outputs: 3, weights: true, profile: { base: "last", sum: "f32" } },
  { trees: 6, depth: 4, outputs: 3, leafWidth: 3, aggregate: "average", weights: true },
  { trees: 6, depth: 3, outputs: 3, leafWidth: 3, aggregate: "vote", weights: true },
  { trees: 7, depth: 3, aggregate: "median", weights: true },
  { trees: 4, depth: 3, aggregate: "min", profile: { base: "last" } },
  { trees: 4, depth: 3, aggregate: "max", weights: true },
  { trees: 4, depth: 5, numeric: 2, categorical: 3, exotic: 0.5, unknown: "node" },
  { trees: 4, depth: 5, categorical: 3, exotic: 0.4, outputs: 2, leafWidth: 2, weights: true },
];

Deno.test("a reader written from docs/format.md scores random models of layouts Z, H and G as we do", () => {
  const layouts = new Set<number>();
  for (let seed = 0; seed < 33; seed++) {
    const spec = { ...SPECS[seed % SPECS.length], seed };
    const model = createModel(randomParts(spec));
    const bytes = encodeModel(model, { inBits: false });
    layouts.add(assertAsLibrary(model, bytes, JSON.stringify(spec)));
  }
  layouts.add(assertAsLibrary(
    createModel(surrogateParts()),
    encodeModel(createModel(surrogateParts())),
    "surrogates",
  ));
  assertEquals([...layouts].sort(), [1, 2, 3]);
});

Deno.test("a reader written from docs/format.md scores trees in bits as we do", () => {
  const cuts = [-Infinity, -1 / 3, -0, 0.1, 0.5, 1, 2, 7, Infinity];
  for (let seed = 0; seed < 24; seed++) {
    const f32 = seed % 2 === 0;
    const parts = openCutParts(
      { seed, trees: 2 + seed % 3, depth: 5, numeric: 1 + seed % 3, categorical: seed % 4 },
      f32 ? cuts.map(Math.fround) : cuts,
      ...(seed % 3 === 0 ? [3] : []),
    );
    const model = createModel(parts);
    const bytes = encodeModel(model, { inBits: true });
    assertEquals(assertAsLibrary(model, bytes, `seed ${seed}`), 4);
  }
});

Deno.test("a reader written from docs/format.md reads the self-test, and it holds", () => {
  for (const spec of SPECS) {
    const model = createModel(randomParts({ ...spec, seed: 77 }));
    const slow = readSlowly(encodeModel(withSelfTest(model, randomRows(model.schema, 4, 3))));
    assert(slow.test!.rows.length === 4);
    assertEquals(slow.test!.rows.map((row) => slow.raw(row)), slow.test!.raw);
  }
});

const COLOURS = ["red", "green", "blue", ""];
const TABLE = "x,c,y,z\n" + Array.from({ length: 120 }, (_, i) => {
  const x = i % 11 === 3 ? "" : String((i * 37 % 100) / 8);
  const y = (i * 37 % 100) / 8 + (i % 3) * 2 + (i * 7 % 5) / 10;
  return `${x},${COLOURS[i % 4]},${y},${i * 13 % 7 < 3 + i % 2 ? "a" : "b"}`;
}).join("\n");

Deno.test("a reader written from docs/format.md scores trained models of every family as we do", async () => {
  const numeric = parseCsv(TABLE, { target: "y", drop: ["z"] });
  const classes = parseCsv(TABLE, { target: "z", drop: ["y"] });
  const runs = [
    [numeric, { algorithm: "boost", rounds: 8 }],
    [numeric, { algorithm: "boost", rounds: 4, linearTree: true, treeMethod: "hist" }],
    [numeric, { algorithm: "cart" }],
    [numeric, { algorithm: "adaboost", rounds: 5 }],
    [numeric, { algorithm: "random-forest", rounds: 5 }],
    [classes, { algorithm: "c45" }],
    [classes, { algorithm: "random-forest", rounds: 5 }],
    [classes, { algorithm: "adaboost", rounds: 5 }],
    [classes, { algorithm: "boost", rounds: 5 }],
  ] as const;
  const layouts = new Set<number>();
  for (const [data, params] of runs) {
    const model = await train(data, { seed: 3, ...params } as Parameters<typeof train>[1]);
    layouts.add(assertAsLibrary(model, encodeModel(model), JSON.stringify(params)));
  }
  assert(layouts.has(3) && layouts.size > 1);
});

/** Reference models whose inputs are plain numbers: folder, file, file of raw scores, float32 or not. */
const REFERENCES = [
  ["lightgbm-4.6.0/linear_tree_auto_mpg_binary", "model.txt", "raw.csv", 64],
  ["lightgbm-4.6.0/single_leaf_trees", "model.txt", "raw.csv", 64],
  ["xgboost-1.7.4/feature_names_unicode", "model.json", "margin.csv", 32],
  ["xgboost-1.7.4/stumps_only_leaf", "model.json", "margin.csv", 32],
  ["xgboost-2.1.4/dart_reg_auto_mpg", "model.json", "margin.csv", 32],
  ["xgboost-3.4.1/multi_softprob_vector_leaf_iris", "model.json", "margin.csv", 32],
] as const;

for (const [folder, file, expected, bits] of REFERENCES) {
  Deno.test(`a reader written from docs/format.md scores ${folder} as its library does`, () => {
    const place = new URL(`../../golden/models/${folder}/`, import.meta.url);
    const model = importModel(Deno.readFileSync(new URL(file, place)));
    const slow = readSlowly(encodeModel(model));
    const { rows } = readTable(Deno.readTextFileSync(new URL("input.csv", place)));
    const want = readTable(Deno.readTextFileSync(new URL(expected, place))).rows;
    const raw = rows.flatMap((row) => slow.raw([...row]));
    // XGBoost's margins are float32; LightGBM's text has 17 digits, sums may differ in the last.
    if (bits === 32) assertEquals(differentBits32(raw, want), 0);
    else assert(worst(raw, want) <= 1e-12);
  });
}
